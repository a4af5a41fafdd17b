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

	"countersign/mcp/calls"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/text/strictjson"
)

const (
	// maxBody is more than the largest input of a tool.
	maxBody = 1 << 20
	// maxBatch bounds the requests of one body, which revisions before 2025-06-18 allow.
	maxBatch = 16
)

// exchange is one HTTP request, as far as what serves it has to know of it.
type exchange struct {
	principal principal.Principal
	// request is what was sent, and server the one of a client that listens.
	request *http.Request
	server  *sdk.Server
	answer  *answer
	// done ends when the client is gone, or wants no answer any more.
	done context.Context
	// alone says that the body is one request, whose answer may decide about the status.
	alone   bool
	refusal atomic.Pointer[problem.Error]
	// challenge is that of Options.
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

// refuse notes that the request is refused as a whole, for the status of its answer.
func (x *exchange) refuse(p *problem.Error) {
	if status := statusOf(p); status != 0 && x.alone {
		x.refusal.Store(p)
	}
}

// statusOf is the HTTP status of refusals that have one of their own, 0 for all others: those are answers.
func statusOf(p *problem.Error) int {
	if p.Code.RPC() == problem.RateLimited || lacksScope(p) {
		return p.GetStatus()
	}
	return 0
}

// lacksScope reports whether the person has not let the client do this: it can ask them for more.
func lacksScope(p *problem.Error) bool { return p.Extra["missingScope"] != nil }

// tied is ctx, which also ends when the client is gone or wants no answer any more: there are no sessions in which it could ask for the
// answer later.
func tied(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	x := exchangeOf(ctx)
	stop := context.AfterFunc(x.done, func() { cancel(context.Cause(x.done)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// ServeHTTP serves one request: it has to come with a bearer token that names a principal who may use tools.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := e.authenticate(r)
	if err != nil {
		if streams(r) && hostFailure(err) {
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
	var plain direct
	var head heading
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
		x.alone = requests == 1
		r.Body = io.NopCloser(bytes.NewReader(body))
		switch plain, answeredHere = e.directly(r, body); {
		case answeredHere:
			head = heading{id: plain.id, method: plain.method}
		case x.alone && r.Header.Get(revisionHeader) < withQuestions:
			head = headingOf(body)
		}
	}
	ctx := context.WithValue(principal.NewContext(r.Context(), p), exchangeKey{}, x)
	x.answer = &answer{ResponseWriter: w, exchange: x}
	ctx, end, err := e.older(ctx, head)
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
		e.answerDirectly(ctx, x.answer, plain)
	case streams(r):
		e.stream(ctx, x)
	default:
		e.served.ServeHTTP(x.answer, r.WithContext(ctx))
	}
}

// challenge says how to get a token that is good. Who has sent none has sent no bad one.
func (e *Endpoint) challenge(r *http.Request, err error) string {
	if r.Header.Get("Authorization") == "" {
		err = nil
	}
	return e.Challenge(err)
}

// challenged is an answer with another challenge than a problem has by itself.
type challenged struct {
	http.ResponseWriter

	challenge string
}

func (c *challenged) WriteHeader(status int) {
	c.Header().Set("WWW-Authenticate", c.challenge)
	c.ResponseWriter.WriteHeader(status)
}

// authenticate is who makes the request. A cookie says nothing here: browsers send it by themselves.
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
		return p, problem.Errorf(problem.OwnPassword, "Change your password in the app first: somebody else has seen it.")
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

// countRequests is how many requests a body holds. It is an error when two readers could read the body differently.
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

// answer gives a refusal the status that it has over HTTP. The library knows the statuses of its own errors only.
type answer struct {
	http.ResponseWriter

	exchange *exchange

	mu      sync.Mutex
	begun   bool
	refused bool
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(status)
}

func (a *answer) begin(status int) {
	if p := a.exchange.refusal.Load(); p != nil && !a.begun {
		a.refused = true
		status = p.GetStatus()
		maps.Copy(a.Header(), p.GetHeaders())
		if lacksScope(p) && a.exchange.challenge != nil {
			a.Header().Set("WWW-Authenticate", a.exchange.challenge(p))
		}
		a.Header().Set("Content-Type", "application/json")
	}
	a.begun = true
	// Proxies that buffer would keep events from the client.
	a.Header().Set("X-Accel-Buffering", "no")
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(data []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun {
		a.begin(http.StatusOK)
	}
	if errors.Is(context.Cause(a.exchange.done), calls.ErrCancelled) {
		// A stream that ends without an answer says that there is none.
		return len(data), nil
	}
	if !a.refused {
		return a.ResponseWriter.Write(data)
	}
	// It was framed as an event, before the status said that there is no stream.
	plain := data
	if _, framed, ok := bytes.Cut(data, []byte("data: ")); ok && !json.Valid(data) {
		plain = bytes.TrimRight(framed, "\n")
	}
	if _, err := a.ResponseWriter.Write(plain); err != nil {
		return 0, err
	}
	return len(data), nil
}

// stay keeps an open stream of events from looking idle to proxies.
func (a *answer) stay() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.begun || a.refused {
		return
	}
	_, _ = a.ResponseWriter.Write([]byte(": \n\n"))
	_ = http.NewResponseController(a.ResponseWriter).Flush()
}

// writeError answers with an error of the protocol; id is nil when the request could not be read.
func writeError(w http.ResponseWriter, status int, id any, e *jsonrpc.Error) {
	document, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": e})
	if err != nil {
		document = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(document)
}
