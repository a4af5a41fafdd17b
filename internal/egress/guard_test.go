package egress_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
	"countersign/internal/problem"
)

// mustNotResolve fails the test when a name is looked up.
type mustNotResolve struct{ t *testing.T }

func (r mustNotResolve) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	r.t.Errorf("the name %q was looked up", host)
	return nil, errNoSuchHost
}

// wire stands where the network would be: it records each dialled address and leads it to a test server.
type wire struct {
	server string
	mu     sync.Mutex
	dialed []string
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, address)
	w.mu.Unlock()
	var d net.Dialer
	return d.DialContext(ctx, network, w.server)
}

func (w *wire) addresses() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.dialed...)
}

func wireTo(server *httptest.Server) *wire {
	return &wire{server: server.Listener.Addr().String()}
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// rebinding gives each lookup the next answer of a list, as a hostile DNS server would.
type rebinding struct {
	answers []string
	next    atomic.Int32
}

func (r *rebinding) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := int(r.next.Add(1)) - 1
	return []netip.Addr{netip.MustParseAddr(r.answers[min(i, len(r.answers)-1)])}, nil
}

func TestANameIsResolvedOnceAndTheCheckedAddressIsDialled(t *testing.T) {
	t.Parallel()
	w := wireTo(serve(t, func(http.ResponseWriter, *http.Request) {}))
	resolver := &rebinding{answers: []string{"8.8.8.8", "127.0.0.1"}}
	guard := egress.New(egress.Options{Resolver: resolver, Dial: w.dial, OwnAddrs: noOwnAddrs})

	_, err := egress.Probe(t.Context(), guard, "http://www.example.com/", "GET")
	require.NoError(t, err)
	require.Equal(t, []string{"8.8.8.8:80"}, w.addresses())
	require.EqualValues(t, 1, resolver.next.Load())

	_, err = egress.Probe(t.Context(), guard, "http://www.example.com/", "GET")
	require.ErrorIs(t, err, egress.ErrRefused, "the second answer is internal")
	require.Equal(t, []string{"8.8.8.8:80"}, w.addresses(), "and was not dialled")
}

func TestARefusalShowsNoAddress(t *testing.T) {
	t.Parallel()
	guard := resolvingTo("10.20.30.40")
	_, err := egress.Probe(t.Context(), guard, "http://www.example.com/", "GET")
	require.ErrorIs(t, err, egress.ErrRefused)
	require.NotContains(t, err.Error(), "10.20")
	require.NotContains(t, problem.As(err).Detail, "10.20")

	_, err = guard.Client(time.Second).Get("http://www.example.com/")
	require.ErrorIs(t, err, egress.ErrRefused)
	require.NotContains(t, err.Error(), "10.20")
}

func TestAFailedConnectionShowsNoAddress(t *testing.T) {
	t.Parallel()
	policy, err := egress.ParsePolicy("127.0.0.1")
	require.NoError(t, err)
	guard := egress.New(egress.Options{Policy: policy, Resolver: answers{"up.example.com.": {"127.0.0.1"}}})
	_, err = egress.Probe(t.Context(), guard, "http://up.example.com:"+strconv.Itoa(porttest.Closed(t))+"/", "GET")
	require.ErrorIs(t, err, egress.ErrUnreachable)
	require.NotContains(t, err.Error(), "127.0.0.1")
	require.Equal(t, "The URL did not answer: no connection to up.example.com: the connection was refused.", problem.As(err).Detail)
}

func TestRedirectsAreReportedAndNotFollowed(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	})
	w := wireTo(server)
	guard := egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: w.dial, OwnAddrs: noOwnAddrs})
	result, err := egress.Probe(t.Context(), guard, "http://www.example.com/", "GET")
	require.NoError(t, err)
	require.True(t, result.Redirected)
	require.Equal(t, "http://169.254.169.254/latest/meta-data/", result.Location)
	require.EqualValues(t, 1, hits.Load())
	require.Len(t, w.addresses(), 1)
}

// A client that follows redirects by itself still cannot leave the guard.
func TestAFollowedRedirectIsCheckedAgain(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"http://127.0.0.1:8080/", "http://localhost/", "http://user@www.example.com/", "file:///etc/passwd", "//10.0.0.1/"} {
		w := wireTo(serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}))
		guard := egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: w.dial, OwnAddrs: noOwnAddrs})
		client := guard.Client(time.Second)
		client.CheckRedirect = nil
		_, err := client.Get("http://www.example.com/")
		require.ErrorIs(t, err, egress.ErrRefused, location)
		require.Equal(t, []string{"8.8.8.8:80"}, w.addresses(), location)
	}
}

func TestAProxyFromTheEnvironmentIsIgnored(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	w := wireTo(serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "direct") }))
	guard := egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: w.dial, OwnAddrs: noOwnAddrs})
	result, err := egress.Probe(t.Context(), guard, "http://www.example.com/", "GET")
	require.NoError(t, err)
	require.Equal(t, "direct", result.BodySample)
}

func TestTLSAsksForTheNameAndNotTheAddress(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- hello.ServerName
		return nil, nil // go on with the server's own configuration
	}}
	server.Config.ErrorLog = discardLog()
	server.StartTLS()
	t.Cleanup(server.Close)
	w := wireTo(server)
	guard := egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: w.dial, OwnAddrs: noOwnAddrs})
	_, err := egress.Probe(t.Context(), guard, "https://WWW.example.com./", "GET")
	require.Equal(t, "www.example.com", <-asked)
	require.Equal(t, []string{"8.8.8.8:443"}, w.addresses())
	require.ErrorIs(t, err, egress.ErrUnreachable)
	require.Contains(t, problem.As(err).Detail, "certificate is not signed by a known authority")
}

func TestTheHostHeaderIsTheCheckedHost(t *testing.T) {
	t.Parallel()
	hosts := make(chan string, 1)
	w := wireTo(serve(t, func(_ http.ResponseWriter, r *http.Request) { hosts <- r.Host }))
	guard := egress.New(egress.Options{Resolver: answers{"www.example.com.": {"8.8.8.8"}}, Dial: w.dial, OwnAddrs: noOwnAddrs})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://WWW.example.com./", http.NoBody)
	require.NoError(t, err)
	req.Host = "metadata.google.internal"
	res, err := guard.Client(time.Second).Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, "www.example.com", <-hosts)
}

func TestTheNextAddressIsTriedWhenOneIsDead(t *testing.T) {
	t.Parallel()
	w := wireTo(serve(t, func(http.ResponseWriter, *http.Request) {}))
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if address != "9.9.9.9:80" {
			<-ctx.Done() // a black hole takes all the time it is given
			return nil, ctx.Err()
		}
		return w.dial(ctx, network, address)
	}
	guard := egress.New(egress.Options{
		Resolver: answers{"www.example.com.": {"8.8.8.8", "9.9.9.9"}}, Dial: dial, OwnAddrs: noOwnAddrs,
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	conn, err := guard.DialContext(ctx, "tcp", "www.example.com:80")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, []string{"9.9.9.9:80"}, w.addresses())
}

func TestATransportThatIsNoStreamIsRefused(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"udp", "unix", "ip"} {
		_, err := resolvingTo("8.8.8.8").DialContext(t.Context(), network, "www.example.com:80")
		require.ErrorIs(t, err, egress.ErrRefused, network)
	}
	for _, address := range []string{"", "www.example.com", "www.example.com:", "www.example.com:x", "127.0.0.1:80", "[::1]:80", "localhost:80"} {
		_, err := resolvingTo("8.8.8.8").DialContext(t.Context(), "tcp", address)
		require.ErrorIs(t, err, egress.ErrRefused, address)
	}
}

// The spy is a listener on this machine, so that it sees what really arrives at a socket: each hostile URL leads to it
// by some spelling, some DNS answer or some redirect, and none may connect.
func TestNoHostileURLReachesASocketOfThisMachine(t *testing.T) {
	t.Parallel()
	spy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var arrived atomic.Int32
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := spy.Accept()
			if err != nil {
				return
			}
			arrived.Add(1)
			_ = conn.Close()
		}
	})
	_, port, err := net.SplitHostPort(spy.Addr().String())
	require.NoError(t, err)

	resolver := answers{}
	for name, addr := range map[string]string{
		"a": "127.0.0.1", "b": "::1", "c": "::ffff:127.0.0.1", "d": "0.0.0.0", "e": "::", "f": "64:ff9b::7f00:1", "g": "2002:7f00:1::",
		"h": "::127.0.0.1",
	} {
		resolver[name+".example.com."] = []string{addr}
		resolver["mixed-"+name+".example.com."] = []string{"8.8.8.8", addr}
	}
	guard := egress.New(egress.Options{Resolver: resolver})
	hosts := []string{
		"127.0.0.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "2130706433", "017700000001", "0", "0.0.0.0",
		"127.127.127.127", "127.0.0.1.", "localhost", "LocalHost", "localhost.", "a.localhost", "%6cocalhost", "127%2e0%2e0%2e1",
		"①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "ｌocalhost", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
		"[::ffff:7f00:1]", "[::127.0.0.1]", "[::1%25lo]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "example.com@127.0.0.1",
		"example.com\\@127.0.0.1", "127.0.0.1#@example.com", "127.0.0.1\\.example.com",
	}
	for name := range resolver {
		hosts = append(hosts, strings.TrimSuffix(name, "."))
	}
	for _, host := range hosts {
		for _, scheme := range []string{"http", "https", "HTTP"} {
			_, err := egress.Probe(t.Context(), guard, scheme+"://"+host+":"+port+"/", "GET")
			require.ErrorIs(t, err, egress.ErrRefused, host)
		}
		// What net/http makes of the same text must not get past the transport either.
		if u, err := url.Parse("http://" + host + ":" + port + "/"); err == nil {
			res, err := guard.Client(time.Second).Do(&http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}})
			if res != nil {
				_ = res.Body.Close()
			}
			require.ErrorIs(t, err, egress.ErrRefused, host)
		}
	}
	require.NoError(t, spy.Close())
	accepting.Wait()
	require.Zero(t, arrived.Load())
}

func TestTheSpyWouldSeeAConnection(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	policy, err := egress.ParsePolicy("127.0.0.1/32")
	require.NoError(t, err)
	result, err := egress.Probe(t.Context(), egress.New(egress.Options{Policy: policy}), server.URL, "GET")
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, result.Status)
}
