package strategy_test

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
)

// misbehaving are servers over TCP that do what no protocol foresees.
var misbehaving = map[string]struct {
	does   func(net.Conn)
	causes []check.Cause
}{
	"silent":         {func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }, []check.Cause{check.TimedOut}},
	"closes at once": {func(net.Conn) {}, []check.Cause{check.Broken}},
	"resets": {func(conn net.Conn) {
		tcp, _ := conn.(*net.TCPConn)
		_ = tcp.SetLinger(0)
	}, []check.Cause{check.Broken}},
	"garbage": {func(conn net.Conn) {
		_, _ = io.WriteString(conn, strings.Repeat("\xf7\x01garbage\r\n", 20))
		_, _ = io.Copy(io.Discard, conn)
	}, []check.Cause{check.BadProtocol}},
	"sends without end": {func(conn net.Conn) {
		for {
			if _, err := io.WriteString(conn, strings.Repeat("HTTP/1.1 ", 512)); err != nil {
				return
			}
		}
	}, []check.Cause{check.BadProtocol, check.WrongAnswer, check.TimedOut, check.Broken}},
	"slow": {func(conn net.Conn) {
		for range time.Tick(20 * time.Millisecond) {
			if _, err := conn.Write([]byte{0x20}); err != nil {
				return
			}
		}
	}, []check.Cause{check.TimedOut, check.BadProtocol, check.Broken}},
}

// misbehaves checks what a strategy says of misbehaving servers. at is the probe with the address of a server.
func misbehaves(t *testing.T, at func(host string, port int) probe) {
	t.Helper()
	for name, server := range misbehaving {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			outcome, report := at("known.test", serve(t, server.does)).with(object{"timeout": 700}).run(t, nil)
			require.Equal(t, check.Failed, outcome.Verdict, report.Message)
			require.Contains(t, server.causes, outcome.Cause, report.Message)
			require.Regexp(t, `^[A-Z0-9].*[.?]$`, report.Message)
			require.Less(t, time.Since(began), 30*time.Second)
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		at("known.test", porttest.Closed(t)).fails(t, check.Refused, "the connection was refused")
	})
	t.Run("name not found", func(t *testing.T) {
		t.Parallel()
		at("missing.test", 4711).fails(t, check.NameNotFound, "the name missing.test does not exist")
	})
	t.Run("not allowed", func(t *testing.T) {
		t.Parallel()
		strict := egress.NewChecks(egress.ChecksOptions{Resolver: names{}})
		p := at("known.test", 4711)
		p.host = &check.Host{Dial: strict.Dial, Addresses: strict.Addresses, Now: time.Now}
		p.fails(t, check.EgressRefused, "may not reach")
	})
}

// wrongCertificates checks what a strategy says of certificates. secured is a probe of a server with that certificate.
func wrongCertificates(t *testing.T, ca *authority, secured func(t *testing.T, c tls.Certificate) probe) {
	t.Helper()
	certificate := func(name string, valid time.Duration) probe {
		return secured(t, ca.issue(t, name, valid)).with(object{"ca": ca.pem})
	}
	good := certificate("known.test", 100*time.Hour)
	good.passes(t, nil)
	good.with(object{"minDaysUntilExpiry": 7}).fails(t, check.BadCertificate, " expires in 4 days; this check requires 7.")
	good.with(object{"ca": nil}).fails(t, check.BadCertificate, "authority that is not known")
	good.with(object{"ca": nil, "skipVerify": true}).passes(t, nil)
	certificate("known.test", -time.Hour).fails(t, check.BadCertificate, " expired on ")
	other := certificate("elsewhere.test", time.Hour)
	other.fails(t, check.BadCertificate, "is not for known.test but for elsewhere.test")
	other.with(object{"serverName": "elsewhere.test"}).passes(t, nil)
}

// Each strategy over TCP meets the same servers.
func TestStrategiesMeetServersThatMisbehave(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]probe{
		"tls":   {strategy: "healthcheck-tls.tls", collector: "healthcheck-tls.certificate"},
		"grpc":  {strategy: "healthcheck-grpc.grpc", collector: "healthcheck-grpc.health"},
		"smtp":  {strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session"},
		"redis": {strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command"},
		"postgres": {
			strategy: "healthcheck-postgres.postgres", collector: "healthcheck-postgres.query", config: object{"database": "a", "user": "a"},
		},
		"mysql": {strategy: "healthcheck-mysql.mysql", collector: "healthcheck-mysql.query", config: object{"user": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			misbehaves(t, func(host string, port int) probe { return p.with(object{"host": host, "port": port}) })
		})
	}
}
