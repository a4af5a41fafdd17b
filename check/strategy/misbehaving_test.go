package strategy_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/check/strategy/servertest"
)

func TestDNSServersThatAreDifferent(t *testing.T) {
	t.Parallel()
	p := probe{
		strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup",
		config: object{"nameserver": nameserver(t), "timeout": 10_000},
	}
	p.asking(object{"hostname": "münchen.test"}).passes(t, nil)
	p.asking(object{"hostname": "xn--mnchen-3ya.test"}).passes(t, nil)
	p.asking(object{"hostname": "formerr.test"}).passes(t, nil)
	p.asking(object{"hostname": "quoted.test", "recordType": "TXT"}).
		asserting("values", "", "includes", `"with \"quotes\" and \\ back"`).passes(t, nil)
	p.asking(object{"hostname": "utf8.test", "recordType": "TXT"}).asserting("values", "", "includes", `"café"`).passes(t, nil)
	var found looked
	p.asking(object{"hostname": "slow.test"}).passes(t, &found)
	require.GreaterOrEqual(t, found.ResolutionTimeMs, 900.0, "the answer to the first question counts")
	p.with(object{"timeout": 4000}).asking(object{"hostname": "late.test"}).passes(t, &found)
	require.InDelta(t, 3000, found.ResolutionTimeMs, 950, "the time of the run is used up to its end")
}

// The rule about internationalized names is one for all strategies.
func TestAnInternationalizedNameIsReached(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	certificate := ca.issue(t, "xn--mnchen-3ya.test", 1000*time.Hour)
	memory := miniredis.RunT(t)
	secured := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	port := serving(t, secured, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}, "https")
	for name, p := range map[string]probe{
		"http": asks(strings.Replace(port, "known.test", "münchen.test", 1)).with(object{"ca": ca.pem}),
		"tcp": {strategy: "healthcheck-tcp.tcp", collector: "healthcheck-tcp.connection", config: object{
			"port": serve(t, func(net.Conn) {}),
		}},
		"tls": {strategy: "healthcheck-tls.tls", collector: "healthcheck-tls.certificate", config: object{
			"port": shows(t, certificate), "ca": ca.pem,
		}},
		"grpc": {strategy: "healthcheck-grpc.grpc", collector: "healthcheck-grpc.health", config: object{"port": grpcServer(t, "")}},
		"smtp": {strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session", config: object{
			"port": mailServer(t, &certificate, false), "ca": ca.pem,
		}},
		"redis": {strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command", config: object{
			"port": redisPort(t, memory),
		}},
		"postgres": postgresProbe(t),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name != "http" {
				p = p.with(object{"host": "münchen.test"})
			}
			p.passes(t, nil)
		})
	}
}

func TestTheFormOfAHost(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	issues := func(host string) string {
		return messages(t, registry, probe{
			strategy: "healthcheck-tcp.tcp", collector: "healthcheck-tcp.connection", config: object{"host": host, "port": 80},
		})
	}
	for host, says := range map[string]string{
		"http://web.test": "without a scheme", "web.test:80": "without a port", "[2001:db8::1]": "without brackets",
		"[2001:db8::1]:53": "without brackets", "web test": "without spaces", "*.web.test": "a wildcard", "web.test/path": "a host alone",
		"user@web.test": "a host alone", "web..test": "empty labels", "mün..chen\u200d": "",
		strings.Repeat("a", 64) + ".test": "more than 63 characters",
	} {
		require.Contains(t, issues(host), says, host)
		require.NotEmpty(t, issues(host), host)
	}
	for _, host := range []string{"web.test", "web.test.", "my_host", "münchen.test", "2001:db8::1", "192.0.2.1", "{{ environment.host }}"} {
		require.Empty(t, issues(host), host)
	}
	for _, server := range []string{"[2001:db8::1]:53", "2001:db8::1", "192.0.2.53", "ns1.example.com:5353"} {
		require.Empty(t, messages(t, registry, probe{
			strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", config: object{"nameserver": server},
			about: object{"hostname": "shop.test"},
		}), server)
	}
	require.Contains(t, messages(t, registry, probe{
		strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", config: object{"nameserver": "192.0.2.53:0"},
		about: object{"hostname": "shop.test"},
	}), "config.nameserver must be a host or host:port")
	require.Contains(t, messages(t, registry, asks("http://*.shop.test/")), "has a host that must be one host: a wildcard")
	good := newAuthority(t).pem
	for ca, says := range map[string]string{
		good: "", "# the root\n" + good + good: "", "garbage": "must hold certificates in PEM", good + good[:200]: "has certificate 2 without its end",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n": "has certificate 1 that cannot be read",
		"-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n": "and nothing else: it has a PRIVATE KEY",
	} {
		found := messages(t, registry, asks("https://x.test/").with(object{"ca": ca}))
		require.Contains(t, found, says)
		require.Equal(t, says == "", found == "", found)
	}
	require.Contains(t, messages(t, registry, probe{
		strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session", config: object{"host": "mail.test"},
		about: object{"to": "a@b.test>\r\nRCPT TO:<x@y"},
	}), "must be one mail address")
	ping := func(count, apart, timeout int) string {
		return messages(t, registry, probe{
			strategy: "healthcheck-ping.ping", collector: "healthcheck-ping.ping",
			about: object{"host": "web.test", "count": count, "intervalMs": apart, "timeout": timeout},
		})
	}
	require.Contains(t, ping(10, 1000, 5000), "10 pings 1000 ms apart take 9000 ms, and only 5000 ms are waited")
	require.Contains(t, ping(2, 5000, 5000), "set fewer pings, a shorter interval or a timeout above 5000")
	require.Empty(t, ping(10, 1000, 9001))
	require.Empty(t, ping(1, 5000, 100))
}

// chained issues a certificate by way of an intermediate one. The server sends what extra holds besides.
func chained(t testing.TB, root *authority, leaf, intermediate time.Duration, extra ...[]byte) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Intermediate"}, NotBefore: time.Now().Add(-48 * time.Hour),
		NotAfter: time.Now().Add(intermediate), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, root.certificate, &key.PublicKey, root.key)
	require.NoError(t, err)
	signer, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	issued := (&authority{certificate: signer, key: key}).issue(t, "known.test", leaf)
	issued.Certificate = append(append(issued.Certificate, der), extra...)
	return issued
}

func TestTheChainOfACertificateCounts(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	root := newAuthority(t)
	expired := newAuthority(t).issue(t, "of-no-use.test", -time.Hour).Certificate[0]
	p := probe{strategy: "healthcheck-tls.tls", collector: "healthcheck-tls.certificate", config: object{
		"host": "known.test", "ca": root.pem, "minDaysUntilExpiry": 7,
	}}
	superfluous := chained(t, root, 60*day, 50*day, expired)
	p.with(object{"port": shows(t, superfluous)}).asserting("chainDaysRemaining", "", "greaterThan", "14").passes(t, nil)
	soon := chained(t, root, 60*day, 5*day+time.Hour)
	p.with(object{"port": shows(t, soon)}).
		fails(t, check.BadCertificate, "A certificate in the chain of known.test:")
	p.with(object{"port": shows(t, chained(t, root, 60*day, -time.Hour))}).
		fails(t, check.BadCertificate, ` is signed by CN=Intermediate, whose own certificate expired on `)
	whole := chained(t, root, 60*day, 50*day)
	alone := tls.Certificate{Certificate: whole.Certificate[:1], PrivateKey: whole.PrivateKey}
	p.with(object{"port": shows(t, alone)}).fails(t, check.BadCertificate, "the server may lack an intermediate certificate")

	// The same holds for every strategy over TLS.
	config := &tls.Config{Certificates: []tls.Certificate{soon}, MinVersion: tls.VersionTLS12}
	web := serving(t, &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}, config, "https")
	asks(web).with(object{"ca": root.pem, "minDaysUntilExpiry": 7}).
		fails(t, check.BadCertificate, " expires in 5 days; this check requires 7.")
	asks(web).with(object{"ca": root.pem, "minDaysUntilExpiry": 5}).passes(t, nil)
	for _, direct := range []bool{true, false} {
		mail := probe{strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session", config: object{
			"host": "known.test", "port": mailServer(t, &soon, direct), "ca": root.pem, "minDaysUntilExpiry": 7,
			"security": map[bool]string{true: "tls", false: "starttls"}[direct],
		}}
		mail.fails(t, check.BadCertificate, " expires in 5 days; this check requires 7.")
		mail.with(object{"minDaysUntilExpiry": nil}).passes(t, nil)
	}
}

// A connection without TLS shows no certificate, so a term for one would never be looked at.
func TestACertificateTermNeedsTLS(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		probe
		secured object
	}{
		"postgres": {
			probe{strategy: "healthcheck-postgres.postgres", collector: "healthcheck-postgres.query", config: object{
				"host": "db.test", "database": "a", "user": "a",
			}}, object{"sslMode": "require"},
		},
		"mysql": {
			probe{strategy: "healthcheck-mysql.mysql", collector: "healthcheck-mysql.query", config: object{
				"host": "db.test", "user": "a",
			}}, object{"sslMode": "require"},
		},
		"redis": {
			probe{strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command", config: object{"host": "db.test"}},
			object{"tls": true},
		},
		"grpc": {
			probe{strategy: "healthcheck-grpc.grpc", collector: "healthcheck-grpc.health", config: object{"host": "rpc.test", "port": 1}},
			object{"useTls": true},
		},
		"smtp": {
			probe{strategy: "healthcheck-smtp.smtp", collector: "healthcheck-smtp.session", config: object{
				"host": "mail.test", "security": "none",
			}}, object{"security": "starttls"},
		},
		"websocket": {
			probe{strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange", config: object{
				"url": "ws://web.test",
			}}, object{"url": "wss://web.test"},
		},
		"prometheus": {
			probe{
				strategy: "healthcheck-prometheus.prometheus", collector: "healthcheck-prometheus.query",
				config: object{"url": "http://metrics.test"}, about: object{"query": "up"},
			}, object{"url": "https://metrics.test"},
		},
		"mqtt": {
			probe{strategy: "healthcheck-mqtt.mqtt", collector: "healthcheck-mqtt.connection", config: object{"host": "broker.test"}},
			object{"tls": true},
		},
		"mongodb": {
			probe{strategy: "healthcheck-mongodb.mongodb", collector: "healthcheck-mongodb.command", config: object{"host": "db.test"}},
			object{"tls": true},
		},
		"docker": {
			probe{
				strategy: "healthcheck-docker.docker", collector: "healthcheck-docker.container",
				config: object{"host": "engine.test", "withoutTls": true}, about: object{"container": "shop"},
			}, object{"withoutTls": false},
		},
	} {
		term := c.with(object{"minDaysUntilExpiry": 14})
		require.Contains(t, messages(t, registry, term), "is about a certificate, which there is not without TLS", name)
		require.Empty(t, messages(t, registry, term.with(c.secured)), name)
		require.Empty(t, messages(t, registry, c.probe), name)
	}
	plain := asks(web(t, func(http.ResponseWriter, *http.Request) {})) // a redirect could lead to one with TLS
	plain.passes(t, nil)
	plain.with(object{"minDaysUntilExpiry": 14}).
		fails(t, check.BadCertificate, "came without TLS; this check requires a certificate valid for 14 days.")
}

// A check over HTTPS says about a certificate what a check of the certificate says.
func TestHTTPSExplainsACertificate(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	quiet := func(config *tls.Config) probe {
		port := serve(t, func(conn net.Conn) { _ = tls.Server(conn, config).Handshake() })
		return probe{config: object{"host": "known.test", "port": port, "ca": ca.pem}}
	}
	for name, c := range map[string]struct {
		config *tls.Config
		cause  check.Cause
		says   string
	}{
		"another name": {
			&tls.Config{Certificates: []tls.Certificate{ca.issue(t, "somebody.else", time.Hour)}},
			check.BadCertificate, " is not for known.test but for somebody.else.",
		},
		"self-signed": {
			&tls.Config{Certificates: []tls.Certificate{selfSigned(t, "known.test")}},
			check.BadCertificate, " is self-signed, so nobody vouches for it.",
		},
		"TLS 1.0 alone": {
			&tls.Config{Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10},
			check.BadProtocol, " speaks no version of TLS that checks accept, which are 1.2 and 1.3.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := quiet(c.config)
			asks("https://known.test:"+itoa(p.config["port"])).with(object{"ca": ca.pem}).fails(t, c.cause, c.says)
			if name == "TLS 1.0 alone" {
				return // a check of the certificate looks at it all the same
			}
			p.strategy, p.collector = "healthcheck-tls.tls", "healthcheck-tls.certificate"
			p.fails(t, c.cause, c.says)
		})
	}
	expired := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	at := serving(t, expired, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "known.test", -16*time.Second)}}, "https")
	asks(at).with(object{"skipVerify": true}).fails(t, check.BadCertificate, " expired on ")
	asks(at).with(object{"skipVerify": true}).asserting("certificateDaysRemaining", "", "greaterThanOrEqual", "0").
		fails(t, check.AssertionFailed, "Expected certificateDaysRemaining >= 0, got -1.")
}

// A server that accepts no handshake says why in an alert, and often means something else than its name says.
func TestAServerThatBreaksOffTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	certificate := ca.issue(t, "known.test", time.Hour)
	secured := func(config *tls.Config) string {
		return serving(t, &http.Server{Handler: http.NotFoundHandler(), ErrorLog: log.New(io.Discard, "", 0)}, config, "https")
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		wants := secured(&tls.Config{
			Certificates: []tls.Certificate{certificate}, ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12, MaxVersion: version,
		})
		asks(wants).with(object{"ca": ca.pem}).
			fails(t, check.NotAdmitted, " does not take the client certificate of this check, or asks for one.")
	}
	host, number, err := net.SplitHostPort(strings.TrimPrefix(secured(&tls.Config{
		Certificates: []tls.Certificate{
			certificate,
		},
		ClientAuth: tls.RequireAnyClientCert,
		MinVersion: tls.VersionTLS12,
		MaxVersion: tls.VersionTLS12,
	}), "https://"))
	require.NoError(t, err)
	probe{
		strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command",
		config: object{"host": host, "port": json.Number(number), "tls": true, "ca": ca.pem},
	}.fails(t, check.NotAdmitted, " does not take the client certificate of this check, or asks for one.")

	byName := &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName == "known.test" {
				return &certificate, nil
			}
			return nil, errors.New("unknown name")
		},
	}
	at := secured(byName)
	asks(at).with(object{"ca": ca.pem}).passes(t, nil)
	asks(strings.Replace(at, "known.test", "127.0.0.1", 1)).with(object{"ca": ca.pem}).
		fails(t, check.BadProtocol, "with the alert internal error: it may want to be asked for by a name, which an address is not.")
	none := &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12,
		CipherSuites: []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA},
	}
	cipher := serve(t, func(conn net.Conn) { _ = tls.Server(conn, none).Handshake() })
	asks("https://known.test:"+itoa(cipher)).with(object{"ca": ca.pem}).
		fails(t, check.BadProtocol, " breaks off TLS: it shares no cipher with this check, or asks for a client certificate.")
	unrecognized := serve(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = conn.Write([]byte{0x15, 3, 3, 0, 2, 2, 112})
		_, _ = io.Copy(io.Discard, conn)
	})
	asks("https://known.test:"+itoa(unrecognized)).
		fails(t, check.BadProtocol, " breaks off TLS: it has no certificate for the name known.test.")
}

func TestACertificateThatEndsToday(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	asks(serving(t, &http.Server{Handler: http.NotFoundHandler()}, &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "known.test", 5*time.Hour)}, MinVersion: tls.VersionTLS12,
	}, "https")).with(object{"ca": ca.pem, "minDaysUntilExpiry": 1}).
		fails(t, check.BadCertificate, " expires in less than a day; this check requires 1.")
}

func selfSigned(t testing.TB, name string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestServersThatSendWithoutEnd(t *testing.T) {
	t.Parallel()
	flood := web(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		for err == nil {
			err = conn.Write(r.Context(), websocket.MessageText, []byte("more"))
		}
	})
	probe{
		strategy: "healthcheck-websocket.websocket", collector: "healthcheck-websocket.exchange",
		config: object{"url": strings.Replace(flood, "http", "ws", 1)}, about: object{"expect": "never"},
	}.fails(t, check.WrongAnswer, " sends more than a check takes: 10000 messages, none of them the expected one.")

	probe{
		strategy:  "healthcheck-smtp.smtp",
		collector: "healthcheck-smtp.session",
		config:    object{"host": "known.test", "port": servertest.Servers["greets without end"].Start(t)},
	}.fails(t, check.WrongAnswer, "it sends more than a check takes.")
}

func TestAGRPCServerThatSaysItIsUnavailable(t *testing.T) {
	t.Parallel()
	draining := grpc.ChainUnaryInterceptor(func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) {
		return nil, status.Error(codes.Unavailable, "draining")
	})
	probe{
		strategy: "healthcheck-grpc.grpc", collector: "healthcheck-grpc.health",
		config: object{"host": "known.test", "port": grpcServer(t, "", draining)},
	}.fails(t, check.WrongAnswer, "The gRPC server answered UNAVAILABLE: draining.")
}

// A script that the policy keeps from the network says nothing about its target, whatever assertions make of its result.
func TestAWithheldScriptIsNotRunnableWithAssertionsToo(t *testing.T) {
	t.Parallel()
	withheld := "The script policy does not let scripts of health checks use the network."
	for collector, output := range map[string]check.ScriptOutput{
		"healthcheck-script.inline-script": {Result: []byte(`{"success":false}`), Withheld: withheld},
		"healthcheck-script.execute":       {ExitCode: 7, Stderr: "curl: (7) failed", Withheld: withheld},
	} {
		host := here(t)
		host.Scripts = saying{output}
		p := probe{
			strategy: "healthcheck-script.script", collector: collector, about: object{"script": "export default () => true"}, host: host,
		}
		p.asserting("success", "", "isTrue", "").fails(t, check.NotRunnable, withheld)
	}

	t.Log("a script that goes on after a refused request has seen nothing of its target, while a policy that is tight kept nothing from it")
	well := map[string]check.ScriptOutput{
		"healthcheck-script.inline-script": {Result: []byte(`{"success":true}`), Withheld: withheld},
		"healthcheck-script.execute":       {ExitCode: 7, Stderr: "curl: (7) failed", Withheld: withheld},
	}
	for collector, output := range well {
		about := object{"script": "export default () => true"}
		if collector == "healthcheck-script.execute" {
			about["successCodes"] = []int{7}
		}
		for _, refused := range []bool{false, true} {
			output.Refused = refused
			host := here(t)
			host.Scripts = saying{output}
			p := probe{strategy: "healthcheck-script.script", collector: collector, about: about, host: host}
			for _, p := range []probe{p, p.asserting("success", "", "isTrue", "")} {
				if refused {
					p.fails(t, check.NotRunnable, withheld)
				} else {
					p.passes(t, nil)
				}
			}
		}
	}
}

// saying are scripts with a fixed output.
type saying struct{ output check.ScriptOutput }

// Run implements check.Scripts.
func (s saying) Run(context.Context, check.ScriptInput) (check.ScriptOutput, error) {
	return s.output, nil
}
