package scriptpolicy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
	"countersign/modules/scriptpolicy"
	"countersign/sandbox"
)

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func portOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	return port
}

// loopback reaches servers of the test, since the entry names their addresses.
func loopback() sandbox.Fetcher {
	return scriptpolicy.Fetcher(open(scriptpolicy.Allowlist, "127.0.0.0/8"), nil)
}

func get(url string) sandbox.Request { return sandbox.Request{Method: "GET", URL: url} }

func TestAnAllowedRequestGoesThroughAsTheScriptMadeIt(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization")+" "+r.Header.Get("X-Own")+" "+string(body))
		w.Header().Set("X-Agent", r.UserAgent()+"|"+r.Header.Get("Cookie"))
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte{0, 1, 0xff})
	})
	answer, err := loopback().Fetch(t.Context(), sandbox.Request{
		Method:  "post",
		URL:     server.URL + "/a%2Fb?c=d#frag",
		Body:    []byte("hello"),
		Headers: map[string]string{"authorization": "Bearer x", "X-Own": "own"},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, answer.Status)
	require.Equal(t, "I'm a teapot", answer.StatusText)
	require.Equal(t, "POST /a%2Fb?c=d Bearer x own hello", answer.Headers["x-seen"])
	require.Equal(t, "Countersign-Script/1|", answer.Headers["x-agent"])
	require.Equal(t, "a, b", answer.Headers["x-two"])
	require.Equal(t, []byte{0, 1, 0xff}, answer.Body)
}

func TestRedirectsAndCookiesAreLeftToTheScript(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie was kept")
		}
		w.Header().Add("Set-Cookie", "a=b; Expires=Wed, 09 Jun 2027 10:18:14 GMT")
		w.Header().Add("Set-Cookie", "c=d")
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
	})
	fetcher := loopback()
	for range 2 {
		answer, err := fetcher.Fetch(t.Context(), get(server.URL))
		require.NoError(t, err)
		require.Equal(t, http.StatusFound, answer.Status)
		require.Equal(t, "http://169.254.169.254/", answer.Headers["location"])
		require.Equal(t, []string{"a=b; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "c=d"}, answer.SetCookie)
	}
	require.EqualValues(t, 2, hits.Load())
}

func TestARequestThatIsNotOneIsRefused(t *testing.T) {
	t.Parallel()
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the request arrived") })
	many := map[string]string{}
	for i := range scriptpolicy.MaxHeaders + 1 {
		many[fmt.Sprintf("X-%d", i)] = "v"
	}
	for name, r := range map[string]sandbox.Request{
		"connect":          {Method: "CONNECT"},
		"trace":            {Method: "TRACE"},
		"odd method":       {Method: "GET / HTTP/1.1\r\nX: y"},
		"body of get":      {Method: "GET", Body: []byte("x")},
		"large body":       {Method: "POST", Body: make([]byte, scriptpolicy.MaxRequestBody+1)},
		"many headers":     {Method: "GET", Headers: many},
		"large headers":    {Method: "GET", Headers: map[string]string{"X": strings.Repeat("x", scriptpolicy.MaxHeaderBytes)}},
		"twice":            {Method: "GET", Headers: map[string]string{"X-A": "1", "x-a": "2"}},
		"empty name":       {Method: "GET", Headers: map[string]string{"": "1"}},
		"name with space":  {Method: "GET", Headers: map[string]string{"A B": "1"}},
		"name with colon":  {Method: "GET", Headers: map[string]string{"A: x\r\nB": "1"}},
		"value with break": {Method: "GET", Headers: map[string]string{"A": "1\r\nHost: other"}},
		"value with nul":   {Method: "GET", Headers: map[string]string{"A": "1\x00"}},
		"host":             {Method: "GET", Headers: map[string]string{"hOsT": "metadata"}},
		"connection":       {Method: "GET", Headers: map[string]string{"Connection": "close"}},
		"keep alive":       {Method: "GET", Headers: map[string]string{"Keep-Alive": "5"}},
		"length":           {Method: "POST", Headers: map[string]string{"Content-Length": "5"}},
		"chunked":          {Method: "POST", Headers: map[string]string{"Transfer-Encoding": "chunked"}},
		"te":               {Method: "GET", Headers: map[string]string{"TE": "trailers"}},
		"trailer":          {Method: "GET", Headers: map[string]string{"Trailer": "X"}},
		"upgrade":          {Method: "GET", Headers: map[string]string{"Upgrade": "websocket"}},
		"expect":           {Method: "POST", Headers: map[string]string{"Expect": "100-continue"}},
		"proxy":            {Method: "GET", Headers: map[string]string{"Proxy-Authorization": "x"}},
		"proxy connection": {Method: "GET", Headers: map[string]string{"proxy-connection": "x"}},
	} {
		r.URL = server.URL
		_, err := loopback().Fetch(t.Context(), r)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "127.0.0.1", name)
		require.True(t, strings.HasSuffix(err.Error(), "."), err.Error())
	}
}

func TestAnAnswerThatIsTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/exact":
			_, _ = w.Write(bytes.Repeat([]byte("x"), scriptpolicy.MaxResponseBody))
		case "/large":
			_, _ = w.Write(bytes.Repeat([]byte("x"), scriptpolicy.MaxResponseBody+1))
		case "/headers":
			for i := range 100 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
			}
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "short")
		}
	})
	answer, err := loopback().Fetch(t.Context(), get(server.URL+"/exact"))
	require.NoError(t, err)
	require.Len(t, answer.Body, scriptpolicy.MaxResponseBody)
	_, err = loopback().Fetch(t.Context(), get(server.URL+"/large"))
	require.ErrorContains(t, err, "larger than 5242880 bytes")
	_, err = loopback().Fetch(t.Context(), get(server.URL+"/headers"))
	require.ErrorContains(t, err, "did not answer")
	_, err = loopback().Fetch(t.Context(), get(server.URL+"/cut"))
	require.ErrorContains(t, err, "did not answer", "half an answer is none")
}

func TestTheTimeOfTheScriptEndsARequest(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/arrives" {
			close(arrived)
		}
		<-r.Context().Done()
	})
	timed, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := loopback().Fetch(timed, get(server.URL))
	require.EqualError(t, err, "The URL did not answer: the script's time was over.")
	require.ErrorIs(t, err, context.DeadlineExceeded)

	stopped, stop := context.WithCancel(t.Context())
	go func() { <-arrived; stop() }()
	_, err = loopback().Fetch(stopped, get(server.URL+"/arrives"))
	require.EqualError(t, err, "The request was stopped.")
}

func TestAProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "direct") })
	answer, err := loopback().Fetch(t.Context(), get(server.URL))
	require.NoError(t, err)
	require.Equal(t, "direct", string(answer.Body))
}

// The spy is a real server of this machine. Under each policy every hostile spelling of its address is tried.
func TestNoHostileURLReachesThisMachine(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int32
	spy := serve(t, func(http.ResponseWriter, *http.Request) { arrived.Add(1) })
	port := portOf(t, spy)
	policies := map[string]scriptpolicy.Policy{
		"public":            open(scriptpolicy.Public),
		"public with allow": open(scriptpolicy.Public, "127.0.0.0/8"),
		"names only":        open(scriptpolicy.Allowlist, "localhost", "example.com", "*.example.com"),
		"another address":   open(scriptpolicy.Allowlist, "127.0.0.2", "10.0.0.0/8", "8.8.8.8"),
		"another port":      open(scriptpolicy.Allowlist, "127.0.0.1:1024", "localhost:1024", "[::1]:1024"),
	}
	hosts := []string{
		"127.0.0.1",
		"127.1",
		"127.0.1",
		"0177.0.0.1",
		"0x7f.0.0.1",
		"0x7f000001",
		"2130706433",
		"017700000001",
		"0",
		"0.0.0.0",
		"127.0.0.1.",
		"localhost",
		"LocalHost",
		"localhost.",
		"a.localhost",
		"%6cocalhost",
		"127%2e0%2e0%2e1",
		"①②⑦.⓪.⓪.①",
		"１２７.０.０.１",
		"127。0。0。1",
		"[::1]",
		"[::]",
		"[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]",
		"[::127.0.0.1]",
		"[::1%25lo]",
		"[64:ff9b::7f00:1]",
		"[2002:7f00:1::]",
		"example.com@127.0.0.1",
		"example.com\\@127.0.0.1",
		"127.0.0.1#@example.com",
		"127.0.0.1\\.example.com",
	}
	for name, policy := range policies {
		fetcher := scriptpolicy.Fetcher(policy, nil)
		for _, host := range hosts {
			for _, scheme := range []string{"http", "https", "HTTP"} {
				_, err := fetcher.Fetch(t.Context(), get(scheme+"://"+host+":"+port+"/"))
				require.Error(t, err, "%s: %s", name, host)
				if strings.Contains(strings.ToLower(host), "localhost") {
					continue // where the DNS does not know the name, that is the reason
				}
				require.ErrorIs(t, err, egress.ErrRefused, "%s: %s", name, host)
				require.Contains(t, err.Error(), "This URL cannot be requested: ")
			}
		}
	}
	require.Zero(t, arrived.Load())
	_, err := loopback().Fetch(t.Context(), get(spy.URL))
	require.NoError(t, err)
	require.EqualValues(t, 1, arrived.Load(), "the spy would have seen it")
}

func TestSpecialAddressesAreRefusedWhateverThePolicySays(t *testing.T) {
	t.Parallel()
	for _, policy := range []scriptpolicy.Policy{
		open(scriptpolicy.Public), open(scriptpolicy.Allowlist, "169.0.0.0/8", "fd00::/16", "192.0.0.0/8"), open(scriptpolicy.Allowlist, "127.0.0.1"),
	} {
		for _, url := range []string{
			"http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://[fe80::1]/", "http://192.0.2.1/", "http://224.0.0.1/",
			"http://metadata.google.internal/", "http://[::ffff:169.254.169.254]/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://user:pass@127.0.0.1/",
		} {
			_, err := scriptpolicy.Fetcher(policy, nil).Fetch(t.Context(), get(url))
			require.ErrorIs(t, err, egress.ErrRefused, url)
		}
	}
}

func TestARefusalSaysWhoCanOpenTheTarget(t *testing.T) {
	t.Parallel()
	_, err := scriptpolicy.Fetcher(open(scriptpolicy.Allowlist, "example.com"), nil).Fetch(t.Context(), get("http://other.example.org/"))
	require.EqualError(
		t,
		err,
		"This URL cannot be requested: other.example.org on port 80 is not on the list of allowed targets. An administrator can change what scripts reach under Admin, Script policy.",
	)
}

func TestAnUnreachableTargetIsNamedAsItWasWritten(t *testing.T) {
	t.Parallel()
	_, err := loopback().Fetch(t.Context(), get("http://"+porttest.ClosedAddress(t)+"/"))
	require.ErrorIs(t, err, egress.ErrUnreachable)
	require.EqualError(
		t,
		err,
		"The URL did not answer: no connection to 127.0.0.1: the connection was refused.",
		"it names what the script wrote and nothing more",
	)
}

func TestManyRequestsAtOnceKeepApart(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Query().Get("n")) })
	fetcher := loopback()
	var wg sync.WaitGroup
	errs := make(chan error, 100)
	for i := range cap(errs) {
		wg.Go(func() {
			answer, err := fetcher.Fetch(t.Context(), get(fmt.Sprintf("%s/?n=%d", server.URL, i)))
			if err == nil && string(answer.Body) != fmt.Sprint(i) {
				err = fmt.Errorf("request %d got %q", i, answer.Body)
			}
			errs <- err
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
}
