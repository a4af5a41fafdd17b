package channel

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"html/template"
	netmail "net/mail"
	"net/url"
	"strings"

	"github.com/wneessen/go-mail"

	"countersign/internal/egress"
	"countersign/internal/notice"
	"countersign/internal/problem"
)

// Securities of a mail server: TLS from the first byte, STARTTLS, or neither.
const (
	TLS      = "tls"
	StartTLS = "starttls"
	Plain    = "none"
)

// Address reads one e-mail address without a name. It refuses whatever could become another header or recipient.
func Address(value string) (string, bool) {
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`,;:<>()"\`, r) }) {
		return "", false
	}
	parsed, err := netmail.ParseAddress(value)
	if err != nil || parsed.Address != value || len(value) > 254 {
		return "", false
	}
	return value, true
}

func (s *Sender) email(ctx context.Context, c Config, set Settings, m Message) Outcome {
	if set.Mail == nil {
		return failed(Permanent, "The installation has no mail server. An administrator sets one up under Notifications.")
	}
	to, ok := Address(c.Address)
	if !ok {
		return failed(Permanent, "The e-mail address of the channel is not valid.")
	}
	message, err := letter(m, *set.Mail, to)
	if err != nil {
		return failed(Permanent, "The message cannot be written as an e-mail.")
	}
	client, err := s.mailClient(*set.Mail)
	if err != nil {
		return failed(Permanent, "The settings of the mail server are not valid.")
	}
	connection, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return mailFailure(err, Temporary, "The mail server was not reached")
	}
	// The goodbye to a server that has accepted the message changes nothing.
	defer func() { _ = client.CloseWithSMTPClient(connection) }()
	if err := client.SendWithSMTPClient(connection, message); err != nil {
		return rejected(err)
	}
	return Outcome{Result: Sent}
}

// rejected is the outcome of a message that the server has not simply accepted.
func rejected(err error) Outcome {
	refusal, ok := errors.AsType[*mail.SendError](err)
	if !ok {
		return mailFailure(err, Uncertain, "The connection to the mail server broke, and the message may have arrived")
	}
	switch {
	case refusal.Reason == mail.ErrSMTPReset:
		// The server has accepted the message before.
		return Outcome{Result: Sent}
	case refusal.ErrorCode() >= 500:
		return failed(Permanent, "The mail server refused the message with the code %d.", refusal.ErrorCode())
	case refusal.ErrorCode() >= 400:
		return failed(Temporary, "The mail server asked to try later, with the code %d.", refusal.ErrorCode())
	case refusal.Reason == mail.ErrSMTPDataClose:
		return failed(Uncertain, "The message was sent, and the mail server did not answer. It may have arrived.")
	default:
		return failed(Temporary, "The connection to the mail server broke before the message was complete.")
	}
}

func mailFailure(err error, result Result, what string) Outcome {
	if errors.Is(err, egress.ErrRefused) {
		if p := problem.As(err); p != nil {
			return failed(Permanent, "The mail server may not be reached. %s", p.Detail)
		}
	}
	return failed(result, "%s: %s.", what, egress.Reason(err))
}

func (s *Sender) mailClient(set Mail) (*mail.Client, error) {
	options := []mail.Option{
		mail.WithPort(set.Port), mail.WithTimeout(s.Timeout), mail.WithDialContextFunc(s.Dial), mail.WithoutNoop(),
		mail.WithTLSConfig(&tls.Config{ServerName: set.Host, MinVersion: tls.VersionTLS12}),
	}
	if base, err := url.Parse(s.Base); err == nil && base.Hostname() != "" {
		options = append(options, mail.WithHELO(base.Hostname()))
	}
	switch set.Security {
	case TLS:
		options = append(options, mail.WithSSL())
	case Plain:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if set.Username != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(set.Username), mail.WithPassword(set.Password))
	}
	client, err := mail.NewClient(set.Host, options...)
	return client, err
}

// letter is the e-mail of a message. Its id is that of the delivery, the same in all attempts.
func letter(m Message, set Mail, to string) (*mail.Msg, error) {
	letter := mail.NewMsg()
	if err := errors.Join(letter.FromFormat("Countersign", set.From), letter.To(to)); err != nil {
		return nil, err
	}
	letter.Subject(m.Title())
	_, domain, _ := strings.Cut(set.From, "@")
	letter.SetMessageIDWithValue(m.Delivery.String() + "@" + domain)
	letter.SetDateWithValue(m.At)
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetGenHeader("References", "<"+m.About.ID.String()+"@"+domain+">")
	body := plain(m)
	if page := m.Link(); page != "" {
		body += "\n\n" + page
	}
	letter.SetBodyString(mail.TypeTextPlain, strings.TrimSpace(body)+"\n")
	var html bytes.Buffer
	if err := mailTemplate.Execute(&html, mailView(m)); err != nil {
		return nil, err
	}
	letter.AddAlternativeString(mail.TypeTextHTML, html.String())
	return letter, nil
}

type mailPart struct {
	Title, URL, Color string
	Lines             []string
	Fields            []notice.Field
}

var mailColors = map[notice.Severity]string{
	notice.Info: "#5b6b7b", notice.Good: "#2e9d61", notice.Warning: "#b07c00", notice.Critical: "#d03434",
}

func mailView(m Message) []mailPart {
	var parts []mailPart
	for _, p := range m.parts() {
		part := mailPart{Title: line(p.Facts.Title), URL: link(m.Base, p), Color: mailColors[severityOf(p)]}
		if p.Facts.Text != "" {
			part.Lines = strings.Split(block(p.Facts.Text, maxChatText), "\n")
		}
		for _, f := range p.Facts.Fields {
			part.Fields = append(part.Fields, notice.Field{Label: line(f.Label), Value: line(f.Value)})
		}
		parts = append(parts, part)
	}
	return parts
}

// mailTemplate escapes all values by their context.
var mailTemplate = template.Must(template.New("mail").Parse(`<!doctype html>
<html><body style="font-family:sans-serif;color:#1c2329">
{{- range .}}
<div style="border-left:4px solid {{.Color}};padding:2px 0 2px 12px;margin:0 0 20px">
<p style="font-size:17px;margin:0 0 8px"><b>{{.Title}}</b></p>
{{- if .Lines}}
<p>{{range $i, $l := .Lines}}{{if $i}}<br>{{end}}{{$l}}{{end}}</p>
{{- end}}
{{- range .Fields}}
<p style="margin:2px 0"><span style="color:#5b6b7b">{{.Label}}:</span> {{.Value}}</p>
{{- end}}
{{- if .URL}}
<p><a href="{{.URL}}">Open in Countersign</a></p>
{{- end}}
</div>
{{- end}}
</body></html>
`))
