package endpoint

import (
	"context"
	"crypto/sha256"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/problem"
	"countersign/rest"
	"countersign/rest/sse"
	"countersign/tool"
)

// listenMethod is the one request that stays open: a client hears in its answer that lists have changed.
const listenMethod = "subscriptions/listen"

// sum is the hash of what a listener was last told of.
type sum = [sha256.Size]byte

// lists are what a listener was last told of.
type lists struct{ tools, prompts sum }

// listener is the server of the request: one of its own for a client that listens, because the library tells all clients of a server
// of each change, and lists differ from principal to principal.
func (e *Endpoint) listener(r *http.Request) *sdk.Server {
	if r.Header.Get("Mcp-Method") != listenMethod {
		return e.shared
	}
	x := exchangeOf(r.Context())
	if x.server == nil {
		x.server = e.newServer(subscribable)
	}
	return x.server
}

// listen serves a client that wants to hear of changes until it goes away, or its token opens nothing any more.
func (e *Endpoint) listen(
	ctx context.Context,
	method string,
	req *sdk.SubscriptionsListenRequest,
	next sdk.MethodHandler,
) (sdk.Result, error) {
	x := exchangeOf(ctx)
	if x.server == nil {
		// The library refuses such a request.
		return next(ctx, method, req)
	}
	place, err := e.Places.Take(ctx, x.principal, e.Streams)
	if err != nil {
		return nil, e.rpcError(ctx, listenMethod, err)
	}
	defer place.GiveBack(ctx)
	known, err := e.lists(ctx)
	if err != nil {
		return nil, e.rpcError(ctx, listenMethod, err)
	}
	watched, err := e.subscriptions(ctx, req.Params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := sse.Open(ctx)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		defer cancel()
		quiet := untraced(ctx)
		e.beat(ctx, place, func() bool {
			if !e.tellChanges(quiet, x, &known, watched) {
				return false
			}
			x.answer.stay()
			return true
		})
	}()
	defer func() {
		cancel()
		<-stopped
	}()
	return next(ctx, method, req)
}

// tellChanges tells a listener which lists and resources have changed since they were known. It is false when there is
// nobody to tell any more. Faults of the moment are gone by the next time.
func (e *Endpoint) tellChanges(ctx context.Context, x *exchange, known *lists, watched map[string]sum) bool {
	ctx, now, err := e.again(ctx, x)
	if err != nil {
		return hostFailure(err)
	}
	if now.tools != known.tools {
		e.addTool(x.server)
	}
	if now.prompts != known.prompts {
		e.addPrompt(x.server)
	}
	*known = now
	e.tellUpdates(ctx, x.server, watched)
	return true
}

// again is what a listener is listed at this moment, with a token that is looked at once more, and the context to find
// out more as its principal.
func (e *Endpoint) again(ctx context.Context, x *exchange) (context.Context, lists, error) {
	p, err := e.authenticate(x.request.WithContext(ctx))
	if err != nil {
		return ctx, lists{}, err
	}
	ctx = context.WithValue(ctx, exchangeKey{}, &exchange{principal: p, done: x.done, server: x.server})
	now, err := e.lists(ctx)
	return ctx, now, err
}

// lists are the hashes of what the principal is listed at this moment.
func (e *Endpoint) lists(ctx context.Context) (l lists, err error) {
	tools, err := e.offered(ctx)
	if err != nil {
		return l, err
	}
	prompts, err := e.allPrompts(ctx)
	if err != nil {
		return l, err
	}
	hash := sha256.New()
	for _, d := range tools {
		_, _ = hash.Write(d.document)
		_, _ = hash.Write([]byte{0})
	}
	hash.Sum(l.tools[:0])
	l.prompts, err = sumOf(prompts)
	return l, err
}

// allPrompts are those of all pages.
func (e *Endpoint) allPrompts(ctx context.Context) (all []*sdk.Prompt, err error) {
	for cursor := ""; ; {
		page, err := e.promptsAfter(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Prompts...)
		if cursor = page.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

func sumOf(list any) (sum, error) {
	raw, err := tool.Canonical(list)
	return sha256.Sum256(raw), err
}

// hostFailure reports whether err says nothing about the client.
func hostFailure(err error) bool {
	code := problem.CodeOf(rest.Problem(err))
	return code == problem.Internal || code == problem.Unavailable
}
