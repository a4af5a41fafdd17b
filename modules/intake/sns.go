package intake

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha1" //nolint:gosec // SNS signs with SHA-1 unless its topic says otherwise
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/internal/text/strictjson"
	"countersign/modules/intake/alert"
)

// Types of messages of an SNS topic.
const (
	snsNotification = "Notification"
	snsConfirmation = "SubscriptionConfirmation"
	snsEnded        = "UnsubscribeConfirmation"
)

const (
	// awsTimeout bounds a request to AWS; so many run at a time in a process, of each source one.
	awsTimeout     = 10 * time.Second
	awsAtOnce      = 4
	maxCertificate = 32 << 10
	keptCerts      = 16
	certTTL        = time.Hour
)

// message is what an SNS topic delivers.
type message struct {
	Type             string
	MessageID        string `json:"MessageId"`
	Token            string
	TopicARN         string `json:"TopicArn"`
	Subject          *string
	Message          string
	Timestamp        string
	SignatureVersion string
	Signature        string
	SigningCertURL   string
	SubscribeURL     string
}

// topics checks the signatures of AWS, and confirms subscriptions.
type topics struct {
	client *http.Client
	// limit refuses a source that names too many certificates.
	limit func(ctx context.Context, source uuid.UUID) error
	slots chan struct{}

	mu    sync.Mutex
	certs map[string]cert
	// fetching are the sources with a request to AWS under way.
	fetching map[uuid.UUID]*fetching
}

// fetching is a request to AWS; others of its source for the same address wait for its end.
type fetching struct {
	address string
	done    chan struct{}
	content []byte
	err     error
}

func newTopics(client *http.Client, limit func(ctx context.Context, source uuid.UUID) error) *topics {
	return &topics{
		client: client, limit: limit, slots: make(chan struct{}, awsAtOnce), certs: map[string]cert{}, fetching: map[uuid.UUID]*fetching{},
	}
}

// cert is a certificate of AWS, and when it was fetched.
type cert struct {
	*x509.Certificate

	at time.Time
}

// signed is the text that a message signs.
func (m message) signed() string {
	parts := []string{"Message", m.Message, "MessageId", m.MessageID}
	switch {
	case m.Type != snsNotification:
		parts = append(parts, "SubscribeURL", m.SubscribeURL, "Timestamp", m.Timestamp, "Token", m.Token)
	case m.Subject != nil:
		parts = append(parts, "Subject", *m.Subject, "Timestamp", m.Timestamp)
	default:
		parts = append(parts, "Timestamp", m.Timestamp)
	}
	return strings.Join(append(parts, "TopicArn", m.TopicARN, "Type", m.Type), "\n") + "\n"
}

// verify refuses a message that AWS has not signed for the topic. Everybody with an AWS account can make AWS sign something,
// so the topic decides.
func (t *topics) verify(ctx context.Context, source uuid.UUID, topic string, body []byte, now time.Time) (message, error) {
	var m message
	if err := strictjson.Unmarshal(body, &m); err != nil || m.TopicARN != topic {
		return m, errUnsigned(alert.CloudWatch)
	}
	if m.Type != snsNotification && m.Type != snsConfirmation && m.Type != snsEnded {
		return m, errUnsigned(alert.CloudWatch)
	}
	signature, err := base64.StdEncoding.DecodeString(m.Signature)
	if err != nil || len(signature) == 0 {
		return m, errUnsigned(alert.CloudWatch)
	}
	address, ok := isAWS(topic, m.SigningCertURL)
	if !ok || !certPath.MatchString(address.Path) || address.RawQuery != "" {
		return m, errUnsigned(alert.CloudWatch)
	}
	c, err := t.cert(ctx, source, address.String(), now)
	if err != nil {
		return m, err
	}
	public, ok := c.PublicKey.(*rsa.PublicKey)
	if !ok || now.Before(c.NotBefore) || now.After(c.NotAfter) {
		return m, errUnsigned(alert.CloudWatch)
	}
	switch text := []byte(m.signed()); m.SignatureVersion {
	case "1":
		digest := sha1.Sum(text) //nolint:gosec // see the import
		err = rsa.VerifyPKCS1v15(public, crypto.SHA1, digest[:], signature)
	case "2":
		digest := sha256.Sum256(text)
		err = rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature)
	default:
		return m, errUnsigned(alert.CloudWatch)
	}
	if err != nil {
		return m, errUnsigned(alert.CloudWatch)
	}
	return m, nil
}

// certPath is the path of a signing certificate.
var certPath = regexp.MustCompile(`^/SimpleNotificationService-[0-9a-f]{32}\.pem$`)

// isAWS reports whether an address leads to the Simple Notification Service in the region of a topic.
func isAWS(topic, address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	region := topicForm.FindStringSubmatch(topic)
	if err != nil || region == nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" {
		return nil, false
	}
	host := "sns." + region[1] + ".amazonaws.com"
	if strings.HasPrefix(region[1], "cn-") {
		host += ".cn"
	}
	return u, u.Host == host
}

// cert returns a signing certificate, fetched once an hour. A source that has named too many gets one that is known, if older.
func (t *topics) cert(ctx context.Context, source uuid.UUID, address string, now time.Time) (*x509.Certificate, error) {
	t.mu.Lock()
	known, ok := t.certs[address]
	t.mu.Unlock()
	if ok && now.Sub(known.at).Abs() < certTTL {
		return known.Certificate, nil
	}
	content, err := t.fetch(ctx, source, address)
	if ok && problem.Is(err, problem.Throttled) {
		return known.Certificate, nil
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil || block.Type != "CERTIFICATE" {
		return nil, errUnsigned(alert.CloudWatch)
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, errUnsigned(alert.CloudWatch)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.certs) >= keptCerts {
		t.certs = map[string]cert{}
	}
	t.certs[address] = cert{parsed, now}
	return parsed, nil
}

// errAway says that a message is to be sent again.
func errAway() error {
	return problem.Errorf(problem.Unavailable, "AWS could not be reached to check the message. Send it again.").After(awsTimeout)
}

// fetch reads an address of AWS for a source, which has one request under way at a time: an address that answers slowly holds up
// no other source.
func (t *topics) fetch(ctx context.Context, source uuid.UUID, address string) ([]byte, error) {
	t.mu.Lock()
	f, busy := t.fetching[source]
	if !busy {
		f = &fetching{address: address, done: make(chan struct{})}
		t.fetching[source] = f
	}
	t.mu.Unlock()
	switch {
	case !busy:
		go t.run(context.WithoutCancel(ctx), source, f)
	case f.address != address:
		return nil, problem.Errorf(problem.Throttled,
			"Another certificate or confirmation of this source is being fetched. Send the message again.").After(awsTimeout)
	}
	select {
	case <-f.done:
		return f.content, f.err
	case <-ctx.Done():
		return nil, errAway()
	}
}

// run makes the request of a source, and then lets the next one begin.
func (t *topics) run(ctx context.Context, source uuid.UUID, f *fetching) {
	ctx, cancel := context.WithTimeout(ctx, awsTimeout)
	defer cancel()
	if f.err = t.limit(ctx, source); f.err == nil {
		f.content, f.err = t.get(ctx, f.address)
	}
	t.mu.Lock()
	delete(t.fetching, source)
	t.mu.Unlock()
	close(f.done)
}

func (t *topics) get(ctx context.Context, address string) ([]byte, error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return nil, errAway()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errUnsigned(alert.CloudWatch)
	}
	answer, err := t.client.Do(r)
	if err != nil {
		return nil, errAway()
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxCertificate+1))
	switch {
	case err != nil || answer.StatusCode >= http.StatusInternalServerError:
		return nil, errAway()
	case answer.StatusCode != http.StatusOK || len(content) > maxCertificate:
		return nil, errUnsigned(alert.CloudWatch)
	}
	return content, nil
}

// confirm confirms the subscription of a signed message.
func (t *topics) confirm(ctx context.Context, source uuid.UUID, m message) error {
	address, ok := isAWS(m.TopicARN, m.SubscribeURL)
	if !ok {
		return errUnsigned(alert.CloudWatch)
	}
	_, err := t.fetch(ctx, source, address.String())
	return err
}
