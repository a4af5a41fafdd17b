package strategy_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	mqtt "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
)

// broker is a broker that keeps a message of the topic plant/boiler, and admits watcher alone when closed.
func broker(t testing.TB, certificate *tls.Certificate, closed bool) int {
	server := mqtt.New(&mqtt.Options{Logger: slog.New(slog.DiscardHandler), InlineClient: true})
	if closed {
		ledger := &auth.Ledger{
			Auth: auth.AuthRules{{Username: "watcher", Password: password, Allow: true}},
			ACL:  auth.ACLRules{{Username: "watcher", Filters: auth.Filters{"plant/#": auth.ReadWrite, "secret/#": auth.Deny}}},
		}
		require.NoError(t, server.AddHook(new(auth.Hook), &auth.Options{Ledger: ledger}))
	} else {
		require.NoError(t, server.AddHook(new(auth.AllowHook), nil))
	}
	listener := listen(t)
	at := port(listener.Addr())
	if certificate != nil {
		listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12})
	}
	require.NoError(t, server.AddListener(listeners.NewNet("test", listener)))
	require.NoError(t, server.Serve())
	t.Cleanup(func() { _ = server.Close() })
	require.NoError(t, server.Publish("plant/boiler", []byte(`{"temperature":71.5}`), true, 0))
	return at
}

func mqttTo(port int, about object) probe {
	p := probe{
		strategy:  "healthcheck-mqtt.mqtt",
		collector: "healthcheck-mqtt.message",
		config:    object{"host": "known.test", "port": port},
		about:     about,
	}
	if about == nil {
		p.collector = "healthcheck-mqtt.connection"
	}
	return p
}

func TestMQTTMessages(t *testing.T) {
	t.Parallel()
	at := broker(t, nil, false)
	mqttTo(at, nil).passes(t, nil)
	var found struct {
		Success, Retained             bool
		Message, Topic                string
		Messages                      int
		ConnectTimeMs, ResponseTimeMs float64
	}
	mqttTo(at, object{"topic": "plant/+"}).asserting("message", "$.temperature", "lessThan", "80").passes(t, &found)
	require.True(t, found.Retained)
	require.Equal(t, "plant/boiler", found.Topic)
	require.Positive(t, found.ResponseTimeMs)
	for _, qos := range []int{0, 1} {
		mqttTo(at, object{"topic": "round/trip", "publish": "it is me", "qos": qos}).passes(t, &found)
		require.Equal(t, "it is me", found.Message)
		require.False(t, found.Retained)
	}
	mqttTo(at, object{"topic": "plant/#", "publish": "on", "publishTopic": "plant/pump"}).passes(t, &found)
	require.Equal(t, 2, found.Messages, "the retained one is passed over, as it is not the one that was published")
	mqttTo(at, object{"topic": "plant/#", "expectPattern": `"temperature":7\d`}).passes(t, nil)
	hurried := mqttTo(at, object{"topic": "plant/boiler", "ignoreRetained": true}).with(object{"timeout": 300})
	hurried.fails(t, check.WrongAnswer, "The expected message did not come in time; others did.")
	hurried.about = object{"topic": "nobody/speaks"}
	hurried.fails(t, check.TimedOut, "accepted the connection, but no message of the topic came in time")
}

func TestMQTTLetsInWhoHasThePassword(t *testing.T) {
	t.Parallel()
	p := mqttTo(broker(t, nil, true), nil).with(object{"username": "watcher", "password": "${{ secrets.PASSWORD }}"})
	p.passes(t, nil)
	p.with(object{"username": "stranger"}).fails(t, check.NotAdmitted, "The broker does not let this check in: it answered not authorized.")
	p.with(object{"username": nil, "password": nil}).fails(t, check.NotAdmitted, "The broker does not")
	p.collector, p.about = "healthcheck-mqtt.message", object{"topic": "secret/keys"}
	p.fails(t, check.NotAdmitted, "The broker does not let this check subscribe to secret/keys.")
}

func TestTheFormOfMQTTTopics(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for _, bad := range []string{"a+/b", "#/a", "a/b#"} {
		require.Contains(t, messages(t, registry, mqttTo(1, object{"topic": bad})), "is no topic filter", bad)
	}
	require.Contains(t, messages(t, registry, mqttTo(1, object{"topic": "a/#", "publish": "x"})), "publishTopic is required")
	require.Contains(t, messages(t, registry, mqttTo(1, object{"topic": "a", "expectPattern": "("})), "is not a regular expression")
	require.Empty(t, messages(t, registry, mqttTo(1, object{"topic": "+/a/{{ environment.x }}/#"})))
	require.Contains(t, messages(t, registry, mqttTo(1, nil).with(object{"password": "${{ secrets.PASSWORD }}"})), "username is required")
}

func TestBrokersThatMisbehave(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says  string
		cause check.Cause
		words string
	}{
		"a length without end":         {"\x20\xff\xff\xff\xff\xff", check.BadProtocol, "does not speak MQTT"},
		"a length of 256 MiB":          {"\x20\xff\xff\xff\x7f", check.WrongAnswer, "sends more than a check takes"},
		"another packet":               {"\xd0\x00", check.BadProtocol, "does not speak MQTT"},
		"another version":              {"\x20\x02\x00\x01", check.BadProtocol, "does not speak MQTT 3.1.1"},
		"unavailable":                  {"\x20\x02\x00\x03", check.WrongAnswer, "says that it is unavailable"},
		"a refused id":                 {"\x20\x02\x00\x02", check.NotAdmitted, "client id"},
		"an unknown code":              {"\x20\x02\x00\x99", check.BadProtocol, "code 153, which MQTT 3.1.1 does not know"},
		"a topic longer than a packet": {"\x20\x02\x00\x00\x90\x03\x00\x01\x00\x30\x03\xff\xffx", check.BadProtocol, "does not speak MQTT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := serve(t, func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, c.says)
				_, _ = io.Copy(io.Discard, conn)
			})
			mqttTo(at, object{"topic": "a"}).with(object{"timeout": 5000}).fails(t, c.cause, c.words)
		})
	}
	flood := serve(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, "\x20\x02\x00\x00\x90\x03\x00\x01\x00")
		for {
			if _, err := io.WriteString(conn, strings.Repeat("\x30\x04\x00\x01ax", 1000)); err != nil {
				return
			}
		}
	})
	mqttTo(flood, object{"topic": "a", "expect": "never"}).fails(t, check.WrongAnswer, "10000 messages, none of them the expected one")
}

func TestCertificatesOfBrokers(t *testing.T) {
	t.Parallel()
	wrongCertificates(t, newAuthority(t), func(t *testing.T, c tls.Certificate) probe {
		return mqttTo(broker(t, &c, false), nil).with(object{"tls": true})
	})
	ca := newAuthority(t)
	wanted := tls.NewListener(listen(t), &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)}, MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert,
	})
	go func() {
		for {
			conn, err := wanted.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = conn.Read(make([]byte, 100))
				_, _ = io.WriteString(conn, "\x20\x02\x00\x00")
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	p := mqttTo(port(wanted.Addr()), nil).with(object{"tls": true, "ca": ca.pem})
	p.fails(t, check.NotAdmitted, "does not take the client certificate of this check, or asks for one")
	shown := shownCertificate(t, ca)
	p.secrets = map[string]string{"KEY": shown.key}
	p.with(object{"clientCertificate": shown.certificate, "clientKey": "${{ secrets.KEY }}"}).passes(t, nil)
}
