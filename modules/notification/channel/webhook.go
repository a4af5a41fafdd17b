package channel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"countersign/internal/notice"
)

// KeyPrefix begins the text form of a signing key, as Standard Webhooks has it.
const KeyPrefix = "whsec_"

// Text is the key as receivers enter it.
func (k Key) Text() string { return KeyPrefix + base64.StdEncoding.EncodeToString(k.Secret) }

// webhookBody is the payload of a webhook.
type webhookBody struct {
	Type      string        `json:"type"`
	Timestamp time.Time     `json:"timestamp"`
	Data      webhookData   `json:"data"`
	Also      []webhookPart `json:"also,omitempty"`
}

type webhookPart struct {
	Type string      `json:"type"`
	Data webhookData `json:"data"`
}

type webhookData struct {
	About    webhookAbout      `json:"about"`
	Phase    notice.Phase      `json:"phase"`
	Urgent   bool              `json:"urgent"`
	Severity notice.Severity   `json:"severity"`
	Title    string            `json:"title"`
	Text     string            `json:"text,omitempty"`
	Fields   map[string]string `json:"fields,omitempty"`
	URL      string            `json:"url,omitempty"`
}

type webhookAbout struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

func dataOf(base string, p Part) webhookData {
	d := webhookData{
		About: webhookAbout{p.About.Kind, p.About.ID.String()}, Phase: p.Phase, Urgent: p.Urgent, Severity: severityOf(p),
		Title: line(p.Facts.Title), Text: block(p.Facts.Text, maxChatText), URL: link(base, p),
	}
	for _, f := range p.Facts.Fields {
		if d.Fields == nil {
			d.Fields = map[string]string{}
		}
		d.Fields[line(f.Label)] = line(f.Value)
	}
	return d
}

func severityOf(p Part) notice.Severity {
	if p.Facts.Severity == "" {
		return notice.Info
	}
	return p.Facts.Severity
}

// webhook posts a message signed as Standard Webhooks describes it. The id is that of the delivery, the same in all
// attempts; timestamp and signature are those of the attempt.
func (s *Sender) webhook(ctx context.Context, c Config, m Message) Outcome {
	body := webhookBody{Type: m.Topic, Timestamp: m.At.UTC(), Data: dataOf(m.Base, m.Part)}
	for _, p := range m.Also {
		body.Also = append(body.Also, webhookPart{p.Topic, dataOf(m.Base, p)})
	}
	data, err := json.Marshal(body)
	if err != nil {
		return failed(Permanent, "The message cannot be written as JSON.")
	}
	now := time.Now()
	return s.post(ctx, c.URL, data, http.Header{
		"Content-Type":      {"application/json"},
		"Webhook-Id":        {m.Delivery.String()},
		"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {Sign(c.Keys, m.Delivery.String(), now, data)},
	})
}

// Sign returns the signatures of all keys that are valid, separated by spaces: two while a key is being replaced.
func Sign(keys []Key, id string, at time.Time, body []byte) string {
	signatures := []string{}
	for _, k := range keys {
		if k.Until != nil && !at.Before(*k.Until) {
			continue
		}
		mac := hmac.New(sha256.New, k.Secret)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}
