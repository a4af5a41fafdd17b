package strategy_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/check/strategy/servertest"
	"countersign/internal/egress/porttest"
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
	server := &http.Server{Handler: handler}
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
		_, _ = io.WriteString(
			w,
			"<!doctype html><html><head><script>var x = '<title>no</title>'</script><title>\n Shop  &amp; more\n</title></head>hello",
		)
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
	sent := ask(
		object{
			"method":  "POST",
			"body":    `{"a":1}`,
			"headers": []object{{"name": "x-custom", "value": "yes"}, {"name": "User-Agent", "value": "me"}},
		},
	)
	require.Equal(t, "POST", sent.Method)
	require.Equal(t, `{"a":1}`, sent.Body)
	require.Equal(t, int64(7), sent.Length)
	require.Equal(t, "yes", sent.Custom)
	require.Equal(t, "me", sent.Agent)
	require.Equal(t, "Bearer "+password, ask(object{"bearerToken": "${{ secrets.PASSWORD }}"}).Auth)
	require.Equal(
		t,
		"Basic "+base64.StdEncoding.EncodeToString([]byte("ada:"+password)),
		ask(object{"username": "ada", "password": "${{ secrets.PASSWORD }}"}).Auth,
	)
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
	given := object{
		"headers":       []object{{"name": "X-Custom", "value": "mine"}},
		"secretHeaders": []object{{"name": "X-Api-Key", "value": "${{ secrets.PASSWORD }}"}},
		"bearerToken":   "${{ secrets.PASSWORD }}",
	}
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
	asks(url+"/loop").fails(t, check.WrongAnswer,
		" redirects more often than this check follows, which is 5 times; the next would go to "+url+"/loop.")
	asks(
		url+"/loop",
	).requesting(
		object{"maxRedirects": 1},
	).fails(
		t,
		check.WrongAnswer,
		" redirects more often than this check follows, which is once;",
	)
	asks(url+"/file").fails(t, check.BadProtocol, " redirects to file:///etc/passwd, which is not on the web.")
}

// A redirect leads through the guard like everything else.
func TestARedirectToAClosedAddressIsRefused(t *testing.T) {
	t.Parallel()
	url := web(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
	})
	asks(url).fails(t, check.WrongAnswer, " redirects to 169.254.169.254:80, which checks may not reach.")
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
	// by is an address of a server of the shared set.
	by := func(behavior string) func(*testing.T) string {
		return func(t *testing.T) string { return at(servertest.Servers[behavior].Start(t)) }
	}
	for name, c := range map[string]struct {
		url    func(t *testing.T) string
		config object
		cause  check.Cause
		says   string // with {at} for host:port
	}{
		"refused":          {func(t *testing.T) string { return at(porttest.Closed(t)) }, nil, check.Refused, "Could not connect to {at}: the connection was refused."},
		"no such name":     {func(*testing.T) string { return "http://missing.test" }, nil, check.NameNotFound, "Could not connect to missing.test:80: the name missing.test does not exist."},
		"closed to checks": {func(*testing.T) string { return "http://metadata.google.internal" }, nil, check.EgressRefused, "Could not connect to metadata.google.internal:80: checks may not reach that address."},
		"accepts only":     {func(t *testing.T) string { return at(reply(t, "", true)) }, object{"timeout": 1500}, check.TimedOut, "The connection to {at} stood, but no answer began in time."},
		"half a header":    {by("half a header"), object{"timeout": 1500}, check.TimedOut, "The answer of {at} began, but its headers did not end in time."},
		"headers trickle":  {by("headers trickle"), object{"timeout": 1500}, check.TimedOut, "The answer of {at} began, but its headers did not end in time."},
		"body trickles":    {by("body trickles"), object{"timeout": 1500}, check.TimedOut, "The answer of {at} began, but its body did not end in time."},
		"TLS hangs": {
			func(t *testing.T) string { return secure(reply(t, "", true)) },
			object{"timeout": 1500},
			check.TimedOut,
			"Could not set up TLS with {at}: it took too long.",
		},
		"closes at once": {
			by("closes at once"), nil, check.Broken,
			"Could not get an answer from {at}: the connection was interrupted.",
		},
		"body breaks off":   {by("body breaks off"), nil, check.Broken, "The body that {at} answers with ended early: 3 of 10 bytes came."},
		"chunks break off":  {by("chunks break off"), nil, check.Broken, "The answer of {at} began, but the connection was interrupted before its body had ended."},
		"headers break off": {by("headers break off"), nil, check.Broken, "The answer of {at} began, but the connection was interrupted before its headers had ended."},
		"two lengths":       {by("two lengths"), nil, check.BadProtocol, "The answer of {at} has several Content-Length headers that differ."},
		"negative length":   {by("negative length"), nil, check.BadProtocol, "The answer of {at} has a Content-Length that is not a length: \"-5\"."},
		"unknown transfer":  {by("unknown transfer"), nil, check.BadProtocol, "The answer of {at} has a Transfer-Encoding that is not valid."},
		"a TLS alert":       {by("TLS alert"), nil, check.BadProtocol, "The server at {at} expects TLS there: use https://."},
		"closes instead of TLS": {
			func(t *testing.T) string { return secure(reply(t, "", false)) }, nil, check.Broken,
			"Could not set up TLS with {at}: the connection was interrupted; the server may not speak TLS there.",
		},
		"another protocol": {
			by("another protocol"), nil, check.BadProtocol,
			"The server at {at} does not speak HTTP.",
		},
		"too much header": {by("too much header"), nil, check.BadProtocol, "The headers that {at} answers with are larger than a check takes."},
		"no TLS there": {
			func(t *testing.T) string { return secure(reply(t, "HTTP/1.1 400 Bad Request\r\n\r\n", false)) }, nil, check.BadProtocol,
			"Could not set up TLS with {at}: the server does not speak TLS there.",
		},
		"no HTTP/2 there": {
			func(t *testing.T) string { return at(reply(t, "HTTP/1.1 400 Bad Request\r\n\r\n", false)) },
			object{"protocol": "http2"},
			check.BadProtocol,
			"The server at {at} does not speak HTTP.",
		},
		"switches":          {by("switches"), nil, check.BadProtocol, "The server at {at} switches to another protocol without being asked to."},
		"no proxy":          {func(*testing.T) string { return "http://known.test" }, object{"proxyUrl": "http://missing.test:3128"}, check.NameNotFound, "Could not connect to the proxy missing.test:3128: the name missing.test does not exist."},
		"broken client key": {func(*testing.T) string { return "https://known.test" }, object{"clientCertificate": "none", "clientKey": "${{ secrets.PASSWORD }}"}, check.NotRunnable, "The client certificate and its key are not a pair in PEM."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := c.url(t)
			u, err := neturl.Parse(raw)
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
		"scheme":         {`{}`, `{"url":"ftp://x.test"}`, "collectors[0].config.url"},
		"no host":        {`{}`, `{"url":"http:///x"}`, "collectors[0].config.url"},
		"user":           {`{}`, `{"url":"http://a:b@x.test"}`, "collectors[0].config.url"},
		"method":         {`{}`, `{"url":"http://x.test","method":"BREW"}`, "collectors[0].config.method"},
		"header":         {`{}`, `{"url":"http://x.test","headers":[{"name":"a b","value":"x"}]}`, "collectors[0].config.headers[0].name"},
		"line break":     {`{}`, `{"url":"http://x.test","headers":[{"name":"a","value":"x\r\nb: c"}]}`, "collectors[0].config.headers[0].value"},
		"owned header":   {`{}`, `{"url":"http://x.test","headers":[{"name":"content-length","value":"1"}]}`, "collectors[0].config.headers[0].name"},
		"body with HEAD": {`{}`, `{"url":"http://x.test","method":"HEAD","body":"x"}`, "collectors[0].config.body"},
		"secret":         {`{}`, `{"url":"http://x.test","bearerToken":"abc"}`, "collectors[0].config.bearerToken"},
		"two ways":       {`{}`, `{"url":"http://x.test","bearerToken":"${{ secrets.A }}","username":"b"}`, "collectors[0].config.bearerToken"},
		"unknown":        {`{}`, `{"url":"http://x.test","urls":1}`, "collectors[0].config.urls"},
		"timeout":        {`{"timeout":5}`, `{"url":"http://x.test"}`, "config.timeout"},
		"port":           {`{}`, `{"url":"http://x.test:99999"}`, "collectors[0].config.url"},
		"SOCKS":          {`{"proxyUrl":"socks5://proxy:3128"}`, `{"url":"http://x.test"}`, "config.proxyUrl"},
		"proxy":          {`{"proxyUrl":"proxy:3128"}`, `{"url":"http://x.test"}`, "config.proxyUrl"},
		"half a pair":    {`{"clientCertificate":"x"}`, `{"url":"http://x.test"}`, "config.clientKey"},
		"IPv4 over IPv6": {`{"ipVersion":"ipv6"}`, `{"url":"http://192.0.2.1:80/"}`, "collectors[0].config.url"},
		"IPv6 over IPv4": {`{"ipVersion":"ipv4"}`, `{"url":"http://[2001:db8::1]/"}`, "collectors[0].config.url"},
	} {
		issues := registry.Validate(t.Context(), check.Configuration{
			Strategy: "healthcheck-http.http", Config: json.RawMessage(c.config),
			Collectors: []check.Collected{{ID: uuid.New(), CollectorID: "healthcheck-http.request", Config: json.RawMessage(c.about)}},
		})
		require.NotEmpty(t, issues, name)
		require.Equal(t, c.path, issues[0].Path, "%s: %v", name, issues)
	}
}
