package strategy

import (
	"container/list"
	"context"
	"crypto/tls"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"countersign/check"
	"countersign/internal/egress"
)

// Limits of the connection pools.
const (
	maxTransports  = 256  // ways to connect: each has its own certificates, proxy, protocol
	maxIdle        = 8192 // open connections of one way that wait for the next run
	maxIdlePerHost = 64
	idleTimeout    = 40 * time.Second
	// maxConnectionAge bounds for how long a connection is reused, so that an expired certificate, a closed port or a moved
	// name is seen within a minute by checks of intervals below 30 s.
	maxConnectionAge = 30 * time.Second
	// freshFrom is the interval from which on checks open a connection for each run by default.
	freshFrom = 30 * time.Second
	// poolSlots divides the servers of one client, so that their connections are not all renewed at once.
	poolSlots       = 32
	maxHeaderBytes  = 64 << 10
	maxTLSSessions  = 512 // of the servers of one slot
	unboundedDialed = 30 * time.Second
)

// transports pools the connections of all HTTP checks of a process; the least recently used are evicted.
type transports struct {
	mu    sync.Mutex
	byKey map[httpKey]*list.Element
	used  *list.List
}

// httpKey is everything besides the server that a connection depends on.
type httpKey struct {
	host                                       *check.Host
	protocol, serverName, ca, certificate, key string
	proxy, proxyUser, proxyPassword            string
	skipVerify, fresh                          bool
	ip                                         egress.IPVersion
	least                                      int
}

// httpClient makes the requests of checks with the same connection settings. It is safe for concurrent use.
type httpClient struct {
	key        httpKey
	encryption *tls.Config
	pools      [poolSlots]pool
	single     *http.Transport // opens a connection for each request
	proxy      *url.URL
}

// pool keeps connections to some servers, none of them longer than maxConnectionAge or than a certificate is valid.
type pool struct {
	mu        sync.Mutex
	transport *http.Transport
	begun     time.Time
	ends      time.Time
}

// kept returns the transport with the connections to a server. Requests that run on an older one go on.
func (c *httpClient) kept(address string, now time.Time) *http.Transport {
	p := c.pool(address)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transport == nil || now.Sub(p.begun) >= maxConnectionAge || !p.ends.IsZero() && now.After(p.ends) {
		if p.transport != nil {
			p.transport.CloseIdleConnections() // it keeps none from now on
		}
		// A resumed session shows no certificate, so a new transport resumes none of the one before.
		encryption := c.encryption.Clone()
		encryption.ClientSessionCache = tls.NewLRUClientSessionCache(maxTLSSessions)
		p.transport, p.begun, p.ends = c.transport(encryption), now, time.Time{}
	}
	return p.transport
}

func (c *httpClient) pool(address string) *pool {
	h := fnv.New32a()
	_, _ = io.WriteString(h, address)
	return &c.pools[h.Sum32()%poolSlots]
}

// certified records the end of a certificate, after which no connection with it is used.
func (c *httpClient) certified(address string, state tls.ConnectionState) {
	if c.key.fresh || len(state.PeerCertificates) == 0 || c.key.host.Now().After(state.PeerCertificates[0].NotAfter) {
		return
	}
	p, end := c.pool(address), state.PeerCertificates[0].NotAfter
	p.mu.Lock()
	if p.ends.IsZero() || end.Before(p.ends) {
		p.ends = end
	}
	p.mu.Unlock()
}

// close ends the idle connections; requests that run go on.
func (c *httpClient) close() {
	for i := range c.pools {
		p := &c.pools[i]
		p.mu.Lock()
		if p.transport != nil {
			p.transport.CloseIdleConnections()
		}
		p.mu.Unlock()
	}
}

// trust describes the certificate that a server must present.
func (c *httpClient) trust(host string) trust {
	return trust{name: otherwise(c.key.serverName, host), roots: c.encryption.RootCAs, unchecked: c.key.skipVerify, least: c.key.least}
}

func newTransports() *transports {
	return &transports{byKey: map[httpKey]*list.Element{}, used: list.New()}
}

// client finds or makes the client for a config. Its error is a *check.Failure.
func (t *transports) client(_ context.Context, run check.Run, c *httpConfig) (*httpClient, error) {
	fresh := run.Interval >= freshFrom
	if c.FreshConnection != nil {
		fresh = *c.FreshConnection
	}
	if ready := c.ready.Load(); ready != nil && ready.key.host == run.Host && ready.key.fresh == fresh {
		return ready, nil
	}
	key := httpKey{
		host: run.Host, protocol: c.Protocol, serverName: c.ServerName, ca: c.CA, certificate: c.ClientCertificate, key: c.ClientKey,
		proxy: c.ProxyURL, proxyUser: c.ProxyUsername, proxyPassword: c.ProxyPassword, skipVerify: c.SkipVerify, fresh: fresh,
		ip: run.IP, least: c.MinDaysUntilExpiry,
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.byKey[key]; ok {
		t.used.MoveToFront(e)
		made, _ := e.Value.(*httpClient)
		c.ready.Store(made)
		return made, nil
	}
	made, err := newHTTPClient(key)
	if err != nil {
		return nil, err
	}
	t.byKey[key] = t.used.PushFront(made)
	if t.used.Len() > maxTransports {
		oldest, _ := t.used.Remove(t.used.Back()).(*httpClient)
		delete(t.byKey, oldest.key)
		oldest.close()
	}
	c.ready.Store(made)
	return made, nil
}

func newHTTPClient(key httpKey) (*httpClient, error) {
	encryption, err := key.encryption()
	if err != nil {
		return nil, err
	}
	c := &httpClient{key: key, encryption: encryption}
	if key.proxy != "" {
		if c.proxy, err = url.Parse(key.proxy); err != nil {
			return nil, check.Fail(check.NotRunnable, "The URL of the proxy is not valid.")
		}
		if key.proxyUser != "" || key.proxyPassword != "" {
			c.proxy.User = url.UserPassword(key.proxyUser, key.proxyPassword)
		}
	}
	c.single = c.transport(encryption)
	c.single.DisableKeepAlives = true
	return c, nil
}

func (k httpKey) encryption() (*tls.Config, error) {
	t := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		Time:               k.host.Now,
		RootCAs:            authorities(k.ca),
		ServerName:         k.serverName,
		InsecureSkipVerify: k.skipVerify, //nolint:gosec // the check's author asks for it
	}
	if k.certificate != "" {
		own, err := tls.X509KeyPair([]byte(k.certificate), []byte(k.key))
		if err != nil {
			return nil, check.Fail(check.NotRunnable, "The client certificate and its key are not a pair in PEM.")
		}
		t.Certificates = []tls.Certificate{own}
	}
	return t, nil
}

func (c *httpClient) transport(encryption *tls.Config) *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(c.key.protocol != "http2")
	protocols.SetHTTP2(c.key.protocol != "http1")
	protocols.SetUnencryptedHTTP2(c.key.protocol == "http2")
	encryption = encryption.Clone()
	if protocols.HTTP2() {
		encryption.NextProtos = append(encryption.NextProtos, "h2")
	}
	if protocols.HTTP1() {
		encryption.NextProtos = append(encryption.NextProtos, "http/1.1")
	}
	t := &http.Transport{
		DialContext: c.dial, TLSClientConfig: encryption, Protocols: protocols, DisableCompression: true,
		TLSHandshakeTimeout: unboundedDialed, MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns: maxIdle, MaxIdleConnsPerHost: maxIdlePerHost, IdleConnTimeout: idleTimeout,
		// A timed-out stream does not close an HTTP/2 connection, so pings detect dead ones.
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 10 * time.Second},
		OnProxyConnectResponse: proxyAnswered,
	}
	if c.proxy != nil {
		t.Proxy = func(*http.Request) (*url.URL, error) { return c.proxy, nil }
	} else {
		t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			return c.dialTLS(ctx, network, address, encryption)
		}
	}
	return t
}

// dial connects for a transport, which keeps connecting when a run has ended; the deadline of the run is set again.
func (c *httpClient) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	return c.connect(ctx, network, address)
}

func (c *httpClient) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if e := exchangeOf(ctx); e != nil && !e.deadline.IsZero() {
		return context.WithDeadline(ctx, e.deadline)
	}
	return context.WithTimeout(ctx, unboundedDialed)
}

func (c *httpClient) connect(ctx context.Context, network, address string) (net.Conn, error) {
	e := exchangeOf(ctx)
	e.reach(connecting)
	if c.key.fresh {
		ctx = egress.Fresh(ctx)
	}
	conn, err := c.key.host.Dial(ctx, c.key.ip.Network(network), address)
	if err != nil {
		doing := "connect to " + address + c.key.ip.Over()
		if c.proxy != nil {
			doing = "connect to the proxy " + address + c.key.ip.Over()
		}
		return nil, check.Classify(ctx, doing, err)
	}
	e.connected(conn)
	return conn, nil
}

func (c *httpClient) dialTLS(ctx context.Context, network, address string, encryption *tls.Config) (net.Conn, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	conn, err := c.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	e := exchangeOf(ctx)
	encryption = encryption.Clone()
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The URL of this check has no valid host.")
	}
	expected := c.trust(host)
	encryption.ServerName = expected.server()
	own := encryption.Certificates
	expected.asked = &atomic.Bool{}
	encryption.GetClientCertificate = func(wanted *tls.CertificateRequestInfo) (*tls.Certificate, error) {
		e.askedForCertificate()
		expected.asked.Store(true)
		if len(own) > 0 && wanted.SupportsCertificate(&own[0]) == nil {
			return &own[0], nil
		}
		return &tls.Certificate{}, nil
	}
	e.reach(encrypting)
	begun := time.Now()
	encrypted := tls.Client(conn, encryption)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, expected.failure(ctx, address, c.key.host.Now(), err)
	}
	if c.key.protocol == "http2" && encrypted.ConnectionState().NegotiatedProtocol != "h2" {
		_ = encrypted.Close()
		return nil, check.Fail(check.BadProtocol, "The server at "+address+" does not speak HTTP/2.")
	}
	e.encrypted(time.Since(begun))
	if e != nil {
		c.certified(e.server, encrypted.ConnectionState())
	}
	return encrypted, nil
}

func unwanted(address string) error {
	return check.Fail(check.NotAdmitted, "The server at "+address+" does not take the client certificate of this check, or asks for one.")
}
