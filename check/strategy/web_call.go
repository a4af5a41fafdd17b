package strategy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/check"
)

// mostWebAnswer bounds the body of an answer to a call.
const mostWebAnswer = 1 << 20

// webCall makes requests of one run to an HTTP API, each over a connection of its own. It is safe for concurrent use.
type webCall struct {
	run  check.Run
	base *url.URL
	// service names the API in sentences, such as Prometheus.
	service string
	header  http.Header
	secured trust
	// named replaces the address in sentences.
	named string
	// connect replaces the dial, for a socket of the machine.
	connect func(ctx context.Context) (net.Conn, error)
	// follows is the number of redirects to follow.
	follows int
}

// webRequest is one request of a call.
type webRequest struct {
	*webCall

	mu   sync.Mutex
	wire *wire
	// failed is the error below HTTP.
	failed      error
	certificate lifetime
	// from and to are the addresses of the last redirect, empty without one.
	from, to string
}

// webAnswer is the answer to a call.
type webAnswer struct {
	status int
	body   []byte
	took   time.Duration
	// connected is the part of it until the connection stood.
	connected   time.Duration
	from        *url.URL
	certificate lifetime
}

// address is what sentences call the server.
func (c *webCall) address() string {
	if c.named != "" {
		return c.named
	}
	return addressOf(c.base)
}

// get makes a GET request to a path of the API. Its error is a *check.Failure. An answer of any status is no error.
func (c *webCall) get(ctx context.Context, path string, query url.Values) (*webAnswer, error) {
	u := *c.base
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	u.RawPath, u.RawQuery, u.Fragment = "", query.Encode(), ""
	return c.fetch(ctx, &u)
}

func (c *webCall) fetch(ctx context.Context, u *url.URL) (*webAnswer, error) {
	r := &webRequest{webCall: c}
	transport := &http.Transport{
		// The transport's own context does not end with the run.
		DialContext:     func(_ context.Context, _, address string) (net.Conn, error) { return r.dial(ctx, address) },
		DialTLSContext:  func(_ context.Context, _, address string) (net.Conn, error) { return r.dialTLS(ctx, address) },
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, MaxResponseHeaderBytes: maxHeaderBytes, DisableKeepAlives: true,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(request *http.Request, via []*http.Request) error {
		if len(via) > c.follows {
			return http.ErrUseLastResponse
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.from, r.to = addressOf(via[len(via)-1].URL), addressOf(request.URL)
		return nil
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The URL of this check is not valid.")
	}
	request.Header = http.Header{"User-Agent": {"Countersign"}, "Accept": {"application/json"}}
	maps.Copy(request.Header, c.header)
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
		request.Header.Del("Host")
	}
	began := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return nil, r.failure(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil, misspoken(c.address(), c.service)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostWebAnswer+1))
	if err != nil {
		return nil, r.failure(ctx, err)
	}
	if len(body) > mostWebAnswer {
		return nil, check.Fail(check.WrongAnswer, "The answer of "+c.address()+" is larger than a check takes.")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &webAnswer{
		status: response.StatusCode, body: body, took: time.Since(began), from: response.Request.URL, certificate: r.certificate,
	}
	if r.wire != nil {
		a.connected = r.wire.took
	}
	return a, nil
}

func (c *webRequest) dial(ctx context.Context, address string) (net.Conn, error) {
	if c.connect != nil {
		conn, err := c.connect(ctx)
		if err != nil {
			return nil, c.note(nil, err)
		}
		w := wired(ctx, conn, c.address())
		return w, c.note(w, nil)
	}
	w, err := reachAddress(ctx, c.run, address)
	if err != nil {
		return nil, c.note(nil, err)
	}
	return w, c.note(w, nil)
}

func (c *webRequest) dialTLS(ctx context.Context, address string) (net.Conn, error) {
	w, err := reachAddress(ctx, c.run, address)
	if err != nil {
		return nil, c.note(nil, err)
	}
	expected := c.secured
	if host, _, err := net.SplitHostPort(address); err == nil && address != addressOf(c.base) {
		expected.name = host // after a redirect
	}
	conn, err := encrypt(ctx, w, expected, "http/1.1")
	if err != nil {
		_ = w.Close()
		return nil, c.note(w, err)
	}
	c.mu.Lock()
	c.certificate = expected.lifetime(address, conn.ConnectionState().PeerCertificates, c.run.Now())
	c.mu.Unlock()
	return conn, c.note(w, nil)
}

func (c *webRequest) note(w *wire, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wire, c.failed = w, err
	return err
}

// failure explains a missing answer.
func (c *webRequest) failure(ctx context.Context, err error) error {
	c.mu.Lock()
	below, spoke, from, to := c.failed, c.wire, c.from, c.to
	c.mu.Unlock()
	address := c.address()
	switch {
	case to != "" && below != nil && check.Classify(ctx, "connect to "+to, below).Cause == check.EgressRefused:
		return check.Fail(check.WrongAnswer, "The server at "+from+" redirects to "+to+", which checks may not reach.")
	case below != nil:
		return check.Classify(ctx, "connect to "+address, below)
	case slices.Contains(certificateAsked, alertOf(err)):
		return unwanted(address)
	case ctx.Err() != nil && spoke != nil && len(spoke.began()) > 0:
		return check.Fail(check.TimedOut, "The answer of "+address+" began, but did not end in time.")
	case ctx.Err() != nil && spoke != nil:
		return check.Fail(check.TimedOut, "The connection to "+address+" stood, but no answer began in time.")
	case spoke != nil && spoke.full():
		return check.Fail(check.WrongAnswer, "The answer of "+address+" is larger than a check takes.")
	case halfAnswer(ctx, spoke, address, err) != nil:
		return halfAnswer(ctx, spoke, address, err)
	case errors.Is(err, http.ErrSchemeMismatch), strings.Contains(err.Error(), "malformed"), strings.Contains(err.Error(), "chunk"),
		strings.Contains(err.Error(), "response headers exceeded"), strings.Contains(err.Error(), "invalid"):
		return misspoken(address, "HTTP")
	case spoke != nil && c.base.Scheme == "http" && len(spoke.began()) > 0 && !bytes.HasPrefix(spoke.began(), []byte("HTTP/")):
		// The transport hangs up on a server that speaks before the request.
		return misspoken(address, "HTTP")
	}
	return check.Classify(ctx, "get an answer from "+address, err)
}

// halfAnswer explains an answer of HTTP that began and could not be read to its end; nil for any other.
func halfAnswer(ctx context.Context, spoke *wire, address string, err error) error {
	if spoke == nil || !bytes.HasPrefix(spoke.began(), []byte("HTTP/")) {
		return nil
	}
	if f := malformed("the server at "+address, address, err.Error()); f != nil {
		return f
	}
	if check.Classify(ctx, "read the answer of "+address, err).Cause == check.Broken {
		return check.Fail(check.Broken, "The answer of "+address+" began, but the connection was interrupted before it had ended.")
	}
	return nil
}

// refusal explains a status that does not admit the check; nil for any other.
func (c *webCall) refusal(a *webAnswer) error {
	if a.status != http.StatusUnauthorized && a.status != http.StatusForbidden {
		return nil
	}
	return check.Fail(
		check.NotAdmitted,
		c.service+" at "+c.address()+" does not admit this check: it answered with status "+itoa(a.status)+".",
	)
}
