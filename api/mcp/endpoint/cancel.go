package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"countersign/api/mcp/calls"
)

// Clients of revisions before 2026-07-28 cancel a request by its id in another request. All clients count from the
// same number, so each client gets an id at initialisation, which it sends back in this header. It is no session:
// nothing is stored for it, it grants no access and never expires. It separates the requests of clients that share a
// token, and marks a stream as that of an initialised client.
const sessionHeader = "Mcp-Session-Id"

const (
	revisionHeader   = "Mcp-Protocol-Version"
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// requestHead holds the members of a request that routing needs.
type requestHead struct {
	id, params json.RawMessage
	method     string
}

// parseHead parses the heading of a body with one request; it is empty for other bodies.
func parseHead(body []byte) (h requestHead) {
	var message map[string]json.RawMessage
	if json.Unmarshal(body, &message) != nil || !stringOf(message["method"], &h.method) {
		return requestHead{}
	}
	h.id, h.params = message["id"], message["params"]
	return h
}

// handleOlderRevision handles the parts of older revisions that need no answer: it issues the session id at initialisation, makes
// requests cancellable, and cancels them. Requests of newer revisions end with their connections. The caller calls
// end; an error is a refusal.
func (e *Endpoint) handleOlderRevision(ctx context.Context, h requestHead) (begun context.Context, end func(), err error) {
	x, end := exchangeOf(ctx), func() {}
	client := x.request.Header.Get(sessionHeader)
	switch h.method {
	case methodInitialize:
		x.response.Header().Set(sessionHeader, rand.Text())
	case methodCancelled:
		return ctx, end, e.cancel(ctx, client, h.params)
	default:
		if id, ok := calls.IDOf(x.principal, client, h.id); ok {
			ctx, end = e.Calls.Register(ctx, id)
			x.done = ctx
		}
	}
	return ctx, end, nil
}

// cancel cancels the request that a notification names, in the process that serves it. It is rate limited like lists.
func (e *Endpoint) cancel(ctx context.Context, client string, params json.RawMessage) error {
	var about map[string]json.RawMessage
	// Unreadable parameters name no request, and the library refuses them.
	_ = json.Unmarshal(params, &about)
	id, ok := calls.IDOf(exchangeOf(ctx).principal, client, about["requestId"])
	if !ok {
		return nil
	}
	if err := e.allow(ctx); err != nil {
		return err
	}
	if err := e.Calls.Cancel(ctx, id); err != nil {
		return fmt.Errorf("cancel a request: %w", err)
	}
	return nil
}
