package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/api/mcp/calls"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text/strictjson"
)

const (
	// maxBody is larger than the largest input of a tool.
	maxBody = 1 << 20
	// maxBatch limits the requests of one body; revisions before 2025-06-18 allow several.
	maxBatch = 16
)

// exchange is the state of one HTTP request.
type exchange struct {
	principal principal.Principal
	// request is the HTTP request, server the library's server of a listening client.
	request  *http.Request
	server   *sdk.Server
	response *response
	// done ends when the client has disconnected or cancelled.
	done context.Context
	// isSingle reports that the body holds one request, whose result can set the HTTP status.
	isSingle bool
	refusal  atomic.Pointer[problem.Error]
	// challenge is Options.Challenge.
	challenge func(refusal error) string
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, ok := ctx.Value(exchangeKey{}).(*exchange)
	if !ok {
		return &exchange{done: ctx}
	}
	return x
}

// refuse records that the whole request is refused, for the HTTP status.
func (x *exchange) refuse(p *problem.Error) {
	if status := statusOf(p); status != 0 && x.isSingle {
		x.refusal.Store(p)
	}
}

// statusOf returns the HTTP status of refusals that have one, 0 for others, which are answers.
func statusOf(p *problem.Error) int {
	if p.Code.RPC() == problem.RateLimited || lacksScope(p) {
		return p.GetStatus()
	}
	return 0
}

// lacksScope reports whether the client lacks a scope, which it can ask the person for.
func lacksScope(p *problem.Error) bool { return p.Extra["missingScope"] != nil }

// withClient returns a context that also ends when the client disconnects or cancels: without sessions the client could not
// fetch the answer later.
func withClient(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := exchangeOf(ctx)
	stop := context.AfterFunc(x.done, func() { cancel(context.Cause(x.done)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// ServeHTTP serves one request with the bearer token of a principal who may use tools.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := e.authenticate(r)
	if err != nil {
		if isStreamRequest(r) && hostFailure(err) {
			e.noStream(r.Context(), w, r, err)
			return
		}
		if problem.CodeOf(err) == problem.Internal && r.Context().Err() == nil {
			e.Log.Error("Authentication of an MCP client failed", "error", err)
		}
		if e.Challenge != nil && problem.Is(err, problem.Unauthorized) {
			w = &challenged{ResponseWriter: w, challenge: e.challenge(r, err)}
		}
		rest.WriteProblem(w, err)
		return
	}
	x := &exchange{principal: p, request: r, done: r.Context(), challenge: e.Challenge}
	var plain directRequest
	var head requestHead
	answeredHere := false
	if r.Method == http.MethodPost {
		body, err := readBody(w, r)
		if err != nil {
			rest.WriteProblem(w, err)
			return
		}
		requests, err := countRequests(body)
		if err != nil {
			writeError(w, http.StatusBadRequest, nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: problem.As(err).Detail})
			return
		}
		x.isSingle = requests == 1
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch plain, answeredHere = e.parseDirect(r, body); {
		case answeredHere:
			head = requestHead{id: plain.id, method: plain.method}
		case x.isSingle && r.Header.Get(revisionHeader) < questionRevision:
			head = parseHead(body)
		}
	}
	ctx := context.WithValue(principal.NewContext(r.Context(), p), exchangeKey{}, x)
	x.response = &response{ResponseWriter: w, exchange: x}
	ctx, end, err := e.handleOlderRevision(ctx, head)
	if err != nil {
		if problem.CodeOf(err) == problem.Internal && ctx.Err() == nil {
			e.Log.Error("MCP request failed", "request", head.method, "error", err)
		}
		rest.WriteProblem(w, err)
		return
	}
	defer end()
	switch {
	case answeredHere:
		e.answerDirect(ctx, x.response, plain)
	case isStreamRequest(r):
		e.stream(ctx, x)
	default:
		e.served.ServeHTTP(x.response, r.WithContext(ctx))
	}
}

// challenge returns the WWW-Authenticate header. A request without a token gets one without an error.
func (e *Endpoint) challenge(r *http.Request, err error) string {
	if r.Header.Get("Authorization") == "" {
		err = nil
	}
	return e.Challenge(err)
}

// challenged is a response with another challenge than the problem's own.
type challenged struct {
	http.ResponseWriter

	challenge string
}

func (c *challenged) WriteHeader(status int) {
	c.Header().Set("WWW-Authenticate", c.challenge)
	c.ResponseWriter.WriteHeader(status)
}

// authenticate returns the principal of the request. Cookies are ignored: browsers send them unasked (CSRF).
func (e *Endpoint) authenticate(r *http.Request) (principal.Principal, error) {
	if r.URL.Query().Has("access_token") {
		return principal.Principal{}, problem.Errorf(
			problem.NotAcceptable,
			"A token does not belong into an address, where logs keep it. Send it in the header Authorization.",
		)
	}
	bare := r.Clone(r.Context())
	bare.Header.Del("Cookie")
	p, err := e.Authenticator.Authenticate(r.Context(), bare)
	switch {
	case err != nil:
		return p, err
	case p.IsZero():
		return p, problem.Errorf(
			problem.Unauthorized,
			"Send the token of an application, or one that you were given for this address, as a bearer token.",
		)
	case p.MustChangePassword:
		return p, problem.Errorf(problem.OwnPassword, "Change your password in the app first: another person has seen it.")
	}
	if missing := p.Missing(e.Rule); len(missing) > 0 {
		return p, problem.MissingRule("use tools", missing...)
	}
	return p, nil
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, problem.Errorf(problem.TooLarge, "The request is larger than %d bytes. Send less.", maxBody)
	}
	if err != nil {
		return nil, problem.Errorf(problem.NotAcceptable, "The request ended before it was complete. Send it again.")
	}
	return body, nil
}

// countRequests counts the requests of a body, and refuses JSON that two parsers could read differently.
func countRequests(body []byte) (int, error) {
	if err := strictjson.Check(body); err != nil {
		return 0, problem.Errorf(problem.NotAcceptable, "The request is not valid JSON: %s.", err)
	}
	if first := bytes.TrimLeft(body, " \t\r\n"); len(first) == 0 || first[0] != '[' {
		return 1, nil
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(body, &batch); err != nil {
		return 0, problem.Errorf(problem.NotAcceptable, "The request is not valid JSON.")
	}
	if len(batch) > maxBatch {
		return 0, problem.Errorf(problem.NotAcceptable, "A body holds at most %d requests. Send them in several.", maxBatch)
	}
	return len(batch), nil
}

// response is the response writer that gives a refusal its HTTP status. The library sets the statuses of its own errors
// only.
type response struct {
	http.ResponseWriter

	exchange *exchange

	mu         sync.Mutex
	headerSent bool
	refused    bool
}

// Unwrap supports http.ResponseController.
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *response) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sendHeader(status)
}

func (a *response) sendHeader(status int) {
	if p := a.exchange.refusal.Load(); p != nil && !a.headerSent {
		a.refused = true
		status = p.GetStatus()
		maps.Copy(a.Header(), p.GetHeaders())
		if lacksScope(p) && a.exchange.challenge != nil {
			a.Header().Set("WWW-Authenticate", a.exchange.challenge(p))
		}
		a.Header().Set("Content-Type", "application/json")
	}
	a.headerSent = true
	// Keeps buffering proxies from delaying events.
	a.Header().Set("X-Accel-Buffering", "no")
	a.ResponseWriter.WriteHeader(status)
}

func (a *response) Write(data []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.headerSent {
		a.sendHeader(http.StatusOK)
	}
	if errors.Is(context.Cause(a.exchange.done), calls.ErrCancelled) {
		// A stream that ended without an answer has none.
		return len(data), nil
	}
	if !a.refused {
		return a.ResponseWriter.Write(data)
	}
	// The library framed it as an event before the status said that there is no stream.
	plain := data
	if _, framed, ok := bytes.Cut(data, []byte("data: ")); ok && !json.Valid(data) {
		plain = bytes.TrimRight(framed, "\n")
	}
	if _, err := a.ResponseWriter.Write(plain); err != nil {
		return 0, err
	}
	return len(data), nil
}

// keepAlive sends keepalives on an open event stream, against the idle timeouts of proxies.
func (a *response) keepAlive() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.headerSent || a.refused {
		return
	}
	_, _ = a.ResponseWriter.Write([]byte(": \n\n"))
	_ = http.NewResponseController(a.ResponseWriter).Flush()
}

// writeError answers with a protocol error; id is nil when the request could not be parsed.
func writeError(w http.ResponseWriter, status int, id any, e *jsonrpc.Error) {
	document, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": e})
	if err != nil {
		document = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(document)
}
