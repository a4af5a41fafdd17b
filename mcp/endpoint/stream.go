package endpoint

import (
	"context"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"countersign/problem"
	"countersign/rest"
	"countersign/rest/sse"
	"countersign/store/quota"
)

const (
	toolsChanged   = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	promptsChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

	// withPriming is the first revision whose clients take an event that has an id and says nothing.
	withPriming = "2025-11-25"
	// comeBack is how long a client whose stream has ended waits.
	comeBack = time.Second
)

// streams reports whether a request opens the stream on which a client of an older revision hears of what it has not asked for. Clients of
// the transport before this one open a stream too, for another purpose; they have begun nothing, so they send no name that we have given.
func streams(r *http.Request) bool {
	revision := r.Header.Get(revisionHeader)
	return r.Method == http.MethodGet && r.Header.Get(sessionHeader) != "" && (revision == "" || slices.Contains(directRevisions, revision)) &&
		strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")
}

// stream tells a client of an older revision that its lists have changed, as listen tells the others. An event's id is what its reader was
// told of, so whoever comes back, to whatever process, hears of what has changed meanwhile.
func (e *Endpoint) stream(ctx context.Context, x *exchange) {
	place, err := e.Places.Take(ctx, x.principal, e.Streams)
	if problem.Is(err, problem.Throttled) {
		// A client goes on without a stream where it is told by this status that there is none.
		x.answer.Header().Set("Allow", http.MethodPost)
		writeError(x.answer, http.StatusMethodNotAllowed, nil, wireOf(wireError(problem.As(err))))
		return
	}
	if err != nil {
		e.refuseStream(ctx, x, err)
		return
	}
	defer place.GiveBack(ctx)
	now, err := e.lists(ctx)
	if err != nil {
		e.refuseStream(ctx, x, err)
		return
	}
	ctx, end := sse.Open(ctx)
	defer end()
	told := markOf(now)
	w := sse.Begin(x.answer)
	w.Retry(comeBack)
	switch last := x.request.Header.Get("Last-Event-ID"); {
	case last != "":
		markIn(last).changes(w, told)
	case x.request.Header.Get(revisionHeader) >= withPriming:
		w.Event(told.id(), "", "")
	}
	if w.Flush() != nil {
		return
	}
	e.beat(ctx, place, func() bool {
		_, now, err := e.again(ctx, x)
		switch {
		case err == nil:
			told.changes(w, markOf(now))
			told = markOf(now)
		case !hostFailure(err):
			return false
		}
		w.Comment("")
		return w.Flush() == nil
	})
}

func (e *Endpoint) refuseStream(ctx context.Context, x *exchange, err error) {
	if problem.CodeOf(err) == problem.Internal && ctx.Err() == nil {
		e.Log.Error("MCP stream failed", "error", err)
	}
	rest.WriteProblem(x.answer, err)
}

// beat looks after a listener at each heartbeat, until it goes away or look is false.
func (e *Endpoint) beat(ctx context.Context, place *quota.Place, look func() bool) {
	tick := time.NewTicker(e.Watch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if place.Keep(ctx) != nil || !look() {
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
func markIn(id string) (m mark) {
	m.tools, m.prompts, _ = strings.Cut(id, "-")
	return m
}

func (m mark) id() string { return m.tools + "-" + m.prompts }

// changes adds an event for each list that is now another one than its reader was told of.
func (m mark) changes(w *sse.Writer, now mark) {
	if m.tools != now.tools {
		m.tools = now.tools
		w.Event(m.id(), "message", toolsChanged)
	}
	if m.prompts != now.prompts {
		w.Event(now.id(), "message", promptsChanged)
	}
}
