package strategy_test

import (
	"context"
	"crypto/tls"
	"io"
	"maps"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
)

func TestTCPConnection(t *testing.T) {
	t.Parallel()
	p := probe{
		strategy:  "healthcheck-tcp.tcp",
		collector: "healthcheck-tcp.connection",
		config:    object{"host": "known.test", "port": serve(t, func(net.Conn) {})},
	}
	var found struct {
		ConnectTimeMs float64
		Success       bool
	}
	p.passes(t, &found)
	require.True(t, found.Success)
	require.Positive(t, found.ConnectTimeMs)
}

func TestTCPTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, collector := range []string{"healthcheck-tcp.connection", "healthcheck-tcp.banner"} {
		p := probe{strategy: "healthcheck-tcp.tcp", collector: collector, config: object{"host": "known.test"}}
		p.with(object{"port": porttest.Closed(t)}).fails(t, check.Refused, "the connection was refused.")
		p.with(
			object{"host": "missing.test", "port": 25},
		).fails(
			t,
			check.NameNotFound,
			"Could not connect to missing.test:25: the name missing.test does not exist.",
		)
		p.with(
			object{"host": "169.254.169.254", "port": 80},
		).fails(
			t,
			check.EgressRefused,
			"Could not connect to 169.254.169.254:80: checks may not reach that address.",
		)
		p.host = hanging()
		p.with(object{"port": 25, "timeout": 200}).fails(t, check.TimedOut, "Could not connect to known.test:25: it took too long.")
	}
	p := probe{strategy: "healthcheck-tcp.tcp", collector: "healthcheck-tcp.banner", config: object{"host": "known.test"}}
	p.with(object{"port": serve(t, func(net.Conn) {})}).fails(t, check.Broken, "was closed without a word.")
}

func TestTCPBanner(t *testing.T) {
	t.Parallel()
	p := probe{
		strategy:  "healthcheck-tcp.tcp",
		collector: "healthcheck-tcp.banner",
		config:    object{"host": "known.test"},
		about:     object{"timeout": 10_000},
	}
	type banner struct {
		Banner                    string
		HasBanner                 bool
		ReadTimeMs, ConnectTimeMs float64
	}
	until := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) } // the check goes
	for name, c := range map[string]struct {
		does  func(net.Conn)
		about object
		want  string
	}{
		"a line": {func(conn net.Conn) { _, _ = io.WriteString(conn, "220 mail.known.test\r\nmore"); until(conn) }, nil, "220 mail.known.test\r\nmore"},
		"in pieces": {func(conn net.Conn) {
			_, _ = io.WriteString(conn, "SSH-")
			_, _ = io.WriteString(conn, "2.0\r\n")
			until(conn)
		}, nil, "SSH-2.0"},
		"without end": {func(conn net.Conn) { _, _ = io.WriteString(conn, "ready>"); until(conn) }, nil, "ready>"},
		"then closes": {func(conn net.Conn) { _, _ = io.WriteString(conn, "bye") }, nil, "bye"},
		"nothing":     {until, object{"timeout": 200}, ""},
		"when asked": {func(conn net.Conn) {
			b := make([]byte, 4)
			_, _ = io.ReadFull(conn, b)
			_, _ = conn.Write(append(b, '\n'))
			until(conn)
		}, object{"send": "PING"}, "PING"},
		"not text": {func(conn net.Conn) { _, _ = conn.Write([]byte{0xff, 0, 'x', '\n'}); until(conn) }, nil, "\ufffdx"},
		"without limit": {func(conn net.Conn) {
			for {
				if _, err := conn.Write(make([]byte, 1024)); err != nil {
					return
				}
			}
		}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found banner
			about := object{"timeout": 10_000}
			maps.Copy(about, c.about)
			p.with(object{"port": serve(t, c.does)}).asking(about).passes(t, &found)
			if name == "without limit" {
				require.True(t, found.HasBanner)
				return
			}
			require.Contains(t, []string{c.want, "220 mail.known.test"}, found.Banner)
			require.Equal(t, c.want != "", found.HasBanner)
			require.Positive(t, found.ConnectTimeMs)
		})
	}
}

type certificateFound struct {
	Subject, Issuer, ValidFrom, ValidTo, Protocol, Fingerprint string
	DaysRemaining, ChainDaysRemaining, ChainLength             int
	Valid, SelfSigned                                          bool
	Problems, Names                                            []string
}

// shows serves TLS with a certificate, and nothing behind it.
func shows(t *testing.T, c tls.Certificate) int {
	return serve(t, func(conn net.Conn) {
		_ = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}).Handshake()
		_, _ = io.Copy(io.Discard, conn)
	})
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	ca, other := newAuthority(t), newAuthority(t)
	const day = 24 * time.Hour
	p := probe{strategy: "healthcheck-tls.tls", collector: "healthcheck-tls.certificate", config: object{"host": "known.test", "ca": ca.pem}}
	own := tls.Certificate{Certificate: [][]byte{ca.certificate.Raw}, PrivateKey: ca.key}
	for name, c := range map[string]struct {
		certificate tls.Certificate
		config      object
		says        string // after the address
		problems    []string
		days        int
	}{
		"valid":             {ca.issue(t, "known.test", 60*day+time.Hour), nil, "", []string{}, 60},
		"valid as asked":    {ca.issue(t, "elsewhere.test", 60*day+time.Hour), object{"servername": "elsewhere.test"}, "", []string{}, 60},
		"expires soon":      {ca.issue(t, "known.test", 5*day+time.Hour), nil, " expires in 5 days; this check requires 30.", []string{}, 5},
		"expires tomorrow":  {ca.issue(t, "known.test", day+time.Hour), nil, " expires in 1 day; this check requires 30.", []string{}, 1},
		"soon is enough":    {ca.issue(t, "known.test", 5*day+time.Hour), object{"minDaysUntilExpiry": 0}, "", []string{}, 5},
		"expired":           {ca.issue(t, "known.test", -time.Hour), nil, " expired on ", []string{"expired"}, -1},
		"other name":        {ca.issue(t, "elsewhere.test", 60*day+time.Hour), nil, " is not for known.test but for elsewhere.test.", []string{"other name"}, 60},
		"unknown authority": {other.issue(t, "known.test", 60*day+time.Hour), nil, " is signed by an authority that is not known: CN=Test authority; ", []string{"unknown authority"}, 60},
		"no authority":      {ca.issue(t, "known.test", 60*day+time.Hour), object{"ca": nil}, " is signed by an authority that is not known: CN=Test authority; ", []string{"unknown authority"}, 60},
		"self-signed":       {own, object{"ca": nil, "minDaysUntilExpiry": 0}, " is not for known.test: it names no host.", []string{"other name", "self-signed"}, 9},
		"all at once":       {other.issue(t, "elsewhere.test", -time.Hour), nil, " expired on ", []string{"expired", "other name", "unknown authority"}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := p.with(object{"port": shows(t, c.certificate)}).with(c.config)
			if c.says == "" {
				p.passes(t, nil)
			} else {
				p.fails(t, check.BadCertificate, c.says)
			}
			var found certificateFound
			_, report := p.run(t, &found)
			require.Equal(t, c.problems, found.Problems, report.Message)
			require.Equal(t, len(c.problems) == 0, found.Valid)
			require.Equal(t, c.days, found.DaysRemaining)
			require.Equal(t, name == "self-signed", found.SelfSigned)
			require.Equal(t, 1, found.ChainLength)
			require.Equal(t, "TLS 1.3", found.Protocol)
			require.Len(t, found.Fingerprint, 64)
			// Defects are a result for assertions. An expired certificate fails unless an assertion is about that.
			if len(c.problems) > 0 {
				p := p.with(object{"rejectUnauthorized": false})
				if c.days < 0 {
					p.fails(t, check.BadCertificate, " expired on ")
					p = p.asserting("valid", "", "isFalse", "")
				}
				p.passes(t, &found)
				require.False(t, found.Valid)
			}
		})
	}
}

func TestCertificatesTellWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := probe{strategy: "healthcheck-tls.tls", collector: "healthcheck-tls.certificate", config: object{"host": "known.test"}}
	p.with(object{"port": porttest.Closed(t)}).fails(t, check.Refused, "the connection was refused.")
	p.with(
		object{"host": "missing.test"},
	).fails(
		t,
		check.NameNotFound,
		"Could not connect to missing.test:443: the name missing.test does not exist.",
	)
	p.with(object{"host": "metadata"}).fails(t, check.EgressRefused, "checks may not reach that address.")
	p.with(object{"port": reply(t, "", true), "timeout": 1500}).fails(t, check.TimedOut, "Could not set up TLS with known.test:")
	p.with(object{"port": reply(t, "220 mail\r\n", false)}).fails(t, check.BadProtocol, "the server does not speak TLS there.")
	p.with(object{"port": reply(t, "", false)}).fails(t, check.Broken, "the connection was interrupted; the server may not speak TLS there.")
	old := serve(t, func(conn net.Conn) {
		_ = tls.Server(
			conn,
			&tls.Config{
				Certificates: []tls.Certificate{newAuthority(t).issue(t, "known.test", time.Hour)},
				MinVersion:   tls.VersionTLS12,
				CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256},
				MaxVersion:   tls.VersionTLS12,
			},
		).Handshake()
	})
	p.with(object{"port": old}).fails(t, check.BadProtocol, "breaks off TLS")
	// A server that asks for a certificate of ours has shown its own.
	ca := newAuthority(t)
	asking := serve(t, func(conn net.Conn) {
		_ = tls.Server(
			conn,
			&tls.Config{
				Certificates: []tls.Certificate{ca.issue(t, "known.test", 900*time.Hour)},
				MinVersion:   tls.VersionTLS12,
				ClientAuth:   tls.RequireAnyClientCert,
				MaxVersion:   tls.VersionTLS12,
			},
		).Handshake()
	})
	p.with(object{"port": asking, "ca": ca.pem}).passes(t, nil)
}

// lost is a resolver that fails.
type lost struct{ err *net.DNSError }

func (l lost) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return nil, l.err }

// A name that cannot be looked up is told from one that does not exist, and the name server's address is told to nobody.
func TestAFailedLookupIsNoMissingName(t *testing.T) {
	t.Parallel()
	p := probe{strategy: "healthcheck-tcp.tcp", collector: "healthcheck-tcp.connection", config: object{"host": "known.test", "port": 25}}
	for _, c := range []struct {
		err   net.DNSError
		cause check.Cause
		says  string
	}{
		{net.DNSError{Err: "no such host", Name: "known.test", Server: "10.3.4.5:53", IsNotFound: true}, check.NameNotFound, "Could not connect to known.test:25: the name known.test does not exist."},
		{net.DNSError{Err: "server misbehaving", Name: "known.test", Server: "10.3.4.5:53", IsTemporary: true}, check.Unreachable, "Could not connect to known.test:25: the name known.test could not be looked up."},
		{net.DNSError{Err: "i/o timeout", Name: "known.test", Server: "10.3.4.5:53", IsTimeout: true}, check.TimedOut, "Could not connect to known.test:25: looking up the name known.test took too long."},
	} {
		guard := egress.NewChecks(egress.ChecksOptions{Resolver: lost{&c.err}})
		p.host = &check.Host{Dial: guard.Dial, Addresses: guard.Addresses, Now: time.Now}
		p.fails(t, c.cause, c.says)
		_, report := p.run(t, nil)
		require.NotContains(t, report.Message, "10.3.4.5")
	}
}
