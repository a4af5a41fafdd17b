package strategy_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/check/strategy/servertest"
	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
)

// meeting is how a strategy meets the servers of package servertest.
type meeting struct {
	// at is the probe of a server.
	at func(host string, port int) probe
	// causes are those that differ; check.None for a server that passes.
	causes map[string][]check.Cause
	// packets are what it speaks, and not connections.
	packets bool
	// http reports that it is a client of HTTP.
	http bool
}

// strategies are all strategies. One without a server of its own has none here.
var strategies = map[string]*meeting{
	"tls":      over("tls", "certificate", nil, nil),
	"grpc":     over("grpc", "health", nil, nil),
	"smtp":     over("smtp", "session", nil, nil),
	"redis":    over("redis", "command", nil, nil),
	"postgres": over("postgres", "query", object{"database": "a", "user": "a"}, nil),
	"mysql":    over("mysql", "query", object{"user": "a"}, nil),
	"ssh": over("ssh", "command", object{
		"username": "a", "password": "${{ secrets.PASSWORD }}", "hostKey": "SHA256:" + strings.Repeat("A", 43),
	}, object{"command": "true"}).but("garbage", check.BadProtocol, check.TimedOut), // lines before that of the version are allowed
	"mqtt":    over("mqtt", "connection", nil, nil),
	"mongodb": over("mongodb", "command", nil, nil),
	"docker": {
		http:   true,
		at:     func(host string, port int) probe { return docker(port, "shop").with(object{"host": host}) },
		causes: map[string][]check.Cause{"speaks HTTP": {check.WrongAnswer, check.BadProtocol, check.Broken}},
	},
	"prometheus": {
		http:   true,
		at:     func(host string, port int) probe { return prometheus(urlOf("http", host, port), "up") },
		causes: map[string][]check.Cause{"speaks HTTP": {check.WrongAnswer, check.BadProtocol, check.Broken}},
	},
	"domain": {
		http: true,
		at: func(host string, port int) probe {
			return domain("", "shop.com").with(object{"server": urlOf("http", host, port)})
		},
		causes: map[string][]check.Cause{"speaks HTTP": {check.WrongAnswer, check.BadProtocol, check.Broken}},
	},
	"http": {
		http: true,
		at:   func(host string, port int) probe { return asks(urlOf("http", host, port)) },
		// The transport hangs up on a server that speaks before the request, if it notices in time.
		causes: map[string][]check.Cause{"speaks HTTP": {check.None, check.Broken}, "garbage": {check.BadProtocol, check.Broken}},
	},
	"websocket": {
		http: true,
		at: func(host string, port int) probe {
			return probe{
				strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange",
				config: object{"url": urlOf("ws", host, port)},
			}
		},
		causes: map[string][]check.Cause{
			"speaks HTTP": {check.WrongAnswer, check.BadProtocol, check.Broken}, "garbage": {check.BadProtocol, check.Broken},
			// An answer that does not agree to speak WebSocket is enough.
			"body trickles": {check.BadProtocol}, "body breaks off": {check.BadProtocol}, "chunks break off": {check.BadProtocol},
		},
	},
	// A port that takes connections is what this one is about, whatever its server says.
	"tcp": {at: over("tcp", "connection", nil, nil).at, causes: map[string][]check.Cause{
		"silent": {
			check.None,
		},
		"closes at once":     {check.None},
		"resets":             {check.None, check.Broken},
		"garbage":            {check.None},
		"echoes":             {check.None},
		"speaks HTTP":        {check.None},
		"sends without end":  {check.None},
		"greets without end": {check.None},
		"slow":               {check.None},
	}},
	"dns": {packets: true, at: func(host string, port int) probe {
		return probe{
			strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", about: object{"hostname": "shop.test"},
			config: object{"nameserver": fmt.Sprintf("%s:%d", host, port)},
		}
	}, causes: map[string][]check.Cause{"garbage": {check.TimedOut, check.BadProtocol}}},
	"snmp": {packets: true, at: func(host string, port int) probe {
		return snmp(port, "1.3.6.1.2.1.1.3.0").with(object{"host": host})
	}, causes: map[string][]check.Cause{"garbage": {check.TimedOut, check.BadProtocol}}},
	"ping":      nil, // the kernel answers: see TestPing
	"heartbeat": nil, // jobs call it
	"script":    nil, // its author speaks to servers: see TestAScriptThatMisbehaves
}

func urlOf(scheme, host string, port int) string {
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(port))
}

// over is a meeting over TCP of a strategy with host and port.
func over(kind, collector string, config, about object) *meeting {
	return &meeting{at: func(host string, port int) probe {
		return probe{
			strategy: "healthcheck-" + kind + "." + kind, collector: "healthcheck-" + kind + "." + collector,
			config: config, about: about,
		}.with(object{"host": host, "port": port})
	}}
}

// but is the meeting with other causes for one server.
func (m *meeting) but(name string, causes ...check.Cause) *meeting {
	m.causes = map[string][]check.Cause{name: causes}
	return m
}

// meets checks what a strategy says of misbehaving servers.
func (m *meeting) meets(t *testing.T) {
	t.Helper()
	for name, server := range servertest.Servers {
		if m.packets && server.Answers == nil || server.HTTP && !m.http {
			continue
		}
		causes := server.Causes
		if own, ok := m.causes[name]; ok {
			causes = own
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			var at int
			if m.packets {
				at = agent(t, server.Answers)
			} else {
				at = server.Start(t)
			}
			outcome, report := m.at("known.test", at).with(object{"timeout": 700}).run(t, nil)
			require.Contains(t, causes, outcome.Cause, report.Message)
			require.Less(t, time.Since(began), 30*time.Second)
			if outcome.Cause == check.None {
				require.Equal(t, check.Passed, outcome.Verdict)
				return
			}
			require.Equal(t, check.Failed, outcome.Verdict, report.Message)
			require.Regexp(t, `^[A-Z0-9].*[.?]$`, report.Message)
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		m.at("known.test", porttest.Closed(t)).fails(t, check.Refused, "")
	})
	t.Run("internationalized name", func(t *testing.T) {
		t.Parallel()
		m.at("münchen.test", porttest.Closed(t)).fails(t, check.Refused, "nchen") // in the form of its config, or of its URL
	})
	t.Run("name not found", func(t *testing.T) {
		t.Parallel()
		m.at("missing.test", 4711).fails(t, check.NameNotFound, "the name missing.test does not exist")
	})
	t.Run("not allowed", func(t *testing.T) {
		t.Parallel()
		strict := egress.NewChecks(egress.ChecksOptions{Resolver: names{}})
		p := m.at("known.test", 4711)
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
	expired := certificate("known.test", -time.Hour)
	expired.fails(t, check.BadCertificate, " expired on ")
	expired.with(object{"skipVerify": true}).fails(t, check.BadCertificate, " expired on ")
	expired.with(object{"skipVerify": true}).asserting("certificateDaysRemaining", "", "greaterThan", "-30").passes(t, nil)
	other := certificate("elsewhere.test", time.Hour)
	other.fails(t, check.BadCertificate, "is not for known.test but for elsewhere.test")
	other.with(object{"serverName": "elsewhere.test"}).passes(t, nil)
}

// Each strategy meets the same servers; a new one has to say how.
func TestStrategiesMeetServersThatMisbehave(t *testing.T) {
	t.Parallel()
	for _, s := range strategy.All() {
		name := s.ID[strings.LastIndexByte(s.ID, '.')+1:]
		m, known := strategies[name]
		require.True(t, known, s.ID)
		if m == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m.meets(t)
		})
	}
}

// A script that does not end, or answers with what is no result, is the failure of the script.
func TestAScriptThatMisbehaves(t *testing.T) {
	t.Parallel()
	endless := inSandbox(nil, "inline-script", object{"script": "export default () => { for (;;); }"}).with(object{"timeout": 300})
	endless.host = &check.Host{Scripts: endlessScripts{}, Now: time.Now}
	endless.fails(t, check.TimedOut, "")
	for name, result := range map[string]string{"no JSON": "{", "a list": "[1]", "another type": `{"success": "yes"}`} {
		outcome, report := inSandbox(&sandboxed{out: check.ScriptOutput{Result: json.RawMessage(result)}}, "inline-script",
			object{"script": "export default () => ({})"}).run(t, nil)
		require.NotEqual(t, check.Passed, outcome.Verdict, name)
		require.Regexp(t, `^[A-Z0-9].*[.?]$`, report.Message, name)
	}
}

// endlessScripts are scripts that end with their context.
type endlessScripts struct{}

// Run implements check.Scripts.
func (endlessScripts) Run(ctx context.Context, _ check.ScriptInput) (check.ScriptOutput, error) {
	<-ctx.Done()
	return check.ScriptOutput{}, ctx.Err()
}
