package endpoint

import (
	"context"
	"crypto/sha256"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/rest/sse"
	"countersign/tool"
)

// listenMethod is the one long-lived request: its answer streams list changes to the client.
const listenMethod = "subscriptions/listen"

// digest is the hash of a list or resource that was last reported to a listener.
type digest = [sha256.Size]byte

// listDigests are the hashes last reported to a listener.
type listDigests struct{ tools, prompts digest }

// listener creates a server of the library for one listening client, because the library notifies all clients of a
// server, and lists differ per principal.
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

// listen streams changes to a client until it disconnects or its token becomes invalid.
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
	place, err := e.Quota.Acquire(ctx, x.principal, e.Streams)
	if err != nil {
		return nil, e.rpcError(ctx, listenMethod, err)
	}
	defer place.Release(ctx)
	known, err := e.listDigests(ctx)
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
		e.runHeartbeat(ctx, place, func() bool {
			if !e.notifyChanges(quiet, x, &known, watched) {
				return false
			}
			x.response.keepAlive()
			return true
		})
	}()
	defer func() {
		cancel()
		<-stopped
	}()
	return next(ctx, method, req)
}

// notifyChanges notifies a listener of lists and resources that have changed since known. It returns false when the
// listener is gone or unauthorized. Transient errors are left to the next heartbeat.
func (e *Endpoint) notifyChanges(ctx context.Context, x *exchange, known *listDigests, watched map[string]digest) bool {
	ctx, now, err := e.reauthenticate(ctx, x)
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
	e.notifyUpdates(ctx, x.server, watched)
	return true
}

// reauthenticate authenticates a listener again, and returns its current lists and the context of its principal.
func (e *Endpoint) reauthenticate(ctx context.Context, x *exchange) (context.Context, listDigests, error) {
	p, err := e.authenticate(x.request.WithContext(ctx))
	if err != nil {
		return ctx, listDigests{}, err
	}
	ctx = context.WithValue(ctx, exchangeKey{}, &exchange{principal: p, done: x.done, server: x.server})
	now, err := e.listDigests(ctx)
	return ctx, now, err
}

// listDigests hashes the current lists of the principal.
func (e *Endpoint) listDigests(ctx context.Context) (l listDigests, err error) {
	tools, err := e.offeredTools(ctx)
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
	l.prompts, err = digestOf(prompts)
	return l, err
}

// allPrompts collects the prompts of all pages.
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

func digestOf(list any) (digest, error) {
	raw, err := tool.Canonical(list)
	return sha256.Sum256(raw), err
}

// hostFailure reports whether err is an internal error, which does not concern the client.
func hostFailure(err error) bool {
	code := problem.CodeOf(rest.Problem(err))
	return code == problem.Internal || code == problem.Unavailable
}
