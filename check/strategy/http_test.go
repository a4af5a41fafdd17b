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
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/egress"
	"countersign/secret"
)

// page is what a request has found.
type page struct {
	StatusCode, BodyLength, Redirects                                 int
	StatusText, Body, Headers, ContentType, Title, FinalURL, Protocol string
	Success, BodyTruncated                                            bool
	ResponseTimeMs, FirstByteMs                                       float64
	DNSMs                                                             *float64 `json:"dnsMs"`
	ConnectMs                                                         *float64 `json:"connectMs"`
	TLSMs                                                             *float64 `json:"tlsMs"`
	DaysRemaining                                                     *int     `json:"certificateDaysRemaining"`
}

// asks is a probe of a URL.
func asks(url string) probe {
	return probe{strategy: "healthcheck-http.http", collector: "healthcheck-http.request", config: object{}, about: object{"url": url}}
}

// requesting is the probe with other settings of its request.
func (p probe) requesting(settings object) probe {
	p.about = probe{config: p.about}.with(settings).config
	return p
}

// web serves a handler; its URL has the name known.test.
func web(t testing.TB, handler http.HandlerFunc) string {
	server := &http.Server{Handler: handler} //nolint:gosec // the test's own
	return serving(t, server, nil, "http")
}

func serving(t testing.TB, server *http.Server, config *tls.Config, scheme string) string {
	listener := listen(t)
	go func() {
		if config != nil {
			server.TLSConfig = config
			_ = server.ServeTLS(listener, "", "")
			return
		}
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() { _ = server.Close() })
	return fmt.Sprintf("%s://known.test:%d", scheme, port(listener.Addr()))
}

func TestHTTPAnswer(t *testing.T) {
	t.Parallel()
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Add("Set-Cookie", "session=opens-everything; HttpOnly")
		w.Header().Add("Set-Cookie", "theme=dark")
		w.Header().Set("X-Quoted", `a "quoted" one`)
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, "<!doctype html><html><head><script>var x = '<title>no</title>'</script><title>\n Shop  &amp; more\n</title></head>hello")
	})
	var found page
	asks(url+"/x?token=in-the-query#part").passes(t, &found)
	require.Equal(t, 200, found.StatusCode)
	require.Equal(t, "OK", found.StatusText)
	require.True(t, found.Success)
	require.Equal(t, "Shop & more", found.Title)
	require.Contains(t, found.Body, "hello")
	require.Equal(t, len(found.Body), found.BodyLength)
	require.Equal(t, "HTTP/1.1", found.Protocol)
	require.Equal(t, url+"/x", found.FinalURL)
	require.Positive(t, found.FirstByteMs)
	require.GreaterOrEqual(t, found.ResponseTimeMs, found.FirstByteMs)
	require.NotNil(t, found.ConnectMs)
	require.Nil(t, found.TLSMs)
	require.Nil(t, found.DaysRemaining)
	var headers map[string]string
	require.NoError(t, json.Unmarshal([]byte(found.Headers), &headers))
	require.Equal(t, "session, theme", headers["set-cookie"])
	require.Equal(t, `a "quoted" one`, headers["x-quoted"])
	require.Equal(t, "text/html; charset=utf-8", headers["content-type"])

	// An answer of any status is a result; its number is stored with it.
	outcome, _ := asks(url+"/missing").run(t, &found)
	require.Equal(t, check.Passed, outcome.Verdict)
	require.Equal(t, int16(404), outcome.Code)
	require.False(t, found.Success)
}

func TestHTTPRequestIsWhatTheConfigSays(t *testing.T) {
	t.Parallel()
	type heard struct {
		Method, Host, Agent, Custom, Body, Auth, Key string
		Length                                       int64
	}
	last := make(chan heard, 1)
	url := web(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		last <- heard{r.Method, r.Host, r.UserAgent(), r.Header.Get("X-Custom"), string(body), r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.ContentLength}
	})
	ask := func(settings object) heard {
		asks(url).requesting(settings).passes(t, nil)
		return <-last
	}
	require.Equal(t, "GET", ask(nil).Method)
	require.Equal(t, "Countersign", ask(nil).Agent)
	require.Equal(t, "other.test", ask(object{"headers": []object{{"name": "Host", "value": "other.test"}}}).Host)
	sent := ask(object{"method": "POST", "body": `{"a":1}`, "headers": []object{{"name": "x-custom", "value": "yes"}, {"name": "User-Agent", "value": "me"}}})
	require.Equal(t, "POST", sent.Method)
	require.Equal(t, `{"a":1}`, sent.Body)
	require.Equal(t, int64(7), sent.Length)
	require.Equal(t, "yes", sent.Custom)
	require.Equal(t, "me", sent.Agent)
	require.Equal(t, "Bearer "+password, ask(object{"bearerToken": "${{ secrets.PASSWORD }}"}).Auth)
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("ada:"+password)), ask(object{"username": "ada", "password": "${{ secrets.PASSWORD }}"}).Auth)
	require.Equal(t, password, ask(object{"secretHeaders": []object{{"name": "X-Api-Key", "value": "${{ secrets.PASSWORD }}"}}}).Key)
}

// The report of a run that a server answers with the secrets it was sent does not show them.
func TestASecretThatAServerSendsBackIsMasked(t *testing.T) {
	t.Parallel()
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "<title>"+r.Header.Get("Authorization")+"</title>")
	})
	var found page
	asks(url).requesting(object{"bearerToken": "${{ secrets.PASSWORD }}"}).passes(t, &found) // it looks for the secret in the report
	require.Contains(t, found.Title, "Bearer")
	require.Contains(t, found.Headers, "****")
}

func TestHTTPRedirects(t *testing.T) {
	t.Parallel()
	var leaked atomic.Bool
	other := web(t, func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(leaked.Load() || r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "")
		_, _ = io.WriteString(w, r.Header.Get("X-Custom"))
	})
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/end":
			body, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, r.Method+" "+string(body)+" "+r.Header.Get("X-Custom"))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/keep":
			http.Redirect(w, r, "/end", http.StatusTemporaryRedirect)
		case "/away":
			http.Redirect(w, r, other, http.StatusFound)
		case "/user":
			http.Redirect(w, r, strings.Replace(other, "http://", "http://user:pass@", 1), http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		default:
			http.Redirect(w, r, "/end", http.StatusFound)
		}
	})
	var found page
	given := object{"headers": []object{{"name": "X-Custom", "value": "mine"}}, "secretHeaders": []object{{"name": "X-Api-Key", "value": "${{ secrets.PASSWORD }}"}}, "bearerToken": "${{ secrets.PASSWORD }}"}
	asks(url).requesting(given).passes(t, &found)
	require.Equal(t, "GET  mine", found.Body)
	require.Equal(t, 1, found.Redirects)
	require.Equal(t, url+"/end", found.FinalURL)
	asks(url+"/keep").requesting(object{"method": "POST", "body": "x"}).passes(t, &found)
	require.Equal(t, "POST x ", found.Body)
	asks(url).requesting(object{"followRedirects": false}).passes(t, &found)
	require.Equal(t, 302, found.StatusCode)
	require.Zero(t, found.Redirects)
	for _, path := range []string{"/away", "/user"} {
		asks(url+path).requesting(given).passes(t, &found)
		require.Equal(t, other, found.FinalURL)
		require.Equal(t, "mine", found.Body)
	}
	require.False(t, leaked.Load(), "no secret goes to another host")
	asks(url+"/loop").fails(t, check.WrongAnswer, "The server redirects more than 5 times.")
	asks(url+"/loop").requesting(object{"maxRedirects": 1}).fails(t, check.WrongAnswer, "The server redirects more than 1 times.")
	asks(url+"/file").fails(t, check.BadProtocol, "The server redirects to something that is not on the web.")
}

// A redirect leads through the guard like everything else.
func TestARedirectToAClosedAddressIsRefused(t *testing.T) {
	t.Parallel()
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
	})
	asks(url).fails(t, check.EgressRefused, "checks may not reach that address.")
}

// reply answers each connection with fixed bytes, keeping it open until the test ends where it is to hang.
func reply(t *testing.T, bytes string, hangs bool) int {
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	return serve(t, func(conn net.Conn) {
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = io.WriteString(conn, bytes)
		if hangs {
			<-ended
		}
	})
}

func TestHTTPTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	at := func(port int) string { return fmt.Sprintf("http://known.test:%d", port) }
	secure := func(port int) string { return fmt.Sprintf("https://known.test:%d", port) }
	trickle := func(t *testing.T, first, piece string) int {
		ended := make(chan struct{})
		t.Cleanup(func() { close(ended) })
		return serve(t, func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = io.WriteString(conn, first)
			for range 10_000 {
				select {
				case <-ended:
					return
				case <-time.After(20 * time.Millisecond):
				}
				if _, err := io.WriteString(conn, piece); err != nil {
					return
				}
			}
		})
	}
	for name, c := range map[string]struct {
		url    func(t *testing.T) string
		config object
		cause  check.Cause
		says   string // with {at} for host:port
	}{
		"refused":          {func(t *testing.T) string { return at(closedPort(t)) }, nil, check.Refused, "Could not connect to {at}: the connection was refused."},
		"no such name":     {func(*testing.T) string { return "http://missing.test" }, nil, check.NameNotFound, "Could not connect to missing.test:80: the name missing.test does not exist."},
		"closed to checks": {func(*testing.T) string { return "http://metadata.google.internal" }, nil, check.EgressRefused, "Could not connect to metadata.google.internal:80: checks may not reach that address."},
		"accepts only":     {func(t *testing.T) string { return at(reply(t, "", true)) }, object{"timeout": 400}, check.TimedOut, "The connection to {at} stood, but no answer began in time."},
		"half a header":    {func(t *testing.T) string { return at(reply(t, "HTTP/1.1 200 OK\r\nContent-", true)) }, object{"timeout": 400}, check.TimedOut, "The answer of {at} began, but its headers did not end in time."},
		"headers trickle":  {func(t *testing.T) string { return at(trickle(t, "HTTP/1.1 200 OK\r\n", "X: y\r\n")) }, object{"timeout": 400}, check.TimedOut, "The answer of {at} began, but its headers did not end in time."},
		"body trickles": {func(t *testing.T) string {
			return at(trickle(t, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x"))
		}, object{"timeout": 400}, check.TimedOut, "The answer of {at} began, but its body did not end in time."},
		"TLS hangs":      {func(t *testing.T) string { return secure(reply(t, "", true)) }, object{"timeout": 400}, check.TimedOut, "Could not set up TLS with {at}: it took too long."},
		"closes at once": {func(t *testing.T) string { return at(reply(t, "", false)) }, nil, check.Broken, "Could not get an answer from {at}: the connection broke off."},
		"body breaks off": {func(t *testing.T) string {
			return at(reply(t, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", false))
		}, nil, check.Broken, "Could not get an answer from {at}: the connection broke off."},
		"another protocol": {func(t *testing.T) string { return at(reply(t, "SSH-2.0-OpenSSH_9\r\n", false)) }, nil, check.BadProtocol, "What answers at {at} does not speak HTTP."},
		"too much header": {func(t *testing.T) string {
			return at(reply(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 80<<10)+"\r\n\r\n", false))
		}, nil, check.BadProtocol, "The headers that {at} answers with are larger than a check takes."},
		"no TLS there":      {func(t *testing.T) string { return secure(reply(t, "HTTP/1.1 400 Bad Request\r\n\r\n", false)) }, nil, check.BadProtocol, "Could not set up TLS with {at}: the server does not speak TLS there."},
		"no HTTP/2 there":   {func(t *testing.T) string { return at(reply(t, "HTTP/1.1 400 Bad Request\r\n\r\n", false)) }, object{"protocol": "http2"}, check.BadProtocol, "What answers at {at} does not speak HTTP."},
		"no proxy":          {func(*testing.T) string { return "http://known.test" }, object{"proxyUrl": "http://missing.test:3128"}, check.NameNotFound, "Could not connect to the proxy missing.test:3128: the name missing.test does not exist."},
		"broken authority":  {func(*testing.T) string { return "https://known.test" }, object{"ca": "none"}, check.NotRunnable, "The certificate authority of this check is not a certificate in PEM."},
		"broken client key": {func(*testing.T) string { return "https://known.test" }, object{"clientCertificate": "none", "clientKey": "${{ secrets.PASSWORD }}"}, check.NotRunnable, "The client certificate and its key are not a pair in PEM."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := c.url(t)
			u, err := url.Parse(raw)
			require.NoError(t, err)
			p := asks(raw).with(c.config)
			begun := time.Now()
			p.fails(t, c.cause, strings.ReplaceAll(c.says, "{at}", u.Host))
			require.Less(t, time.Since(begun), 20*time.Second)
			_, report := p.run(t, nil)
			require.Equal(t, strings.ReplaceAll(c.says, "{at}", u.Host), report.Message)
		})
	}
}

func TestHTTPOverTLS(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	secured := func(t *testing.T, c tls.Certificate, change func(*tls.Config)) string {
		config := &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
		if change != nil {
			change(config)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }), ErrorLog: log.New(io.Discard, "", 0)} //nolint:gosec // the test's own
		return serving(t, server, config, "https")
	}
	for name, c := range map[string]struct {
		certificate tls.Certificate
		config      object
		cause       check.Cause
		says        string
	}{
		"trusted":           {ca.issue(t, "known.test", 1000*time.Hour), object{"ca": ca.pem}, check.None, ""},
		"unknown authority": {ca.issue(t, "known.test", time.Hour), nil, check.BadCertificate, "the certificate is signed by an authority that is not known."},
		"expired":           {ca.issue(t, "known.test", -time.Hour), object{"ca": ca.pem}, check.BadCertificate, "the certificate has expired or is not valid yet."},
		"other name":        {ca.issue(t, "elsewhere.test", time.Hour), object{"ca": ca.pem}, check.BadCertificate, "the certificate is for another name."},
		"other name wanted": {ca.issue(t, "elsewhere.test", time.Hour), object{"ca": ca.pem, "serverName": "elsewhere.test"}, check.None, ""},
		"anything goes":     {ca.issue(t, "elsewhere.test", -time.Hour), object{"skipVerify": true}, check.None, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := secured(t, c.certificate, nil)
			p := asks(u).with(c.config)
			if c.cause != check.None {
				p.fails(t, c.cause, "Could not set up TLS with "+strings.TrimPrefix(u, "https://")+": "+c.says)
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
		old := &http.Server{Handler: http.NotFoundHandler(), TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}} //nolint:gosec // the test's own
		one := serving(t, old, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)}, MinVersion: tls.VersionTLS12}, "https")
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
			"ca": ca.pem, "clientCertificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})), "clientKey": "${{ secrets.KEY }}",
		})
		p.secrets = map[string]string{"KEY": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))}
		// The test's certificates are for servers.
		p.fails(t, check.NotAdmitted, "does not take the client certificate of this check")
		anyone := secured(t, ca.issue(t, "known.test", time.Hour), func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert })
		p.requesting(object{"url": anyone}).passes(t, nil)
	})
}

func TestHTTPBodyIsBounded(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		piece := []byte(strings.Repeat("x", 64<<10))
		for r.Context().Err() == nil {
			n, err := w.Write(piece)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	var found page
	asks(url).passes(t, &found)
	require.True(t, found.BodyTruncated)
	require.Equal(t, 1<<20, found.BodyLength)
	require.Less(t, written.Load(), int64(64<<20))
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
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") })} //nolint:gosec // the test's own
	secured := serving(t, server, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "inside.test", time.Hour)}, MinVersion: tls.VersionTLS12}, "https")
	proxy, asked := forwards(t, "ada:"+password)
	config := object{"proxyUrl": proxy, "proxyUsername": "ada", "proxyPassword": "${{ secrets.PASSWORD }}", "ca": ca.pem}
	inside := func(url string) string { return strings.Replace(url, "known.test", "inside.test", 1) } // a name that only the proxy knows
	var found page
	asks(inside(plain)).with(config).passes(t, &found)
	require.Equal(t, "plain", found.Body)
	asks(inside(secured)).with(config).passes(t, &found)
	require.Equal(t, "secret", found.Body)
	require.NotNil(t, found.TLSMs)
	asks(inside(secured)).with(config).with(object{"proxyPassword": nil}).fails(t, check.NotAdmitted, "The proxy does not take the user and password of this check, or asks for them.")
	asks("https://dead.test").with(config).fails(t, check.Unreachable, "The proxy did not reach the server: it answered with status 502.")
	asks(inside(secured)).with(config).with(object{"ca": nil}).fails(t, check.BadCertificate, "the certificate is signed by an authority that is not known.")
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
			server := &http.Server{ //nolint:gosec // the test's own
				Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }),
				ConnState: func(_ net.Conn, s http.ConnState) {
					if s == http.StateNew {
						opened.Add(1)
					}
				},
			}
			u := serving(t, server, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, "known.test", time.Hour)}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}, "https")
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

func TestAssertionsAboutAnAnswer(t *testing.T) {
	t.Parallel()
	u := web(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok","queues":[{"name":"mail","waiting":3}]}`)
	})
	outcome := prepare(t, asks(u),
		check.Assertion{Field: "statusCode", Operator: "equals", Value: json.RawMessage("200")},
		check.Assertion{Field: "body", JSONPath: "$.queues[?@.name=='mail'].waiting", Operator: "lessThan", Value: json.RawMessage("3")},
		check.Assertion{Field: "headers", JSONPath: "$['content-type']", Operator: "equals", Value: json.RawMessage(`"application/json"`)},
	).Run(t.Context(), here(t), 1, time.Now())
	require.Equal(t, check.AssertionFailed, outcome.Cause)
	require.Equal(t, uint64(0b101), outcome.Held)
	require.Equal(t, int16(200), outcome.Code)
}

func TestHTTPConfigIsChecked(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for name, c := range map[string]struct{ config, about, path string }{
		"scheme":        {`{}`, `{"url":"ftp://x.test"}`, "collectors[0].config.url"},
		"no host":       {`{}`, `{"url":"http:///x"}`, "collectors[0].config.url"},
		"user":          {`{}`, `{"url":"http://a:b@x.test"}`, "collectors[0].config.url"},
		"method":        {`{}`, `{"url":"http://x.test","method":"BREW"}`, "collectors[0].config.method"},
		"header":        {`{}`, `{"url":"http://x.test","headers":[{"name":"a b","value":"x"}]}`, "collectors[0].config.headers[0].name"},
		"line break":    {`{}`, `{"url":"http://x.test","headers":[{"name":"a","value":"x\r\nb: c"}]}`, "collectors[0].config.headers[0].value"},
		"owned header":  {`{}`, `{"url":"http://x.test","headers":[{"name":"content-length","value":"1"}]}`, "collectors[0].config.headers[0].name"},
		"body with GET": {`{}`, `{"url":"http://x.test","body":"x"}`, "collectors[0].config.body"},
		"secret":        {`{}`, `{"url":"http://x.test","bearerToken":"abc"}`, "collectors[0].config.bearerToken"},
		"two ways":      {`{}`, `{"url":"http://x.test","bearerToken":"${{ secrets.A }}","username":"b"}`, "collectors[0].config.bearerToken"},
		"unknown":       {`{}`, `{"url":"http://x.test","urls":1}`, "collectors[0].config.urls"},
		"timeout":       {`{"timeout":5}`, `{"url":"http://x.test"}`, "config.timeout"},
		"proxy":         {`{"proxyUrl":"proxy:3128"}`, `{"url":"http://x.test"}`, "config.proxyUrl"},
		"half a pair":   {`{"clientCertificate":"x"}`, `{"url":"http://x.test"}`, "config.clientKey"},
	} {
		issues := registry.Validate(t.Context(), check.Configuration{
			Strategy: "healthcheck-http.http", Config: json.RawMessage(c.config),
			Collectors: []check.Collected{{ID: uuid.New(), CollectorID: "healthcheck-http.request", Config: json.RawMessage(c.about)}},
		})
		require.NotEmpty(t, issues, name)
		require.Equal(t, c.path, issues[0].Path, "%s: %v", name, issues)
	}
}
