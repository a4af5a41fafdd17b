package notification

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

// Limits of what one owner has.
const (
	MaxChannels      = 20
	MaxSubscriptions = 200
	MaxRules         = 100
	maxName          = 100
	maxURL           = 2000
	maxToken         = 500
)

// Owners of channels.
const (
	ownerPerson = "person"
	ownerTeam   = "team"
	ownerPolicy = "policy"
)

// Channel is a way to reach its owner, as its readers see it.
type Channel struct {
	ID        uuid.UUID    `json:"id"`
	OwnerKind string       `json:"ownerKind" enum:"person,team,policy"`
	OwnerID   uuid.UUID    `json:"ownerId"`
	Kind      channel.Kind `json:"kind" enum:"email,webhook,slack,teams,discord,ntfy,push"`
	Name      string       `json:"name"`
	Target    string       `json:"target" doc:"The host or the e-mail address that it reaches, without path and secrets."`
	Account   bool         `json:"account" doc:"It is the e-mail address of the person's account, and cannot be deleted."`
	Enabled   bool         `json:"enabled"`
	Test      *LastTest    `json:"test,omitempty" doc:"How the last test ended; absent while there was none since its address was set."`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// LastTest is how the last test of a channel ended.
type LastTest struct {
	At     time.Time      `json:"at"`
	Result channel.Result `json:"result" enum:"sent,uncertain,temporary,permanent"`
	Reason string         `json:"reason,omitempty"`
}

// NewChannel is the input of a channel.
type NewChannel struct {
	OwnerKind string       `json:"ownerKind,omitempty" enum:"person,team,policy" doc:"person when absent."`
	OwnerID   *uuid.UUID   `json:"ownerId,omitempty" doc:"The team or the policy. Absent for the caller."`
	Kind      channel.Kind `json:"kind" enum:"email,webhook,slack,teams,discord,ntfy,push"`
	Name      string       `json:"name" minLength:"1" maxLength:"100"`
	Address   string       `json:"address,omitempty" maxLength:"254" doc:"E-mail: the address, of teams and policies; people are reached by that of their account."`
	URL       string       `json:"url,omitempty" maxLength:"2000" doc:"Where HTTP channels post to. For ntfy its path is the topic, for push it is the endpoint of the subscription. It is not shown again."`
	Token     string       `json:"token,omitempty" maxLength:"500" doc:"ntfy: an access token."`
	Auth      string       `json:"auth,omitempty" maxLength:"100" doc:"Push: the key auth of the subscription."`
	P256DH    string       `json:"p256dh,omitempty" maxLength:"200" doc:"Push: the key p256dh of the subscription."`
}

// CreatedChannel is a new channel. Nothing shows the signing secret again.
type CreatedChannel struct {
	Channel
	SigningSecret string `json:"signingSecret,omitempty" doc:"Webhooks are signed with it, as Standard Webhooks describes. Shown once."`
}

// ChannelChange changes a channel. A new URL replaces what belongs to the old one.
type ChannelChange struct {
	Name    *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Enabled *bool   `json:"enabled,omitempty"`
	Address *string `json:"address,omitempty" maxLength:"254"`
	URL     *string `json:"url,omitempty" maxLength:"2000"`
	Token   *string `json:"token,omitempty" maxLength:"500" nullable:"true"`
}

func shown(r notificationdb.NotifyChannel) Channel {
	c := Channel{
		ID: r.ID, OwnerKind: r.OwnerKind, OwnerID: r.OwnerID, Kind: channel.Kind(r.Kind), Name: r.Name, Target: r.Target,
		Account: r.IsAccount, Enabled: r.IsEnabled, Revised: rest.Revised{Revision: r.Revision}, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
	if r.TestedAt != nil {
		c.Test = &LastTest{*r.TestedAt, channel.Result(r.TestResult), r.TestReason}
	}
	return c
}

// mailLane is the lane of all e-mails: they have one receiver, the mail server.
const mailLane = "mail"

// checked is a channel whose input is right.
type checked struct {
	config       channel.Config
	lane, target string
}

// check validates what a kind of channel needs. Issues never quote addresses, which can be secrets.
func check(v *problem.Issues, kind channel.Kind, c channel.Config) checked {
	out := checked{config: c}
	if kind == channel.Email {
		address, ok := channel.Address(c.Address)
		if !ok {
			v.Report("address", "must be one e-mail address without a name")
		}
		out.config, out.lane, out.target = channel.Config{Address: address, Keys: c.Keys}, mailLane, address
		return out
	}
	target, err := egress.ParseTarget(c.URL)
	if err != nil {
		v.Report("url", "must be a web address: %s", problem.As(err).Detail)
		return out
	}
	if kind == channel.Ntfy {
		if strings.Trim(target.URL.Path, "/") == "" || target.URL.RawQuery != "" {
			v.Report("url", "must have the topic as its path, such as https://ntfy.sh/my-topic")
		}
	}
	if kind == channel.Push {
		pushKeys(v, c)
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		v.Report("token", "must have no spaces and no controls")
	}
	out.lane, out.target = target.URL.Host, target.URL.Host
	return out
}

// pushKeys checks the keys of a browser's subscription: a point of P-256 and 16 bytes.
func pushKeys(v *problem.Issues, c channel.Config) {
	for _, key := range []struct {
		path, value string
		bytes       int
	}{{"p256dh", c.P256DH, 65}, {"auth", c.Auth, 16}} {
		raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(key.value, "="))
		if err != nil || len(raw) != key.bytes {
			v.Report(key.path, "must be the key of a push subscription, %d bytes in base64url", key.bytes)
		}
	}
}

func named(v *problem.Issues, name string) string {
	return text.Required(v, "name", text.Line(v, "name", name, maxName))
}

// Mail is the mail server of the installation, without its password.
type Mail struct {
	Host        string `json:"host"`
	Port        int    `json:"port"`
	Security    string `json:"security" enum:"tls,starttls,none"`
	Username    string `json:"username,omitempty"`
	HasPassword bool   `json:"hasPassword"`
	From        string `json:"from"`
}

// Settings are those of the installation.
type Settings struct {
	Mail *Mail `json:"mail,omitempty" doc:"Absent while there is no mail server."`
	rest.Revised
}

// NewMail is the input of the mail server.
type NewMail struct {
	Host     string `json:"host" minLength:"1" maxLength:"253"`
	Port     int    `json:"port" minimum:"1" maximum:"65535"`
	Security string `json:"security,omitempty" enum:"tls,starttls,none" doc:"starttls when absent; none sends in the clear."`
	Username string `json:"username,omitempty" maxLength:"300"`
	Password string `json:"password,omitempty" maxLength:"1000" doc:"Absent keeps the one of the same server and user."`
	From     string `json:"from" minLength:"3" maxLength:"254" doc:"The sender's e-mail address."`
}

func (m NewMail) check(v *problem.Issues) {
	target, err := egress.ParseTarget("https://" + m.Host + "/")
	if err != nil || !strings.EqualFold(target.Host, m.Host) {
		v.Report("host", "must be the name or the address of a host")
	}
	if _, ok := channel.Address(m.From); !ok {
		v.Report("from", "must be one e-mail address without a name")
	}
	if strings.ContainsFunc(m.Username+m.Password, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		v.Report("username", "must have no control characters, nor may the password")
	}
}
