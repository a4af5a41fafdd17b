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

	mu                         sync.Mutex
	at                         stage
	firstByte                  time.Duration
	opened                     bool
	certificateAsked           bool
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
	said := err.Error()
	switch {
	case slices.Contains(certificateAsked, alertOf(err)):
		return unwanted(address)
	case at == asking && certificateAskedFor && strings.Contains(said, "http2: "):
		// The transport reports the end of the connection before its cause.
		return unwanted(address)
	case errors.Is(err, http.ErrSchemeMismatch):
		return check.Fail(check.BadProtocol, "The server at "+address+" does not speak TLS.")
	case strings.Contains(said, "chunk"):
		return check.Fail(check.BadProtocol, "The body that "+address+" answers with has malformed chunks.")
	case strings.Contains(said, "malformed"),
		strings.Contains(said, "http2: "),
		strings.Contains(said, "invalid character"),
		strings.Contains(said, "frame too large"):
		return check.Fail(check.BadProtocol, "The server at "+address+" does not speak HTTP.")
	case strings.Contains(said, "response headers exceeded"):
		return check.Fail(check.BadProtocol, "The headers that "+address+" answers with are larger than a check takes.")
	}
	if _, is := errors.AsType[*tls.CertificateVerificationError](err); is { // through a proxy, the transport verifies
		host, _, _ := net.SplitHostPort(address)
		return e.client.trust(host).failure(ctx, address, e.client.key.host.Now(), err)
	}
	f := check.Classify(ctx, "get an answer from "+address, err)
	if f.Cause == check.Broken && at == asking && certificateAskedFor {
		// From TLS 1.3 on, a server rejects a client certificate after the handshake, and its alert may get lost.
		return unwanted(address)
	}
	if f.Cause != check.TimedOut {
		return f
	}
	switch at {
	case waiting, connecting:
		return check.Fail(check.TimedOut, "Could not connect to "+address+": it took too long.")
	case encrypting:
		return check.Fail(check.TimedOut, "Could not set up TLS with "+address+": it took too long.")
	case asking:
		return check.Fail(check.TimedOut, "The connection to "+address+" stood, but no answer began in time.")
	case answering:
		return check.Fail(check.TimedOut, "The answer of "+address+" began, but its headers did not end in time.")
	default:
		return check.Fail(check.TimedOut, "The answer of "+address+" began, but its body did not end in time.")
	}
}
