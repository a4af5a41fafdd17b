package strategy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/smtp"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"countersign/check"
	"countersign/internal/problem"
)

// smtpConfig configures the connection to a mail server.
type smtpConfig struct {
	Host       string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address of the mail server" check:"template,label=Host"`
	Port       int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=25" jsonschema_description:"Port: 25 between servers, 587 for submission, 465 with security tls" check:"label=Port"`
	Security   string `json:"security,omitempty" jsonschema:"enum=starttls,enum=tls,enum=none,default=starttls" jsonschema_description:"starttls: begin in the clear and switch to TLS, which the server has to offer; tls: TLS from the beginning; none" check:"label=Security"`
	ServerName string `json:"serverName,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name that the certificate has to be for; the host when empty" check:"template,label=Server name"`
	CA         string `json:"ca,omitempty" jsonschema:"maxLength=65536" jsonschema_description:"Certificates in PEM to trust instead of the public authorities" check:"editor=text,label=Certificate authority"`
	SkipVerify bool   `json:"skipVerify,omitempty" jsonschema_description:"Take any certificate, as mail servers do among each other. An expired one fails all the same, unless an assertion is about certificateDaysRemaining." check:"label=Take any certificate"`
	Hello      string `json:"hello,omitempty" jsonschema:"maxLength=253" jsonschema_description:"The name in EHLO; countersign.invalid when empty" check:"template,label=Name in EHLO"`
	Username   string `json:"username,omitempty" jsonschema:"maxLength=320" jsonschema_description:"Who logs in; nobody when empty" check:"template,label=User"`
	Password   string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password of the user. It is never sent without TLS." check:"secret,label=Password"`
	CertificateTerm
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *smtpConfig) Check() []problem.Issue {
	if c.Security != "none" {
		return nil
	}
	return c.without("set security")
}

// smtpSessionConfig configures the session. No mail is sent.
type smtpSessionConfig struct {
	From string `json:"from,omitempty" jsonschema:"maxLength=320" jsonschema_description:"Sender to offer with the recipient; the empty sender of a bounce when empty" check:"template,label=Sender"`
	To   string `json:"to,omitempty" jsonschema:"maxLength=320" jsonschema_description:"A recipient that the server has to take. The session ends before there is a message." check:"template,label=Recipient"`
}

// Check implements check.Checker. An address with line breaks would be more than one command.
func (c *smtpSessionConfig) Check() []problem.Issue {
	var issues []problem.Issue
	for _, a := range []struct{ path, address string }{{"from", c.From}, {"to", c.To}} {
		if strings.ContainsFunc(a.address, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("<>,;", r) }) {
			issues = append(issues, problem.Issue{Path: a.path, Message: "must be one mail address, such as ops@example.com"})
		}
	}
	return issues
}

// smtpResult lists the capabilities of a server.
type smtpResult struct {
	Greeting     string   `json:"greeting" jsonschema_description:"How the server greets" check:"label=Greeting"`
	Capabilities []string `json:"capabilities" jsonschema_description:"What the server offers in its answer to EHLO, such as STARTTLS and SIZE" check:"label=Capabilities"`
	MaxSize      *int64   `json:"maxSize,omitempty" jsonschema_description:"The largest message that the server takes, if it says so" check:"unit=bytes,label=Largest message"`
	Encrypted    bool     `json:"encrypted" jsonschema_description:"Whether the session is encrypted" check:"label=Encrypted"`
	TLSVersion   string   `json:"tlsVersion,omitempty" jsonschema_description:"Version of TLS, such as TLS 1.3" check:"label=TLS version"`
	CertificateDays
	Authenticated     bool    `json:"authenticated" jsonschema_description:"Whether the server let the user in" check:"label=Authenticated"`
	RecipientAccepted bool    `json:"recipientAccepted" jsonschema_description:"Whether the server took the recipient" check:"label=Recipient accepted"`
	ConnectTimeMs     float64 `json:"connectTimeMs" jsonschema_description:"Until the connection stood" check:"chart=line,unit=ms,label=Connect time"`
	ResponseTimeMs    float64 `json:"responseTimeMs" jsonschema_description:"From the connection until the session was ready: greeting, TLS and login" check:"chart=line,unit=ms,label=Response time,keep"`
	cutFields
}

// smtpSession is a session with a mail server.
type smtpSession struct {
	client   *smtp.Client
	wire     *wire
	greeting string
	took     time.Duration
	// state is the TLS state, nil without TLS.
	state   *tls.ConnectionState
	trust   trust
	entered bool
}

func smtpStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-smtp.smtp", Name: "SMTP", Category: "Protocols",
			Description: "Opens a session with a mail server: greeting, TLS, login. No mail is sent.",
		},
		openSMTP, (*smtpSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-smtp.session", Name: "SMTP session", Category: "Protocols",
			Description: "What the server offers, for how long its certificate is valid, and whether it takes a recipient.",
		}, smtpCollect),
	)
}

func openSMTP(ctx context.Context, run check.Run, c *smtpConfig) (*smtpSession, error) {
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	s := &smtpSession{wire: w}
	began := time.Now()
	if err := s.begin(ctx, c); err != nil {
		_ = w.Close()
		return nil, err
	}
	s.took = time.Since(began)
	return s, nil
}

// begin greets, switches to TLS and logs in.
func (s *smtpSession) begin(ctx context.Context, c *smtpConfig) error {
	t := trust{name: otherwise(c.ServerName, c.Host), roots: authorities(c.CA), unchecked: c.SkipVerify, least: c.MinDaysUntilExpiry}
	s.trust = t
	heard := &greeting{Conn: s.wire}
	if c.Security == "tls" {
		secured, err := encrypt(ctx, s.wire, t)
		if err != nil {
			return err
		}
		state := secured.ConnectionState()
		heard.Conn, s.state = secured, &state
	}
	var err error
	if s.client, err = smtp.NewClient(heard, s.wire.address); err != nil {
		return s.failure(ctx, "greet", err)
	}
	s.greeting = brief(strings.TrimLeft(string(heard.line), "0123456789 -"))
	if err := s.client.Hello(otherwise(c.Hello, "countersign.invalid")); err != nil {
		return s.failure(ctx, "greet", err)
	}
	if c.Security == "starttls" {
		if err := s.secure(ctx, t); err != nil {
			return err
		}
	}
	if c.Username == "" {
		return nil
	}
	return s.enter(ctx, c)
}

// secure switches a session to TLS.
func (s *smtpSession) secure(ctx context.Context, t trust) error {
	if offered, _ := s.client.Extension("STARTTLS"); !offered {
		return check.Fail(check.BadProtocol, "The mail server at "+s.wire.address+" does not offer STARTTLS.")
	}
	t.asked = &atomic.Bool{}
	if err := s.client.StartTLS(t.config()); err != nil {
		if errors.As(err, new(*tls.CertificateVerificationError)) || alertOf(err) != "" {
			return t.failure(ctx, s.wire.address, time.Now(), err)
		}
		return s.failure(ctx, "set up TLS with", err)
	}
	state, _ := s.client.TLSConnectionState()
	s.state = &state
	return nil
}

// enter logs in with the strongest method that the server offers.
func (s *smtpSession) enter(ctx context.Context, c *smtpConfig) error {
	_, list := s.client.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(list))
	var way smtp.Auth
	switch {
	case s.state != nil && slices.Contains(ways, "PLAIN"):
		way = &plain{c.Username, c.Password}
	case s.state != nil && slices.Contains(ways, "LOGIN"):
		way = &login{c.Username, c.Password}
	case slices.Contains(ways, "CRAM-MD5"):
		way = smtp.CRAMMD5Auth(c.Username, c.Password)
	case s.state == nil:
		return check.Fail(check.NotRunnable, "The password would be sent in the clear. Set security to starttls or tls.")
	default:
		return check.Fail(check.WrongAnswer, "The mail server offers no way to log in that checks know: PLAIN, LOGIN or CRAM-MD5.")
	}
	if err := s.client.Auth(way); err != nil {
		if said, spoke := errors.AsType[*textproto.Error](err); spoke && said.Code >= 500 {
			return check.Fail(check.NotAdmitted, "The mail server did not let the user in: "+strconv.Itoa(said.Code)+" "+brief(said.Msg)+".")
		}
		return s.failure(ctx, "log in to", err)
	}
	s.entered = true
	return nil
}

// plain is SASL PLAIN, for a session that is known to be encrypted.
type plain struct{ user, password string }

// Start implements smtp.Auth.
func (p *plain) Start(*smtp.ServerInfo) (string, []byte, error) {
	return "PLAIN", []byte("\x00" + p.user + "\x00" + p.password), nil
}

// Next implements smtp.Auth.
func (p *plain) Next(_ []byte, more bool) ([]byte, error) {
	if more {
		return nil, errors.New("the server asks on")
	}
	return nil, nil
}

// login is the LOGIN method, the only one of some servers, for a session that is known to be encrypted.
type login struct{ user, password string }

// Start implements smtp.Auth.
func (l *login) Start(*smtp.ServerInfo) (string, []byte, error) { return "LOGIN", nil, nil }

// Next implements smtp.Auth. The server asks for the user first, then for the password.
func (l *login) Next(asked []byte, more bool) ([]byte, error) {
	switch {
	case !more:
		return nil, nil
	case strings.HasPrefix(strings.ToLower(string(asked)), "pass"):
		return []byte(l.password), nil
	default:
		return []byte(l.user), nil
	}
}

// greeting keeps the first line that comes in.
type greeting struct {
	net.Conn

	line []byte
	full bool
}

// Read implements net.Conn.
func (g *greeting) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if !g.full {
		g.line = append(g.line, p[:n]...)
		if end := slices.Index(g.line, '\n'); end >= 0 || len(g.line) > 512 {
			g.line, g.full = g.line[:min(len(g.line), 512)], true
		}
	}
	return n, err
}

func (s *smtpSession) close() {
	_ = s.client.Quit() // what a server says to that is of no matter
	_ = s.wire.Close()
}

// extensions are common SMTP extensions.
var extensions = []string{
	"8BITMIME", "AUTH", "BINARYMIME", "BURL", "CHECKPOINT", "CHUNKING", "DELIVERBY", "DSN", "ENHANCEDSTATUSCODES", "ETRN", "EXPN",
	"FUTURERELEASE", "HELP", "LIMITS", "MT-PRIORITY", "MTRK", "PIPELINING", "REQUIRETLS", "RRVS", "SIZE", "SMTPUTF8", "STARTTLS", "VRFY",
}

func smtpCollect(ctx context.Context, run check.Run, s *smtpSession, c *smtpSessionConfig) (*smtpResult, error) {
	r := &smtpResult{
		Capabilities: []string{}, Authenticated: s.entered,
		ConnectTimeMs: milliseconds(s.wire.took), ResponseTimeMs: milliseconds(s.took),
	}
	r.Greeting = r.clip("greeting", s.greeting, 512)
	for _, name := range extensions {
		offered, rest := s.client.Extension(name)
		if !offered {
			continue
		}
		r.Capabilities = append(r.Capabilities, strings.TrimSpace(name+" "+r.clip("capabilities", rest, 200)))
		if size, err := strconv.ParseInt(rest, 10, 64); name == "SIZE" && err == nil {
			r.MaxSize = &size
		}
	}
	if s.state != nil {
		l := s.trust.lifetime(s.wire.address, s.state.PeerCertificates, run.Now())
		r.Encrypted, r.TLSVersion, r.CertificateDays = true, tls.VersionName(s.state.Version), l.days
		if err := l.failure(run); err != nil {
			return r, err
		}
	}
	if c.To == "" {
		return r, nil
	}
	err := s.client.Mail(c.From)
	if err == nil {
		err = s.client.Rcpt(c.To)
	}
	if err != nil {
		return r, s.failure(ctx, "offer a recipient to", err)
	}
	r.RecipientAccepted = true
	if err := s.client.Reset(); err != nil {
		return r, s.failure(ctx, "end the session with", err)
	}
	return r, nil
}

// failure explains a failed step of a session.
func (s *smtpSession) failure(ctx context.Context, doing string, err error) error {
	head := s.wire.began()
	said, spoke := errors.AsType[*textproto.Error](err)
	switch {
	case ctx.Err() != nil:
		return check.Classify(ctx, doing+" "+s.wire.address, ctx.Err())
	case s.wire.full():
		return check.Classify(ctx, doing+" "+s.wire.address, check.ErrTooMuch)
	case len(head) > 0 && head[0] != 0x16 && head[0] != 0x15 && (head[0] < '2' || head[0] > '5'):
		return misspoken(s.wire.address, "SMTP")
	case spoke:
		return check.Fail(check.WrongAnswer, "The mail server answered "+strconv.Itoa(said.Code)+" "+brief(said.Msg)+".")
	case errors.As(err, new(textproto.ProtocolError)):
		return misspoken(s.wire.address, "SMTP")
	default:
		return check.Classify(ctx, doing+" "+s.wire.address, err)
	}
}

// Sends implements check.Sender.
func (c *smtpConfig) Sends() check.Sending {
	line := "It begins an SMTP session with " + hostPort(c.Host, otherwise(c.Port, 25)) + " as " + otherwise(c.Hello, "countersign.invalid")
	if c.Username != "" {
		line += " and logs in as " + c.Username + " with the password " + otherwise(c.Password, "(empty)")
	}
	return check.Sending{Lines: []string{line + "."}}
}

// Sends implements check.Sender.
func (c *smtpSessionConfig) Sends() check.Sending {
	if c.To == "" {
		return check.Sending{}
	}
	return check.Sending{Lines: []string{"It offers mail from <" + c.From + "> to <" + c.To +
		">, and ends the session before there is a message."}}
}
