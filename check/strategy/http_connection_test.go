package strategy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/internal/egress"
	"countersign/internal/secret"
)

func TestHTTPOverTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	secured := func(t *testing.T, c tls.Certificate, change func(*tls.Config)) string {
		config := &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
		if change != nil {
			change(config)
		}
		server := &http.Server{
			Handler:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }),
			ErrorLog: log.New(io.Discard, "", 0),
		}
		return serving(t, server, config, "https")
	}
	for name, c := range map[string]struct {
		certificate tls.Certificate
		config      object
		cause       check.Cause
		says        string
	}{
		"trusted":           {ca.issue(t, "known.test", 1000*time.Hour), object{"ca": ca.pem}, check.None, ""},
		"unknown authority": {ca.issue(t, "known.test", time.Hour), nil, check.BadCertificate, " is signed by an authority that is not known: CN=Test authority; "},
		"expired":           {ca.issue(t, "known.test", -time.Hour), object{"ca": ca.pem}, check.BadCertificate, " expired on "},
		"other name":        {ca.issue(t, "elsewhere.test", time.Hour), object{"ca": ca.pem}, check.BadCertificate, " is not for known.test but for elsewhere.test."},
		"other name wanted": {ca.issue(t, "elsewhere.test", time.Hour), object{"ca": ca.pem, "serverName": "elsewhere.test"}, check.None, ""},
		"any name goes":     {ca.issue(t, "elsewhere.test", time.Hour), object{"skipVerify": true}, check.None, ""},
		"but no expired":    {ca.issue(t, "elsewhere.test", -time.Hour), object{"skipVerify": true}, check.BadCertificate, " expired on "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := secured(t, c.certificate, nil)
			p := asks(u).with(c.config)
			if c.cause != check.None {
				p.fails(t, c.cause, "The certificate of "+strings.TrimPrefix(u, "https://")+c.says)
				return
			}
			var found page
			p.passes(t, &found)
			require.Equal(t, "HTTP/2.0", found.Protocol)
			require.NotNil(t, found.TLSMs)
			require.NotNil(t, found.DaysRemaining)
			if name == "trusted" {
				require.Equal(t, 41, *found.DaysRemaining)
			}
		})
	}
	t.Run("protocols", func(t *testing.T) {
		t.Parallel()
		both := secured(t, ca.issue(t, "known.test", time.Hour), nil)
		old := &http.Server{Handler: http.NotFoundHandler(), TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
		one := serving(
			t,
			old,
			&tls.Config{Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)}, MinVersion: tls.VersionTLS12},
			"https",
		)
		var found page
		asks(both).with(object{"ca": ca.pem, "protocol": "http1"}).passes(t, &found)
		require.Equal(t, "HTTP/1.1", found.Protocol)
		asks(both).with(object{"ca": ca.pem, "protocol": "http2", "freshConnection": true}).passes(t, &found)
		require.Equal(t, "HTTP/2.0", found.Protocol)
		asks(one).with(object{"ca": ca.pem, "protocol": "http2"}).fails(t, check.BadProtocol, "does not speak")
	})
	t.Run("client certificate", func(t *testing.T) {
		t.Parallel()
		own := ca.issue(t, "checks.test", time.Hour)
		pool := x509.NewCertPool()
		pool.AddCert(ca.certificate)
		u := secured(t, ca.issue(t, "known.test", time.Hour), func(c *tls.Config) {
			c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, pool
			c.VerifyPeerCertificate = nil
		})
		asks(u).with(object{"ca": ca.pem}).fails(t, check.NotAdmitted, "does not take the client certificate of this check, or asks for one.")
		key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
		require.NoError(t, err)
		p := asks(u).with(object{
			"ca":                ca.pem,
			"clientCertificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})),
			"clientKey":         "${{ secrets.KEY }}",
		})
		p.secrets = map[string]string{"KEY": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))}
		// The test's certificates are for servers.
		p.fails(t, check.NotAdmitted, "does not take the client certificate of this check")
		anyone := secured(t, ca.issue(t, "known.test", time.Hour), func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert })
		p.requesting(object{"url": anyone}).passes(t, nil)
	})
}

// forwards is a proxy that notes what it is asked for, and admits whom it is told.
func forwards(t *testing.T, user string) (string, *sync.Map) {
	asked := &sync.Map{}
	backend := here(t)
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(r.Host, true)
		if user != "" && r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(user)) {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if strings.HasPrefix(r.Host, "dead.") {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		there, err := backend.Dial(r.Context(), "tcp", strings.Replace(r.Host, "inside.test", "known.test", 1))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer there.Close()
		if r.Method != http.MethodConnect {
			r.RequestURI = ""
			r.Header.Set("Connection", "close")
			_ = r.Write(there)
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		if r.Method == http.MethodConnect {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
			go func() { _, _ = io.Copy(there, conn) }()
		}
		_, _ = io.Copy(conn, there)
	})
	return url, asked
}

func TestHTTPThroughAProxy(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	plain := web(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "plain") })
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") })}
	secured := serving(
		t,
		server,
		&tls.Config{Certificates: []tls.Certificate{ca.issue(t, "inside.test", time.Hour)}, MinVersion: tls.VersionTLS12},
		"https",
	)
	proxy, asked := forwards(t, "ada:"+password)
	config := object{"proxyUrl": proxy, "proxyUsername": "ada", "proxyPassword": "${{ secrets.PASSWORD }}", "ca": ca.pem}
	inside := func(url string) string { return strings.Replace(url, "known.test", "inside.test", 1) } // a name that only the proxy knows
	var found page
	asks(inside(plain)).with(config).passes(t, &found)
	require.Equal(t, "plain", found.Body)
	asks(inside(secured)).with(config).passes(t, &found)
	require.Equal(t, "secret", found.Body)
	require.NotNil(t, found.TLSMs)
	asks(
		inside(secured),
	).with(
		config,
	).with(
		object{"proxyPassword": nil},
	).fails(
		t,
		check.NotAdmitted,
		"The proxy does not take the user and password of this check, or asks for them.",
	)
	asks("https://dead.test").with(config).fails(t, check.Unreachable, "The proxy did not reach the server: it answered with status 502.")
	asks(
		inside(secured),
	).with(
		config,
	).with(
		object{"ca": nil},
	).fails(
		t,
		check.BadCertificate,
		" is signed by an authority that is not known: CN=Test authority; ",
	)
	// A proxy is no way around the guard.
	for _, closed := range []string{"http://169.254.169.254/", "https://[fe80::1]/", "http://metadata.google.internal/"} {
		asks(closed).with(config).fails(t, check.EgressRefused, "checks may not reach that address.")
	}
	asked.Range(func(host, _ any) bool {
		require.NotContains(t, host, "169.254")
		require.NotContains(t, host, "fe80")
		require.NotContains(t, host, "metadata")
		return true
	})
}

// prepare makes a probe ready for many runs over the connections of one list of strategies.
func prepare(t testing.TB, p probe, assertions ...check.Assertion) *check.Prepared {
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	encode := func(o object) json.RawMessage {
		raw, err := json.Marshal(o)
		require.NoError(t, err)
		return raw
	}
	prepared, err := registry.Prepare(check.Configuration{
		Strategy: p.strategy, Config: encode(p.config),
		Collectors: []check.Collected{{ID: uuid.New(), CollectorID: p.collector, Config: encode(p.about), Assertions: assertions}},
	}, p.scope, map[string]secret.Value{"PASSWORD": secret.NewValue(password)})
	require.NoError(t, err)
	return prepared
}

func TestConnectionsAreKeptFromRunToRun(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	for name, c := range map[string]struct {
		config, request object
		fails           bool
		opened          int64
	}{
		"kept":      {object{"protocol": "http1"}, nil, false, 1},
		"HTTP/2":    {object{"protocol": "http2"}, nil, false, 1},
		"measured":  {object{"freshConnection": true}, nil, false, 5},
		"by itself": {nil, object{"method": "POST", "body": "x"}, false, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var opened atomic.Int64
			server := &http.Server{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }),
				ConnState: func(_ net.Conn, s http.ConnState) {
					if s == http.StateNew {
						opened.Add(1)
					}
				},
			}
			u := serving(
				t,
				server,
				&tls.Config{
					Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)},
					MinVersion:   tls.VersionTLS12,
					NextProtos:   []string{"h2", "http/1.1"},
				},
				"https",
			)
			prepared, host := prepare(t, asks(u).requesting(c.request).with(object{"ca": ca.pem}).with(c.config)).Draft(), here(t)
			for i := range 5 {
				outcome := prepared.Run(t.Context(), host, 1, time.Now())
				report := outcome.Report()
				require.Equal(t, check.Passed, outcome.Verdict, report.Message)
				var found page
				require.NoError(t, json.Unmarshal(report.Collectors[0].Result, &found))
				fresh := i == 0 || c.opened > 1
				require.Equal(t, fresh, found.ConnectMs != nil, "run %d", i)
				require.Equal(t, fresh, found.TLSMs != nil, "run %d", i)
				require.NotNil(t, found.DaysRemaining)
			}
			require.Equal(t, c.opened, opened.Load())
		})
	}
}

// What a host may reach is decided when its connections are made, so two hosts share none.
func TestHostsShareNoConnections(t *testing.T) {
	t.Parallel()
	u := web(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	prepared := prepare(t, asks(u))
	require.Equal(t, check.Passed, prepared.Run(t.Context(), here(t), 1, time.Now()).Verdict)
	strict := egress.NewChecks(egress.ChecksOptions{Resolver: names{}})
	outcome := prepared.Run(t.Context(), &check.Host{Dial: strict.Dial, Addresses: strict.Addresses, Now: time.Now}, 1, time.Now())
	require.Equal(t, check.EgressRefused, outcome.Cause)
}

// A server that closes the connections it keeps does not make checks fail.
func TestAServerMayCloseAKeptConnection(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	t.Cleanup(server.Close)
	prepared, host := prepare(t, asks(server.URL)), here(t)
	for range 30 {
		outcome := prepared.Run(t.Context(), host, 1, time.Now())
		require.Equal(t, check.Passed, outcome.Verdict, outcome.Report().Message)
		server.CloseClientConnections()
	}
}

// A dial that does not end is given up with the run, and so is what goes on behind it.
func TestADialThatHangsEndsWithTheRun(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		gone := make(chan struct{})
		host := &check.Host{Now: time.Now, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			defer close(gone)
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		outcome := prepare(t, asks(scheme+"://known.test").with(object{"timeout": 200})).Run(t.Context(), host, 1, time.Now())
		require.Equal(t, check.TimedOut, outcome.Cause)
		require.Contains(t, outcome.Report().Message, "Could not connect to known.test:")
		<-gone
	}
}

// However far a run comes with a server that hangs, nothing of it stays behind.
func TestAHangingServerKeepsNoConnection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ scheme, says string }{
		"TLS": {"https", ""}, "no answer": {"http", ""}, "half a header": {"http", "HTTP/1.1 200 OK\r\nX-"},
		"half a body": {"http", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"}, "a switch": {"http", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"},
		"more than a check takes": {"http", "HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n" + strings.Repeat("x", 2<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const runs = 8
			ended := make(chan struct{}, runs)
			number := serve(t, func(conn net.Conn) {
				go func() { _, _ = io.WriteString(conn, c.says) }()
				_, _ = io.Copy(io.Discard, conn) // until the check has gone
				ended <- struct{}{}
			})
			prepared, host := prepare(t, asks(fmt.Sprintf("%s://known.test:%d", c.scheme, number)).with(object{"timeout": 1000})), here(t)
			var all sync.WaitGroup
			for range runs {
				all.Go(func() { prepared.Run(t.Context(), host, 1, time.Now()) })
			}
			all.Wait()
			for range runs {
				<-ended
			}
		})
	}
}
