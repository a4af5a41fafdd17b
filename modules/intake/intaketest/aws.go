// Package intaketest stands for the senders of alerts in tests.
package intaketest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Addresses of the Simple Notification Service and of one of its topics.
const (
	TopicARN = "arn:aws:sns:eu-central-1:123456789012:alarms"
	Host     = "https://sns.eu-central-1.amazonaws.com"
	CertURL  = Host + "/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem"
)

// AWS signs messages, and answers requests for its certificate and for confirmations.
type AWS struct {
	key  *rsa.PrivateKey
	cert string

	mu    sync.Mutex
	away  bool
	asked []string
	// hang lets requests for other certificates wait until it is closed.
	hang chan struct{}
}

// signingKey is made once: it takes long.
var signingKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// NewAWS makes a certificate of its own.
func NewAWS(t testing.TB) *AWS {
	t.Helper()
	c := &AWS{key: signingKey()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0),
		NotAfter: time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, c.key.Public(), c.key)
	require.NoError(t, err)
	c.cert = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return c
}

// RoundTrip implements http.RoundTripper.
func (c *AWS) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.asked = append(c.asked, r.URL.String())
	hang := c.hang
	c.mu.Unlock()
	if hang != nil && r.URL.String() != CertURL {
		select {
		case <-hang:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		return nil, errors.New("away")
	}
	content := "<ConfirmSubscriptionResponse/>"
	if r.URL.String() == CertURL {
		content = c.cert
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(content)), Request: r}, nil
}

// Requests returns the addresses of all requests.
func (c *AWS) Requests() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.asked...)
}

// Hang lets requests for other certificates wait until release.
func (c *AWS) Hang() (release func()) {
	hang := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hang = hang
	return func() { close(hang) }
}

// GoAway lets requests fail.
func (c *AWS) GoAway(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

// Message is a signed message of a topic.
func (c *AWS) Message(t testing.TB, kind, text string, change ...string) string {
	t.Helper()
	m := map[string]string{
		"Type": kind, "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "TopicArn": TopicARN, "Message": text,
		"Timestamp": "2026-01-02T03:04:06.000Z", "SignatureVersion": "2", "SigningCertURL": CertURL,
	}
	names := []string{"Message", "MessageId", "Timestamp", "TopicArn", "Type"}
	if kind != "Notification" {
		m["Token"], m["SubscribeURL"] = "token", Host+"/?Action=ConfirmSubscription&Token=token"
		names = []string{"Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
	}
	for i := 0; i+1 < len(change); i += 2 {
		m[change[i]] = change[i+1]
	}
	var signed strings.Builder
	for _, name := range names {
		signed.WriteString(name + "\n" + m[name] + "\n")
	}
	digest := sha256.Sum256([]byte(signed.String()))
	signature, err := rsa.SignPKCS1v15(rand.Reader, c.key, crypto.SHA256, digest[:])
	require.NoError(t, err)
	m["Signature"] = base64.StdEncoding.EncodeToString(signature)
	content, err := json.Marshal(m)
	require.NoError(t, err)
	return string(content)
}

// Notification is a signed message with an alarm.
func (c *AWS) Notification(t testing.TB, text string, change ...string) string {
	t.Helper()
	return c.Message(t, "Notification", text, change...)
}
