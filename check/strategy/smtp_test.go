package strategy_test

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"countersign/check"
)

// mailbox is a mail server's view of one session. It knows one user and one recipient.
type mailbox struct{ ways []string }

func (mailbox) Reset()                               {}
func (mailbox) Logout() error                        { return nil }
func (mailbox) Mail(string, *smtp.MailOptions) error { return nil }
func (mailbox) Data(io.Reader) error                 { return smtp.ErrServerClosed }
func (m mailbox) AuthMechanisms() []string           { return m.ways }

func (mailbox) Rcpt(to string, _ *smtp.RcptOptions) error {
	if to == "ops@example.com" {
		return nil
	}
	return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such user here"}
}

func (mailbox) Auth(way string) (sasl.Server, error) {
	admit := func(user, given string) error {
		if user == "watcher" && given == password {
			return nil
		}
		return smtp.ErrAuthFailed
	}
	if way == sasl.Login {
		return &loginServer{admit: admit}, nil
	}
	return sasl.NewPlainServer(func(_, user, given string) error { return admit(user, given) }), nil
}

// loginServer is the server's side of LOGIN.
type loginServer struct {
	admit func(user, password string) error
	step  int
	user  string
}

func (l *loginServer) Next(said []byte) ([]byte, bool, error) {
	l.step++
	switch l.step {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(said)
		return []byte("Password:"), false, nil
	default:
		return nil, true, l.admit(l.user, string(said))
	}
}

// mailServer serves mail; with TLS from the beginning if direct is set.
func mailServer(t testing.TB, certificate *tls.Certificate, direct bool, ways ...string) int {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return mailbox{ways}, nil }))
	server.Domain, server.MaxMessageBytes, server.AllowInsecureAuth = "mail.known.test", 1<<20, true
	listener := listen(t)
	at := port(listener.Addr())
	if certificate != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
		if direct {
			listener = tls.NewListener(listener, server.TLSConfig)
		}
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return at
}

func TestSMTP(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	certificate := ca.issue(t, "known.test", 49*60*60*1e9)
	p := probe{
		strategy:  "healthcheck-smtp.smtp",
		collector: "healthcheck-smtp.session",
		config:    object{"host": "known.test", "security": "none", "port": mailServer(t, nil, false)},
	}
	unreachable(t, p, "SMTP")
	certificates(t, p.with(object{"security": "starttls"}), ca, func(t *testing.T, c tls.Certificate) int { return mailServer(t, &c, false) })
	certificates(t, p.with(object{"security": "tls"}), ca, func(t *testing.T, c tls.Certificate) int { return mailServer(t, &c, true) })

	var found struct {
		Greeting                      string
		Capabilities                  []string
		MaxSize                       *int64
		Encrypted, RecipientAccepted  bool
		Authenticated                 bool
		TLSVersion                    string
		CertificateDaysRemaining      *int
		ConnectTimeMs, ResponseTimeMs float64
	}
	p.passes(t, &found)
	require.Contains(t, found.Greeting, "mail.known.test")
	require.Contains(t, found.Capabilities, "PIPELINING")
	require.EqualValues(t, 1<<20, *found.MaxSize)
	require.False(t, found.Encrypted)
	require.Nil(t, found.CertificateDaysRemaining)
	require.Positive(t, found.ResponseTimeMs)

	secured := p.with(object{"security": "starttls", "ca": ca.pem, "port": mailServer(t, &certificate, false)})
	secured.passes(t, &found)
	require.True(t, found.Encrypted)
	require.Equal(t, "TLS 1.3", found.TLSVersion)
	require.Equal(t, 2, *found.CertificateDaysRemaining)
	require.False(t, found.Authenticated)

	secured.asking(object{"to": "ops@example.com"}).passes(t, &found)
	require.True(t, found.RecipientAccepted)
	secured.asking(object{"to": "nobody@example.com"}).fails(t, check.WrongAnswer, "550 5.1.1 No such user here")
	p.with(object{"security": "starttls"}).fails(t, check.BadProtocol, "does not offer STARTTLS")
	p.with(object{"security": "tls"}).fails(t, check.BadProtocol, "does not speak TLS")
	p.with(object{"port": serve(t, func(conn net.Conn) { _, _ = conn.Write([]byte("421 Too busy, come back later\r\n")) })}).
		fails(t, check.WrongAnswer, "421 Too busy")
}

func TestSMTPLogin(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	certificate := ca.issue(t, "known.test", 1e13)
	p := probe{
		strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session",
		config: object{"host": "known.test", "ca": ca.pem, "username": "watcher", "password": "${{ secrets.PASSWORD }}"},
	}
	for _, direct := range []bool{false, true} {
		for _, way := range []string{sasl.Plain, sasl.Login} {
			in := p.with(
				object{"port": mailServer(t, &certificate, direct, way), "security": map[bool]string{false: "starttls", true: "tls"}[direct]},
			)
			var found struct{ Authenticated bool }
			in.passes(t, &found)
			require.True(t, found.Authenticated, way)
			in.with(object{"username": "somebody"}).fails(t, check.NotAdmitted, "did not let the user in: 535")
			in.secrets = map[string]string{"PASSWORD": "another-password"}
			in.fails(t, check.NotAdmitted, "did not let the user in: 535")
		}
	}
	p.with(object{"port": mailServer(t, &certificate, false, "NTLM")}).fails(t, check.WrongAnswer, "offers no way to log in")
}

// TestSMTPKeepsThePassword has a server that takes passwords in the clear: it gets none.
func TestSMTPKeepsThePassword(t *testing.T) {
	t.Parallel()
	heard := make(chan string, 100)
	at := serve(t, func(conn net.Conn) {
		_, _ = conn.Write([]byte("220 mail\r\n"))
		said := make([]byte, 1024)
		for {
			n, err := conn.Read(said)
			if err != nil {
				return
			}
			heard <- string(said[:n])
			_, _ = conn.Write([]byte("250-mail\r\n250 AUTH PLAIN LOGIN\r\n"))
		}
	})
	p := probe{
		strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session",
		config: object{"host": "known.test", "port": at, "security": "none", "username": "watcher", "password": "${{ secrets.PASSWORD }}"},
	}
	p.fails(t, check.NotRunnable, "would be sent in the clear")
	for len(heard) > 0 {
		require.False(t, strings.HasPrefix(<-heard, "AUTH"))
	}
}
