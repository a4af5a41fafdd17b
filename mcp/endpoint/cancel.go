package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"countersign/mcp/calls"
)

// Clients of revisions before 2026-07-28 cancel a request by another one, which names it by its id. Each client counts
// from the same number, so a client is given a text when it begins, which it sends back in this header with each
// request. It is no session: nothing is kept about it, it opens nothing, and it never ends. It tells the requests of
// one client from those of another with the same token, and that a stream belongs to one that has begun.
const sessionHeader = "Mcp-Session-Id"

const (
	revisionHeader   = "Mcp-Protocol-Version"
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// heading is what a request is called by.
type heading struct {
	id, params json.RawMessage
	method     string
}

// headingOf reads that of a body with one request; it is empty for all else.
func headingOf(body []byte) (h heading) {
	var message map[string]json.RawMessage
	if json.Unmarshal(body, &message) != nil || !stringOf(message["method"], &h.method) {
		return heading{}
	}
	h.id, h.params = message["id"], message["params"]
	return h
}

// older does for a client of an older revision what it asks for beside an answer: it gives it a name when it begins,
// makes what it asks for end when it is cancelled, and cancels. It is not told of requests of newer revisions, which
// end with their connections. end must be called; an error is a refusal.
func (e *Endpoint) older(ctx context.Context, h heading) (begun context.Context, end func(), err error) {
	x, end := exchangeOf(ctx), func() {}
	client := x.request.Header.Get(sessionHeader)
	switch h.method {
	case methodInitialize:
		x.answer.Header().Set(sessionHeader, rand.Text())
	case methodCancelled:
		return ctx, end, e.cancel(ctx, client, h.params)
	default:
		if id, ok := calls.IDOf(x.principal, client, h.id); ok {
			ctx, end = e.Calls.Begin(ctx, id)
			x.done = ctx
		}
	}
	return ctx, end, nil
}

// cancel cancels what the parameters of a notification name, in whatever process it is served. As for lists there is an end to it.
func (e *Endpoint) cancel(ctx context.Context, client string, params json.RawMessage) error {
	var about map[string]json.RawMessage
	// What cannot be read names nothing, and the library refuses it.
	_ = json.Unmarshal(params, &about)
	id, ok := calls.IDOf(exchangeOf(ctx).principal, client, about["requestId"])
	if !ok {
		return nil
	}
	if err := e.admit(ctx); err != nil {
		return err
	}
	if err := e.Calls.Cancel(ctx, id); err != nil {
		return fmt.Errorf("cancel a request: %w", err)
	}
	return nil
}
