package strategy_test

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress/porttest"
)

// An answer that a proxy made by itself is none of the server behind it. Where nobody can know, nothing is claimed.
func TestAProxyThatAnswersByItself(t *testing.T) {
	t.Parallel()
	const unknown403 = "The answer has status 403, which could come from the proxy: it may not have let this check through."
	for name, c := range map[string]struct {
		status  int
		headers []string
		cause   check.Cause // without an assertion
		says    string
		// asserted is the cause when the check expects this status.
		asserted check.Cause
	}{
		"407": {
			407,
			[]string{"Proxy-Authenticate: Basic"},
			check.NotAdmitted,
			"The proxy does not take the user and password of this check, or asks for them.", check.NotAdmitted,
		},
		"a page of Squid": {
			403,
			[]string{"X-Squid-Error: ERR_ACCESS_DENIED 0", "Via: 1.1 cache (squid)"},
			check.NotAdmitted,
			"The proxy does not let this check through: it answered with status 403 (ERR_ACCESS_DENIED 0).", check.NotAdmitted,
		},
		"Squid finds no name": {
			503,
			[]string{"X-Squid-Error: ERR_DNS_FAIL 0"},
			check.Unreachable,
			"The proxy did not reach the server: it answered with status 503 (ERR_DNS_FAIL 0).", check.Unreachable,
		},
		"a page of a Squid behind the proxy": {
			503, []string{"X-Squid-Error: ERR_CONNECT_FAIL 111", "Via: 1.1 theirs (squid), 1.1 ours"}, check.None, "", check.None,
		},
		"the status of a proxy": {
			504,
			[]string{"Proxy-Status: origin.test; received-status=200, ours; error=connection_timeout"},
			check.Unreachable,
			"The proxy did not reach the server: it answered with status 504 (connection_timeout).", check.Unreachable,
		},
		"the status of a proxy that passes on": {
			403,
			[]string{"Proxy-Status: theirs; error=http_request_denied, ours; received-status=403"},
			check.NotAdmitted,
			unknown403, check.None,
		},
		"a page of tinyproxy": {
			403,
			[]string{"Server: tinyproxy/1.11.1"},
			check.NotAdmitted,
			"The proxy does not let this check through: it answered with status 403.", check.NotAdmitted,
		},
		"403 of either": {403, nil, check.NotAdmitted, unknown403, check.None},
		"404":           {404, []string{"Server: nginx"}, check.None, "", check.None},
		"502 of either": {
			502, nil, check.Unreachable,
			"The answer has status 502, which could come from the proxy: it may not have reached the server.", check.Unreachable,
		},
		"504 of either": {
			504,
			[]string{"Server: nginx"},
			check.Unreachable,
			"The answer has status 504, which could come from the proxy: it may not have reached the server.", check.Unreachable,
		},
		"503 of either": {503, nil, check.None, "", check.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := web(t, func(w http.ResponseWriter, _ *http.Request) {
				for _, h := range c.headers {
					name, value, _ := strings.Cut(h, ": ")
					w.Header().Add(name, value)
				}
				w.WriteHeader(c.status)
			})
			p := asks("http://known.test/ok").with(object{"proxyUrl": proxy})
			expected := p.asserting("statusCode", "", "equals", strconv.Itoa(c.status))
			if c.cause == check.None {
				p.passes(t, nil)
				expected.passes(t, nil)
				return
			}
			p.fails(t, c.cause, c.says)
			if c.asserted == check.None {
				expected.passes(t, nil)
				p.asserting("statusCode", "", "equals", "200").
					fails(t, check.AssertionFailed, "Expected statusCode = 200, got "+strconv.Itoa(c.status)+" (the answer could come from the proxy).")
				return
			}
			expected.fails(t, c.asserted, c.says)
		})
	}
}

// What happens between the check and its proxy is said of the proxy.
func TestAProxyThatMisbehaves(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	reads := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	for name, c := range map[string]struct {
		does          func(net.Conn)
		scheme        string // of the proxy
		plain, secure string // what is said of each URL, with {proxy} for host:port
		cause         check.Cause
	}{
		"silent": {
			reads, "http", "The connection to the proxy {proxy} stood, but no answer of known.test:80 began in time.",
			"The proxy {proxy} did not connect to known.test:443 in time.", check.TimedOut,
		},
		"silent over TLS": {
			reads, "https", "Could not set up TLS with the proxy {proxy}: it took too long.",
			"Could not set up TLS with the proxy {proxy}: it took too long.", check.TimedOut,
		},
		"closes": {
			func(conn net.Conn) { _, _ = conn.Read(make([]byte, 4096)) }, "http",
			"Could not get an answer from the proxy {proxy}: the connection was interrupted.",
			"Could not get an answer from the proxy {proxy}: the connection was interrupted.", check.Broken,
		},
		"speaks something else": {
			func(conn net.Conn) {
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, "-ERR unknown command\r\n")
			}, "http",
			"The proxy {proxy} does not speak HTTP.", "The proxy {proxy} does not speak HTTP.", check.BadProtocol,
		},
		"shows a certificate for another name": {
			func(conn net.Conn) {
				certificate := ca.issue(t, "elsewhere.test", 1e12)
				_ = tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}).Handshake()
			}, "https",
			"The certificate of the proxy {proxy} is not for known.test but for elsewhere.test.",
			"The certificate of the proxy {proxy} is not for known.test but for elsewhere.test.", check.BadCertificate,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := "known.test:" + strconv.Itoa(serve(t, c.does))
			config := object{"proxyUrl": c.scheme + "://" + proxy, "ca": ca.pem}
			if c.cause == check.TimedOut {
				config["timeout"] = 700
			}
			asks("http://known.test/").with(config).fails(t, c.cause, strings.ReplaceAll(c.plain, "{proxy}", proxy))
			asks("https://known.test/").with(config).fails(t, c.cause, strings.ReplaceAll(c.secure, "{proxy}", proxy))
		})
	}
	closed := "known.test:" + strconv.Itoa(porttest.Closed(t))
	asks("https://known.test/").with(object{"proxyUrl": "http://" + closed}).
		fails(t, check.Refused, "Could not connect to the proxy "+closed+": the connection was refused.")

	t.Log("behind the proxy, the server speaks for itself")
	expired := serving(t, &http.Server{Handler: http.NotFoundHandler()}, &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "inside.test", -1e12)}, MinVersion: tls.VersionTLS12,
	}, "https")
	proxy, _ := forwards(t, "")
	inside := strings.Replace(expired, "known.test", "inside.test", 1)
	asks(inside).with(object{"proxyUrl": proxy, "ca": ca.pem}).
		fails(t, check.BadCertificate, "The certificate of "+strings.TrimPrefix(inside, "https://")+" expired on ")
	plain := strings.Replace(web(t, func(http.ResponseWriter, *http.Request) {}), "http://known.test", "https://inside.test", 1)
	asks(plain).with(object{"proxyUrl": proxy}).fails(t, check.BadProtocol, "the server does not speak TLS there.")
	hangs := "https://inside.test:" + strconv.Itoa(serve(t, reads))
	_, report := asks(hangs).with(object{"proxyUrl": proxy, "timeout": 700}).run(t, nil)
	require.Equal(t, "Could not set up TLS with "+strings.TrimPrefix(hangs, "https://")+": it took too long.", report.Message)
}
