package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	mathrand "math/rand/v2"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/rest/sse"
	"countersign/internal/store/quota"
)

const (
	toolsChanged   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	promptsChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

	// streamRevision is the one revision whose clients receive notifications on a stream opened by GET. Later ones use
	// listenMethod; earlier ones reject the empty event with an id that resuming needs.
	streamRevision = "2025-11-25"
	lastEvent      = "Last-Event-ID"
)

// isStreamRequest reports whether a request opens the notification stream. The client is initialised, so it sends its session
// id.
func isStreamRequest(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get(revisionHeader) == streamRevision && r.Header.Get(sessionHeader) != "" &&
		strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")
}

// stream notifies a client of changed lists, as listen does for the newest revision. The event id holds the hashes of
// the reported lists, so a client that resumes at any process receives the changes since.
func (e *Endpoint) stream(ctx context.Context, x *exchange) {
	ctx = untraced(ctx)
	place, now, err := e.openStream(ctx, x)
	if err != nil {
		e.noStream(ctx, x.response, x.request, err)
		return
	}
	defer place.Release(ctx)
	ctx, end := sse.Open(ctx)
	defer end()
	known := eventMarkOf(now)
	w := sse.Begin(x.response)
	w.Retry(e.reconnectDelay())
	if last := x.request.Header.Get(lastEvent); last == "" || !parseEventMark(last).sendChanges(w, known) {
		w.Event(known.id(), "", "")
	}
	if w.Flush() != nil {
		return
	}
	e.runHeartbeat(ctx, place, func() bool {
		_, now, err := e.reauthenticate(ctx, x)
		switch {
		case err == nil:
			known.sendChanges(w, eventMarkOf(now))
			known = eventMarkOf(now)
		case !hostFailure(err):
			return false
		}
		w.Comment("")
		return w.Flush() == nil
	})
	if errors.Is(context.Cause(ctx), sse.ErrDraining) {
		// Without a retry time, a client that reconnects during a restart would give up.
		w.Retry(e.unavailableDelay())
		_ = w.Flush()
	}
}

// openStream lists what the client may see and takes a quota place for the stream.
func (e *Endpoint) openStream(ctx context.Context, x *exchange) (place *quota.Lease, now listDigests, err error) {
	if err := e.allow(ctx); err != nil {
		return nil, now, err
	}
	if now, err = e.listDigests(ctx); err != nil {
		return nil, now, err
	}
	place, err = e.Quota.Acquire(ctx, x.principal, e.OlderStreams)
	return place, now, err
}

// noStream answers when no stream can be opened now. Clients treat most other answers as final, so a resuming client
// gets an empty stream with its last id and reconnects later. A new client goes on without a stream when the quota is
// used up.
func (e *Endpoint) noStream(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) {
	p := rest.Problem(err)
	if p.Code == problem.Internal && ctx.Err() == nil {
		e.Log.Error("MCP stream failed", "error", err)
	}
	busy, last := p.Code.RPC() == problem.RateLimited, r.Header.Get(lastEvent)
	switch {
	case hostFailure(err) || busy && last != "":
		out := sse.Begin(w)
		out.Retry(e.unavailableDelay())
		out.Event(parseEventMark(last).id(), "", "")
		_ = out.Flush()
	case busy:
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, nil, rpcErrorOf(wireError(p)))
	default:
		rest.WriteProblem(w, err)
	}
}

// reconnectDelay is the reconnect delay of a client whose stream has ended, with jitter.
func (e *Endpoint) reconnectDelay() time.Duration {
	return e.Heartbeat/3 + mathrand.N(e.Heartbeat/3) //nolint:gosec // nobody gains by guessing it
}

// unavailableDelay is the reconnect delay when no stream can be opened now.
func (e *Endpoint) unavailableDelay() time.Duration { return 4*e.Heartbeat + 2*e.reconnectDelay() }

// untraced returns ctx without the trace of the request, for the work of heartbeats.
func untraced(ctx context.Context) context.Context {
	return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(ctx).WithTraceFlags(0))
}

// runHeartbeat calls look at each heartbeat, until the client disconnects or look returns false. A failed renewal of the
// quota place is retried at the next one.
func (e *Endpoint) runHeartbeat(ctx context.Context, place *quota.Lease, look func() bool) {
	tick := time.NewTicker(e.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = place.Renew(ctx)
		if !look() {
			return
		}
	}
}

// eventMark identifies the reported lists in an event id.
type eventMark struct{ tools, prompts string }

func eventMarkOf(l listDigests) eventMark {
	return eventMark{hex.EncodeToString(l.tools[:8]), hex.EncodeToString(l.prompts[:8])}
}

// parseEventMark parses an event id. A foreign id means that nothing was reported.
func parseEventMark(id string) eventMark {
	parts := strings.SplitN(id, "-", 3)
	if len(parts) < 3 || len(id) > 100 {
		return eventMark{}
	}
	return eventMark{parts[0], parts[1]}
}

// id returns a unique event id: clients reject ids that they have seen.
func (m eventMark) id() string { return m.tools + "-" + m.prompts + "-" + rand.Text()[:8] }

// sendChanges sends an event for each list that differs from the reported one, and reports whether there was one.
func (m eventMark) sendChanges(w *sse.Writer, now eventMark) bool {
	changed := m != now
	if m.tools != now.tools {
		m.tools = now.tools
		w.Event(m.id(), "message", toolsChanged)
	}
	if m.prompts != now.prompts {
		w.Event(now.id(), "message", promptsChanged)
	}
	return changed
}
