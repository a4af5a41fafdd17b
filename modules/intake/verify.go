package intake

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/internal/problem"
	"countersign/modules/intake/alert"
)

// Headers of signatures.
const (
	grafanaSignature = "X-Grafana-Alerting-Signature"
	grafanaTimestamp = "X-Grafana-Alerting-Timestamp"
	webhookID        = "Webhook-Id"
	webhookTimestamp = "Webhook-Timestamp"
	webhookSignature = "Webhook-Signature"

	// maxSkew is how far the time of a signature may be from that of the database.
	maxSkew = 5 * time.Minute
	// maxSignatures bounds the signatures of one request.
	maxSignatures = 10
)

// request is what a sender has sent.
type request struct {
	header http.Header
	body   []byte
}

// errUnsigned is the answer to a request that nobody has signed who knows the secret.
func errUnsigned(kind alert.Kind) error {
	how := "Send the secret of the source as a bearer token, or as the password of basic authentication."
	switch kind {
	case alert.Grafana:
		how = "Sign with the secret of the source (HMAC signature), or send it as the credentials of the authorization header."
	case alert.CloudWatch:
		how = "Only messages of the SNS topic of the source count, with the signature of AWS."
	case alert.Webhook:
		how = "Sign as Standard Webhooks say with the secret of the source, or send it as a bearer token."
	case alert.Alertmanager, alert.UptimeKuma:
	}
	return problem.Errorf(problem.Unauthorized, "The sender is not known. %s", how)
}

// verify refuses a request that no holder of a secret of the source has made.
func verify(kind alert.Kind, keys []key, r request, now time.Time) error {
	signed, right := false, false
	switch {
	case kind == alert.Grafana && r.header.Get(grafanaSignature) != "":
		signed, right = true, isSignedByGrafana(keys, r, now)
	case kind == alert.Webhook && r.header.Get(webhookSignature) != "":
		signed, right = true, isSignedWebhook(keys, r, now)
	}
	if !signed {
		right = isSignedIn(keys, r.header)
	}
	if !right {
		return errUnsigned(kind)
	}
	return nil
}

// isSignedIn reports whether the request has a secret as a bearer token or as a password.
func isSignedIn(keys []key, header http.Header) bool {
	scheme, given, _ := strings.Cut(header.Get("Authorization"), " ")
	given = strings.TrimSpace(given)
	switch strings.ToLower(scheme) {
	case "bearer":
	case "basic":
		decoded, err := base64.StdEncoding.DecodeString(given)
		if err != nil {
			return false
		}
		_, given, _ = strings.Cut(string(decoded), ":")
	default:
		return false
	}
	// The digests have one length, so the time tells nothing of the secret.
	got, right := sha256.Sum256([]byte(given)), 0
	for _, k := range keys {
		want := sha256.Sum256([]byte(k.Secret))
		right |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return right == 1
}

// isRecent reports whether a time in seconds is close to now.
func isRecent(seconds string, now time.Time) bool {
	at, err := strconv.ParseInt(seconds, 10, 64)
	return err == nil && at > 0 && at < 1<<40 && time.Unix(at, 0).Sub(now).Abs() <= maxSkew
}

// isSignedByGrafana checks an HMAC signature of Grafana: in hex, of the body, or of the time, a colon and the body.
func isSignedByGrafana(keys []key, r request, now time.Time) bool {
	given, err := hex.DecodeString(strings.TrimSpace(r.header.Get(grafanaSignature)))
	if err != nil {
		return false
	}
	signed := r.body
	if at := r.header.Get(grafanaTimestamp); at != "" {
		if !isRecent(at, now) {
			return false
		}
		signed = append([]byte(at+":"), r.body...)
	}
	right := false
	for _, k := range keys {
		right = hmac.Equal(given, sum([]byte(k.Secret), signed)) || right
	}
	return right
}

// isSignedWebhook checks a signature of Standard Webhooks: of the id, the time and the body, with dots between them.
func isSignedWebhook(keys []key, r request, now time.Time) bool {
	id, at := r.header.Get(webhookID), r.header.Get(webhookTimestamp)
	if id == "" || !isRecent(at, now) {
		return false
	}
	signed := append([]byte(id+"."+at+"."), r.body...)
	right := false
	for i, one := range strings.Fields(r.header.Get(webhookSignature)) {
		if i == maxSignatures {
			break
		}
		version, text, _ := strings.Cut(one, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if version != "v1" || err != nil {
			continue
		}
		for _, k := range keys {
			secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(k.Secret, secretPrefix))
			right = err == nil && hmac.Equal(given, sum(secret, signed)) || right
		}
	}
	return right
}

func sum(secret, signed []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(signed)
	return mac.Sum(nil)
}

// checkForm refuses a body that is no JSON. SNS sends its JSON as plain text.
func checkForm(kind alert.Kind, header http.Header) error {
	given, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err == nil && (given == "application/json" || strings.HasSuffix(given, "+json") || kind == alert.CloudWatch && given == "text/plain") {
		return nil
	}
	return problem.Errorf(problem.NotAcceptable, "The body must be JSON: send it with the Content-Type application/json.")
}

// authenticate refuses a request without a right signature, and returns the message of an SNS topic.
func (s *service) authenticate(ctx context.Context, src source, r request) (message, error) {
	if src.kind() == alert.CloudWatch {
		return s.sns.verify(ctx, src.ID, src.Rules.TopicARN, r.body, src.now)
	}
	keys, err := s.keysOf(src.IntakeSource, src.now)
	if err != nil {
		return message{}, err
	}
	return message{}, verify(src.kind(), keys, r, src.now)
}
