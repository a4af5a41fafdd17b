package strategy

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/check"
	"countersign/internal/egress"
)

// stage is the phase of a request.
type stage int

const (
	waiting stage = iota // for a connection
	connecting
	encrypting
	asking    // the connection stands
	answering // the answer has begun
	reading   // the body
)

// exchange records the progress and the phase timings of one run's request. A connection opened for it can be pooled
// for another request, and its setup continues when the run has ended. It is the context of its request, in which the
// transport's dials find it.
type exchange struct {
	context.Context //nolint:containedctx // it is one
	trace           httptrace.ClientTrace

	client *httpClient
	// server is the address of the first request, whose pool keeps the connections of the whole exchange.
	server   string
	begun    time.Time
	deadline time.Time

	mu               sync.Mutex
	at               stage
	firstByte        time.Duration
	opened           bool
	certificateAsked bool
	// behindProxy reports that the proxy has connected to the server: what is said from then on is the server's.
	behindProxy                bool
	lookup, connect, handshake time.Duration
	shakingSince               time.Time
	// from and to are the addresses of the last redirect.
	from, to string
}

// redirecting records that the next request goes to another server, or to the same one once more.
func (e *exchange) redirecting(from, to string) {
	e.mu.Lock()
	if e.to != "" {
		from = e.to
	}
	e.from, e.to = from, to
	e.mu.Unlock()
}

// redirectedTo returns the address of the last redirect; empty without one.
func (e *exchange) redirectedTo() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.to
}

type exchangeKey struct{}

// Value implements context.Context.
func (e *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return e
	}
	return e.Context.Value(key)
}

// exchangeOf returns the exchange of a run's context; nil outside of a run.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

func (e *exchange) reach(at stage) {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.at = at
	e.mu.Unlock()
}

func (e *exchange) connected(conn net.Conn) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opened = true
	if c, ok := conn.(*egress.Conn); ok {
		e.lookup += c.Lookup
		e.connect += c.Connect
	}
}

func (e *exchange) encrypted(took time.Duration) {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.handshake += took
	e.mu.Unlock()
}

// tunnelled records that the proxy has connected to the server.
func (e *exchange) tunnelled() {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.behindProxy = true
	e.mu.Unlock()
}

// askedForCertificate records that the server requested a client certificate.
func (e *exchange) askedForCertificate() {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.certificateAsked = true
	e.mu.Unlock()
}

// got records the connection of the request.
func (e *exchange) got(info httptrace.GotConnInfo) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = asking
	if info.Reused {
		e.opened, e.lookup, e.connect, e.handshake = false, 0, 0, 0
	}
}

// shaking and shaken record the TLS handshake through a proxy, which the transport makes itself.
func (e *exchange) shaking() {
	e.mu.Lock()
	e.at, e.shakingSince = encrypting, time.Now()
	e.mu.Unlock()
}

func (e *exchange) shaken() {
	e.mu.Lock()
	if e.handshake == 0 {
		e.handshake = time.Since(e.shakingSince)
	}
	e.mu.Unlock()
}

func (e *exchange) first() {
	e.mu.Lock()
	e.at, e.firstByte = answering, time.Since(e.begun)
	e.mu.Unlock()
}

// times copies the timings to a result.
func (e *exchange) times(r *httpResult) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.FirstByteMs = milliseconds(e.firstByte)
	if !e.opened {
		return
	}
	for _, m := range []struct {
		took time.Duration
		into **float64
	}{{e.lookup, &r.DNSMs}, {e.connect, &r.ConnectMs}, {e.handshake, &r.TLSMs}} {
		if m.took > 0 {
			ms := milliseconds(m.took)
			*m.into = &ms
		}
	}
}

// failure explains a missing or incomplete response, and names the redirect that led to it. A redirect to a closed
// address is a fault of the target.
func (e *exchange) failure(ctx context.Context, address string, err error) error {
	e.mu.Lock()
	from, to := e.from, e.to
	e.mu.Unlock()
	if to != "" {
		address = to
	}
	failed := e.explain(ctx, address, err)
	f, ok := errors.AsType[*check.Failure](failed)
	switch {
	case to == "" || !ok || f.Cause == check.WrongAnswer:
		return failed
	case f.Cause == check.EgressRefused:
		return check.Fail(check.WrongAnswer, "The server at "+from+" redirects to "+to+", which checks may not reach.")
	default:
		return check.Fail(f.Cause, strings.TrimSuffix(f.Message, ".")+" (after a redirect from "+from+").")
	}
}

func (e *exchange) explain(ctx context.Context, address string, err error) error {
	if f, ok := errors.AsType[*check.Failure](err); ok {
		return f
	}
	e.mu.Lock()
	at, certificateAskedFor := e.at, e.certificateAsked
	e.mu.Unlock()
	peer, proxied := e.peer(address)
	said := err.Error()
	switch {
	case slices.Contains(certificateAsked, alertOf(err)):
		return unwanted(address)
	case at == asking && certificateAskedFor && strings.Contains(said, "http2: "):
		// The transport reports the end of the connection before its cause.
		return unwanted(address)
	case errors.Is(err, http.ErrSchemeMismatch):
		return check.Fail(check.BadProtocol, upper(peer)+" does not speak TLS.")
	}
	if f := malformed(peer, address, said); f != nil {
		return f
	}
	if e.client.proxy != nil && (at == encrypting || errors.As(err, new(*tls.CertificateVerificationError))) {
		// The transport itself shakes hands through a proxy, and with one over TLS.
		named := address
		if proxied {
			named = addressOf(e.client.proxy)
		}
		host, _, _ := net.SplitHostPort(named)
		t := e.client.trust(host)
		if proxied {
			named = "the proxy " + named
		}
		return t.failure(ctx, named, e.client.key.host.Now(), err)
	}
	doing := "get an answer from " + address
	if proxied {
		doing = "get an answer from " + peer
	}
	f := check.Classify(ctx, doing, err)
	if f.Cause == check.Broken && at == asking && certificateAskedFor {
		// From TLS 1.3 on, a server rejects a client certificate after the handshake, and its alert may get lost.
		return unwanted(address)
	}
	switch f.Cause {
	case check.TimedOut:
		return e.late(at, address)
	case check.Broken:
		return broken(at, address, f)
	default:
		return f
	}
}

// peer is what sentences call the one that the check speaks with, and whether that is a proxy. Through a proxy, the
// server itself speaks over TLS alone.
func (e *exchange) peer(address string) (name string, proxied bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client.proxy == nil || e.behindProxy {
		return "the server at " + address, false
	}
	return "the proxy " + addressOf(e.client.proxy), true
}

// malformed explains an answer that the transport could not read; nil for any other error.
func malformed(peer, address, said string) error {
	switch {
	case strings.Contains(said, "chunk"):
		return check.Fail(check.BadProtocol, "The body that "+address+" answers with has malformed chunks.")
	case strings.Contains(said, "multiple Content-Length"):
		return check.Fail(check.BadProtocol, "The answer of "+address+" has several Content-Length headers that differ.")
	case strings.Contains(said, "bad Content-Length"):
		_, value, _ := strings.Cut(said, "bad Content-Length ")
		return check.Fail(check.BadProtocol, "The answer of "+address+" has a Content-Length that is not a length: "+brief(clip(value, 100))+".")
	case strings.Contains(said, "transfer encoding"):
		return check.Fail(check.BadProtocol, "The answer of "+address+" has a Transfer-Encoding that is not valid.")
	case strings.Contains(said, `malformed HTTP response "\x15\x03`): // the first bytes of a TLS alert
		return check.Fail(check.BadProtocol, upper(peer)+" expects TLS there: use https://.")
	case strings.Contains(said, "malformed"),
		strings.Contains(said, "http2: "),
		strings.Contains(said, "invalid character"),
		strings.Contains(said, "frame too large"):
		return check.Fail(check.BadProtocol, upper(peer)+" does not speak HTTP.")
	case strings.Contains(said, "response headers exceeded"):
		return check.Fail(check.BadProtocol, "The headers that "+address+" answers with are larger than a check takes.")
	}
	return nil
}

// broken explains a connection that was interrupted in a phase of the request.
func broken(at stage, address string, f *check.Failure) error {
	switch at {
	case answering:
		return check.Fail(check.Broken, "The answer of "+address+" began, but the connection was interrupted before its headers had ended.")
	case reading:
		return check.Fail(check.Broken, "The answer of "+address+" began, but the connection was interrupted before its body had ended.")
	default:
		return f
	}
}

// late explains a request that did not end in time.
func (e *exchange) late(at stage, address string) error {
	peer, proxied := e.peer(address)
	e.mu.Lock()
	stood := e.opened
	e.mu.Unlock()
	var says string
	switch {
	case at == encrypting && proxied:
		says = "Could not set up TLS with " + peer + ": it took too long."
	case at == encrypting:
		says = "Could not set up TLS with " + address + ": it took too long."
	case at <= connecting && proxied && stood:
		says = upper(peer) + " did not connect to " + address + " in time."
	case at <= connecting && proxied:
		says = "Could not connect to " + peer + ": it took too long."
	case at <= connecting:
		says = "Could not connect to " + address + ": it took too long."
	case at == asking && proxied:
		says = "The connection to " + peer + " stood, but no answer of " + address + " began in time."
	case at == asking:
		says = "The connection to " + address + " stood, but no answer began in time."
	case at == answering:
		says = "The answer of " + address + " began, but its headers did not end in time."
	default:
		says = "The answer of " + address + " began, but its body did not end in time."
	}
	return check.Fail(check.TimedOut, says)
}
