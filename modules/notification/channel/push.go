package channel

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/SherClockHolmes/webpush-go"

	"countersign/internal/text"
)

// maxPush bounds the texts of a push message, which push services take up to 4 kB of.
const maxPush = 900

// NewPushKeys makes the VAPID keys of an installation.
func NewPushKeys() (PushKeys, error) {
	private, public, err := webpush.GenerateVAPIDKeys()
	return PushKeys{Public: public, Private: private}, err
}

// push sends a web push. Messages about one record replace each other while the browser is away.
func (s *Sender) push(ctx context.Context, c Config, set Settings, m Message) Outcome {
	if set.Push.Private == "" {
		return failed(Temporary, "The installation has no keys for web push yet.")
	}
	data, err := encode(object{
		"title": text.Clip(m.Title(), 300), "body": text.Clip(plain(m), maxPush), "url": m.Link(), "tag": m.About.ID.String(),
		"urgent": m.Urgent,
	})
	if err != nil {
		return failed(Permanent, "The message cannot be written as JSON.")
	}
	caught := &capture{sender: s}
	urgency := webpush.UrgencyNormal
	if m.Urgent {
		urgency = webpush.UrgencyHigh
	}
	_, err = webpush.SendNotificationWithContext(ctx, data, //nolint:bodyclose // capture closes it and returns none
		&webpush.Subscription{Endpoint: c.URL, Keys: webpush.Keys{Auth: c.Auth, P256dh: c.P256DH}},
		&webpush.Options{
			HTTPClient: caught, Subscriber: s.contact(), TTL: 24 * 60 * 60, Urgency: urgency,
			Topic:          base64.RawURLEncoding.EncodeToString(m.About.ID[:]),
			VAPIDPublicKey: set.Push.Public, VAPIDPrivateKey: set.Push.Private,
		})
	if caught.outcome.Result == "" && err != nil {
		return failed(Permanent, "The keys of the browser's push subscription are not valid. Set the channel up again.")
	}
	return caught.outcome
}

// contact is how a push service reaches the operator.
func (s *Sender) contact() string {
	if strings.HasPrefix(s.Base, "https://") {
		return s.Base
	}
	return "operator@localhost"
}

// capture makes the request of the library and keeps its outcome.
type capture struct {
	sender  *Sender
	outcome Outcome
}

var errCaptured = errors.New("the outcome is kept")

// Do implements webpush.HTTPClient.
func (c *capture) Do(request *http.Request) (*http.Response, error) {
	c.outcome = c.sender.do(request)
	return nil, errCaptured
}
