package intake_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/intake"
	"countersign/modules/intake/alert"
)

const (
	awsHost = "https://sns.eu-central-1.amazonaws.com"
	certURL = awsHost + "/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem"
)

// cloud stands for AWS: it signs messages, and answers requests for its certificate and for confirmations.
type cloud struct {
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

func newCloud(t testing.TB) *cloud {
	t.Helper()
	c := &cloud{key: signingKey()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, c.key.Public(), c.key)
	require.NoError(t, err)
	c.cert = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return c
}

// RoundTrip implements http.RoundTripper.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.asked = append(c.asked, r.URL.String())
	hang := c.hang
	c.mu.Unlock()
	if hang != nil && r.URL.String() != certURL {
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
	if r.URL.String() == certURL {
		content = c.cert
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(content)), Request: r}, nil
}

func (c *cloud) requests() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.asked...)
}

func (c *cloud) goAway(away bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.away = away
}

// message is a signed message of a topic.
func (c *cloud) message(t testing.TB, kind, text string, change ...string) string {
	t.Helper()
	m := map[string]string{
		"Type": kind, "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "TopicArn": topicARN, "Message": text,
		"Timestamp": "2026-01-02T03:04:06.000Z", "SignatureVersion": "2", "SigningCertURL": certURL,
	}
	names := []string{"Message", "MessageId", "Timestamp", "TopicArn", "Type"}
	if kind != "Notification" {
		m["Token"], m["SubscribeURL"] = "token", awsHost+"/?Action=ConfirmSubscription&Token=token"
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
	return encoded(t, m)
}

func (c *cloud) notification(t testing.TB, text string, change ...string) string {
	t.Helper()
	return c.message(t, "Notification", text, change...)
}

func TestASubscriptionToATopicIsConfirmedAtAWSAlone(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	require.Empty(t, s.Secret, "AWS signs")
	for _, elsewhere := range []string{
		"https://sns.eu-central-1.amazonaws.com.example.com/", "http://sns.eu-central-1.amazonaws.com/", "https://127.0.0.1/",
		"https://sns.us-east-1.amazonaws.com/", "https://sns.eu-central-1.amazonaws.com:8443/", "https://me@sns.eu-central-1.amazonaws.com/",
	} {
		s.post(t, a.aws.message(t, "SubscriptionConfirmation", "Confirm", "SubscribeURL", elsewhere)).Refused(t, problem.Unauthorized)
	}
	for _, asked := range a.aws.requests() {
		require.Equal(t, certURL, asked)
	}
	require.Nil(t, s.shown(t).ConfirmedAt)
	// SNS sends its JSON as text.
	text := []string{"Content-Type", "text/plain; charset=UTF-8"}
	got := apitest.Decode[intake.Received](t, s.post(t, a.aws.message(t, "SubscriptionConfirmation", "Confirm"), text...))
	require.Contains(t, got.Detail, "confirmed")
	require.Contains(t, a.aws.requests(), awsHost+"/?Action=ConfirmSubscription&Token=token")
	require.NotNil(t, s.shown(t).ConfirmedAt)
}

func TestAMessageThatAWSHasNotSignedForTheTopicIsRefused(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	alarm := alert.Example(alert.CloudWatch)
	right := a.aws.notification(t, alarm)
	for name, body := range map[string]string{
		"another topic":       a.aws.notification(t, alarm, "TopicArn", "arn:aws:sns:eu-central-1:999999999999:alarms"),
		"another certificate": a.aws.notification(t, alarm, "SigningCertURL", "https://example.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem"),
		"another path":        a.aws.notification(t, alarm, "SigningCertURL", awsHost+"/cert.pem"),
		"another message":     strings.Replace(right, "shop-5xx", "shop-6xx", 1),
		"another version":     a.aws.notification(t, alarm, "SignatureVersion", "3"),
		"no message":          `{}`,
		"no JSON":             `hello`,
	} {
		require.Equal(t, http.StatusUnauthorized, s.post(t, body).Status, name)
	}
	require.Empty(t, a.all(t))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM intake_payloads`))
	a.aws.goAway(true)
	other := a.source(t, alert.CloudWatch, a.system(t, "Other"), object{"name": "Other"})
	require.Equal(t, http.StatusOK, other.post(t, right).Status, "the certificate is known")
	a.aws.goAway(false)
}

// certAt is the address of another certificate.
func certAt(n int) string { return fmt.Sprintf("%s/SimpleNotificationService-%032x.pem", awsHost, n) }

// A source that names certificates without end, or slow ones, has one request to AWS at a time, and not without end.
func TestSlowCertificatesOfOneSourceHoldUpNoOther(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	slow := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	other := a.source(t, alert.CloudWatch, a.system(t, "Other"), object{"name": "Other"})
	hang := make(chan struct{})
	a.aws.mu.Lock()
	a.aws.hang = hang
	a.aws.mu.Unlock()
	naming := func(n int) string {
		return a.aws.notification(t, alert.Example(alert.CloudWatch), "SigningCertURL", certAt(n))
	}
	first := naming(0)
	var waiting sync.WaitGroup
	for range 2 {
		// Those for the same address share it.
		waiting.Go(func() { slow.post(t, first).Refused(t, problem.Unauthorized) })
	}
	require.Eventually(t, func() bool { return len(a.aws.requests()) == 1 }, 30*time.Second, 10*time.Millisecond)
	for n := 1; n < 6; n++ {
		answer := slow.post(t, naming(n))
		answer.Refused(t, problem.Throttled)
		require.NotEmpty(t, answer.Header.Get("Retry-After"))
	}
	require.Equal(t, 1, other.sends(t).Opened)
	require.Equal(t, []string{certAt(0), certURL}, a.aws.requests())
	close(hang)
	waiting.Wait()

	throttled := 0
	for n := range 20 {
		if slow.post(t, naming(10+n)).Status == http.StatusTooManyRequests {
			throttled++
		}
	}
	require.Equal(t, 11, throttled, "ten certificates of a source in a row")
	require.Len(t, a.aws.requests(), 11)
	require.Equal(t, 1, slow.sends(t, "shop-5xx", "shop-6xx").Opened, "the certificate of AWS is known")
}

func TestAMessageIsSentAgainWhileAWSIsAway(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.source(t, alert.CloudWatch, a.system(t, "Shop"))
	a.aws.goAway(true)
	s.post(t, a.aws.notification(t, alert.Example(alert.CloudWatch))).Refused(t, problem.Unavailable)
	require.Nil(t, s.shown(t).RefusedAt, "it is none of the sender's faults")
	a.aws.goAway(false)
	require.Equal(t, 1, s.sends(t).Opened)
}
