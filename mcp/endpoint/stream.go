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

	"countersign/problem"
	"countersign/rest"
	"countersign/rest/sse"
	"countersign/store/quota"
)

const (
	toolsChanged   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	promptsChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

	// withStream is the one revision whose clients are told of changes on a stream that they open by GET: later ones ask for one, and clients
	// of earlier ones do not take an event that has an id and says nothing, without which they could not come back.
	withStream = "2025-11-25"
	lastEvent  = "Last-Event-ID"
)

// streams reports whether a request opens the stream on which a client hears of what it has not asked for. It has
// begun, so it sends the name that we have given.
func streams(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get(revisionHeader) == withStream && r.Header.Get(sessionHeader) != "" &&
		strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")
}

// stream tells a client that its lists have changed, as listen tells those of the newest revision. An event's id is
// what its reader was told of, so whoever comes back, to whatever process, hears of what has changed meanwhile.
func (e *Endpoint) stream(ctx context.Context, x *exchange) {
	ctx = untraced(ctx)
	place, now, err := e.heard(ctx, x)
	if err != nil {
		e.noStream(ctx, x.answer, x.request, err)
		return
	}
	defer place.GiveBack(ctx)
	ctx, end := sse.Open(ctx)
	defer end()
	known := markOf(now)
	w := sse.Begin(x.answer)
	w.Retry(e.comeBack())
	if last := x.request.Header.Get(lastEvent); last == "" || !markIn(last).changes(w, known) {
		w.Event(known.id(), "", "")
	}
	if w.Flush() != nil {
		return
	}
	e.beat(ctx, place, func() bool {
		_, now, err := e.again(ctx, x)
		switch {
		case err == nil:
			known.changes(w, markOf(now))
			known = markOf(now)
		case !hostFailure(err):
			return false
		}
		w.Comment("")
		return w.Flush() == nil
	})
	if errors.Is(context.Cause(ctx), sse.ErrDraining) {
		// Whoever comes back before the process is there again takes that for the end of everything.
		w.Retry(e.later())
		_ = w.Flush()
	}
}

// heard finds out what one who listens is listed, and takes a place for them.
func (e *Endpoint) heard(ctx context.Context, x *exchange) (place *quota.Place, now lists, err error) {
	if err := e.admit(ctx); err != nil {
		return nil, now, err
	}
	if now, err = e.lists(ctx); err != nil {
		return nil, now, err
	}
	place, err = e.Places.Take(ctx, x.principal, e.News)
	return place, now, err
}

// noStream answers where there is no stream now. A client takes most other answers than a stream for the end of everything, so it is
// given one that ends, knows what it knew, and comes back. One that has had none goes on without, where there is no place.
func (e *Endpoint) noStream(ctx context.Context, w http.ResponseWriter, r *http.Request, err error) {
	p := rest.Problem(err)
	if p.Code == problem.Internal && ctx.Err() == nil {
		e.Log.Error("MCP stream failed", "error", err)
	}
	busy, last := p.Code.RPC() == problem.RateLimited, r.Header.Get(lastEvent)
	switch {
	case hostFailure(err) || busy && last != "":
		out := sse.Begin(w)
		out.Retry(e.later())
		out.Event(markIn(last).id(), "", "")
		_ = out.Flush()
	case busy:
		w.Header().Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, nil, wireOf(wireError(p)))
	default:
		rest.WriteProblem(w, err)
	}
}

// comeBack is how long a client whose stream has ended waits, each another time, so that not all come back at once.
func (e *Endpoint) comeBack() time.Duration {
	return e.Watch/3 + mathrand.N(e.Watch/3) //nolint:gosec // nobody gains by guessing it
}

// later is how long a client stays away for which nothing can be done now.
func (e *Endpoint) later() time.Duration { return 4*e.Watch + 2*e.comeBack() }

// untraced is ctx for what is done at each heartbeat, which is no part of the request and has no trace.
func untraced(ctx context.Context) context.Context {
	return trace.ContextWithSpanContext(ctx, trace.SpanContextFromContext(ctx).WithTraceFlags(0))
}

// beat looks after a listener at each heartbeat, until it goes away or look is false. A place that cannot be kept now
// is kept the next time.
func (e *Endpoint) beat(ctx context.Context, place *quota.Place, look func() bool) {
	tick := time.NewTicker(e.Watch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = place.Keep(ctx)
		if !look() {
			return
		}
	}
}

// mark is what the reader of a stream was told of, as the id of an event says it.
type mark struct{ tools, prompts string }

func markOf(l lists) mark {
	return mark{hex.EncodeToString(l.tools[:8]), hex.EncodeToString(l.prompts[:8])}
}

// markIn reads the id of an event. Of one that is none of ours nothing is what it was told.
func markIn(id string) mark {
	parts := strings.SplitN(id, "-", 3)
	if len(parts) < 3 || len(id) > 100 {
		return mark{}
	}
	return mark{parts[0], parts[1]}
}

// id is another one for each event: clients count a stream as in order only if it brings an id that they do not know.
func (m mark) id() string { return m.tools + "-" + m.prompts + "-" + rand.Text()[:8] }

// changes adds an event for each list that is now another one than its reader was told of, and reports whether there is any.
func (m mark) changes(w *sse.Writer, now mark) bool {
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
