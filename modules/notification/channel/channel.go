// Package channel sends one message to one receiver: by e-mail, by a webhook, to a chat, to ntfy, or as a web push. It
// knows nothing of the database; every attempt ends in an Outcome, which says whether the message may have arrived.
//
// Texts of messages are untrusted. Each kind of channel escapes them for its receiver; nothing that a user writes is a
// template.
package channel

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/google/uuid"

	"countersign/internal/notice"
	"countersign/internal/text"
)

// Kind is a kind of channel.
type Kind string

// The kinds of channels. Slack, Teams and Discord are also what compatible chats understand.
const (
	Email   Kind = "email"
	Webhook Kind = "webhook"
	Slack   Kind = "slack"
	Teams   Kind = "teams"
	Discord Kind = "discord"
	Ntfy    Kind = "ntfy"
	Push    Kind = "push"
)

// Idempotent reports whether receivers of the kind recognize a repeated message by its id, so that an attempt of which
// nobody knows whether it arrived may be repeated.
func (k Kind) Idempotent() bool { return k == Webhook }

// Config is what a channel needs to reach its receiver. It is sealed in the database, and never shown.
type Config struct {
	// Address is an e-mail address.
	Address string `json:"address,omitempty"`
	// URL is where HTTP channels post to. That of a chat is a credential.
	URL string `json:"url,omitempty"`
	// Token is the access token of an ntfy server.
	Token string `json:"token,omitempty"`
	// Keys sign webhooks; the first one is the newest.
	Keys []Key `json:"keys,omitempty"`
	// Auth and P256DH are the keys of a browser's push subscription.
	Auth   string `json:"auth,omitempty"`
	P256DH string `json:"p256dh,omitempty"`
}

// Key signs webhooks.
type Key struct {
	Secret []byte `json:"secret"`
	// Until is when the key that another one has replaced signs no more; nil for the newest.
	Until *time.Time `json:"until,omitempty"`
}

// Part is the message of one delivery.
type Part struct {
	Delivery uuid.UUID
	About    notice.About
	Topic    string
	Edge     string
	Phase    notice.Phase
	Urgent   bool
	At       time.Time
	Facts    notice.Facts
}

// Message is what one request delivers: a part, and others that waited for the same channel.
type Message struct {
	Part
	Also []Part
	// Base is the address of the web app.
	Base string
}

// Title is the first line, without line breaks.
func (m Message) Title() string {
	title := line(m.Facts.Title)
	if len(m.Also) > 0 {
		title = fmt.Sprintf("%s, and %d more", title, len(m.Also))
	}
	return title
}

// Link is the page of the record in the web app; "" without one.
func (m Message) Link() string { return link(m.Base, m.Part) }

func link(base string, p Part) string {
	if p.Facts.Path == "" {
		return ""
	}
	return base + p.Facts.Path
}

// parts are all parts in the order of their deliveries.
func (m Message) parts() []Part { return append([]Part{m.Part}, m.Also...) }

// line is a text in one line, without controls and characters that disguise others.
func line(s string) string { return text.Shown(s, 300) }

// Result is how an attempt ended.
type Result string

const (
	// Sent means that the receiver has accepted the message.
	Sent Result = "sent"
	// Uncertain means that the message may have arrived: the answer was lost.
	Uncertain Result = "uncertain"
	// Temporary means that it did not arrive, and that a later attempt may succeed.
	Temporary Result = "temporary"
	// Permanent means that it did not arrive, and that no attempt would.
	Permanent Result = "permanent"
)

// Outcome is the end of an attempt. Reason is a sentence for people, without secrets.
type Outcome struct {
	Result Result
	Reason string
	// RetryAfter is what the receiver asked for; zero without that.
	RetryAfter time.Duration
}

func failed(result Result, format string, args ...any) Outcome {
	return Outcome{Result: result, Reason: fmt.Sprintf(format, args...)}
}

// Mail is the mail server of the installation.
type Mail struct {
	Host     string `json:"host"`
	Port     int    `json:"port"`
	Security string `json:"security"`
	Username string `json:"username"`
	From     string `json:"from"`
	Password string `json:"-"`
}

// PushKeys are the VAPID keys with which browsers know the installation.
type PushKeys struct{ Public, Private string }

// Settings are those of the installation.
type Settings struct {
	// Mail is nil while the installation has no mail server.
	Mail *Mail
	Push PushKeys
}

// Sender sends messages. All connections go through the guard.
type Sender struct {
	// Client follows no redirects.
	Client *http.Client
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// Base is the address of the web app.
	Base string
	// Timeout bounds one attempt.
	Timeout time.Duration
}

// Send makes one attempt.
func (s *Sender) Send(ctx context.Context, kind Kind, c Config, set Settings, m Message) Outcome {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	m.Base = s.Base
	switch kind {
	case Email:
		return s.email(ctx, c, set, m)
	case Webhook:
		return s.webhook(ctx, c, m)
	case Slack:
		return s.postJSON(ctx, c.URL, slackMessage(m))
	case Teams:
		return s.postJSON(ctx, c.URL, teamsMessage(m))
	case Discord:
		return s.postJSON(ctx, c.URL, discordMessage(m))
	case Ntfy:
		return s.ntfy(ctx, c, m)
	case Push:
		return s.push(ctx, c, set, m)
	}
	return failed(Permanent, "This version does not know channels of the kind %s.", line(string(kind)))
}
