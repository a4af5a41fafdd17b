package healthcheck

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/rest/sse"
	"countersign/store/quota"
)

// livePath is where pages hear what changes.
const livePath = base + "/live"

const (
	// livePace is how soon a stream says something again; what happens meanwhile is said at once then.
	livePace = 200 * time.Millisecond
	// liveRetry is how long a client that has lost a stream waits.
	liveRetry = 2 * time.Second
	// resumable is how old the last thing may be that a client has heard, and overlap what it is told twice: an event can be
	// committed later than one with a later time.
	resumable = time.Hour
	overlap   = time.Minute
)

// Principals load a principal as it is now; problem.Unauthorized when its session has ended.
type Principals interface {
	Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error)
}

// LiveOptions are what a Live is made of.
type LiveOptions struct {
	Log     *slog.Logger
	Events  Happenings
	Systems Systems
	// Places bound how many streams one principal has open, as Streams says.
	Places     *quota.Places
	Streams    quota.Kind
	Principals Principals
	Heartbeat  time.Duration
}

// Live tells pages which systems fare otherwise than before, so that they read these again. It says nothing else: how a system
// fares, and why, is told by the operations, to each as much as they may see.
type Live struct {
	LiveOptions

	changes changes
}

// NewLive makes it.
func NewLive(o LiveOptions) *Live {
	return &Live{LiveOptions: o, changes: changes{events: o.Events, log: o.Log}}
}

// Mount implements api.Streams.
func (l *Live) Mount(e *echo.Echo) { e.GET(livePath, l.serve) }

// Describe implements api.Streams.
func (l *Live) Describe(api huma.API) {
	op := rest.Op("follow-health", http.MethodGet, livePath, "Hear which systems fare otherwise than before", rest.Rules(StatusRead),
		rest.Doc(`An event stream. "changed" names a system that the caller may see, as {"systemId": "…"}: read it again. "all" says that any may have changed: it comes first, `+
			`and again when something was missed. After Last-Event-ID it goes on where it was, for an hour.`))
	op.Parameters = []*huma.Param{{Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
	op.Responses = map[string]*huma.Response{
		"200":     {Description: "The stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}},
		"default": {Description: "A problem document", Content: map[string]*huma.MediaType{"application/problem+json": {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem.Error](), true, "")}}},
	}
	api.OpenAPI().AddOperation(&op)
}

func (l *Live) serve(c echo.Context) error {
	ctx := c.Request().Context()
	p := principal.FromContext(ctx)
	switch missing := p.Missing(StatusRead); {
	case p.IsZero():
		return problem.Errorf(problem.Unauthorized, "Sign in first: POST /api/auth/login, or send an API token as a bearer token.")
	case len(missing) > 0:
		return problem.MissingRule("hear how systems fare", missing...)
	}
	place, err := l.Places.Take(ctx, p, l.Streams)
	if err != nil {
		return err
	}
	defer place.GiveBack(ctx)
	ctx, end := sse.Open(ctx)
	defer end()
	watcher, leave := l.changes.watch(ctx)
	defer leave()
	s := &liveStream{Live: l, who: p, place: place, watcher: watcher, out: sse.Begin(c.Response()), last: c.Request().Header.Get("Last-Event-ID")}
	if err := s.run(ctx); err != nil && ctx.Err() == nil && !problem.Is(err, problem.Unauthorized) {
		l.Log.Warn("Stream of changes ended early", "error", err)
	}
	return nil
}

// liveStream is one that is open.
type liveStream struct {
	*Live

	who     principal.Principal
	place   *quota.Place
	watcher *watcher
	out     *sse.Writer
	// last is what the client has heard last, "" for nothing and once it has caught up.
	last string
}

func (s *liveStream) run(ctx context.Context) error {
	s.out.Retry(liveRetry)
	return s.out.Follow(ctx, s.Heartbeat, s.watcher.wake, s.beat, s.tell)
}

// beat keeps the connection and the place, and ends the stream with the session or the right to it.
func (s *liveStream) beat(ctx context.Context) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	if err := s.place.Keep(ctx); err != nil && ctx.Err() == nil {
		s.Log.Warn("Stream not kept", "error", err)
	}
	s.out.Comment("ping")
	return nil
}

// look reads what the principal may do now. When the database cannot be asked, what was true stays so.
func (s *liveStream) look(ctx context.Context) error {
	now, err := s.Principals.Load(ctx, s.who.Kind, s.who.ID, s.who.SessionID)
	switch {
	case problem.Is(err, problem.Unauthorized):
		return err
	case err != nil:
		s.Log.Warn("Stream not checked", "error", err)
		return nil
	case len(now.Missing(StatusRead)) > 0:
		return problem.Errorf(problem.Unauthorized, "You may not see how systems fare any more.")
	}
	s.who = now
	return nil
}

// tell says what has changed, and rests.
func (s *liveStream) tell(ctx context.Context) error {
	systems, all := s.watcher.take()
	if all {
		missed, unknown, err := s.missed(ctx)
		if err != nil {
			return err
		}
		all = unknown
		maps.Copy(systems, missed)
	}
	if all {
		s.out.Event("", "all", "{}")
	} else if err := s.say(ctx, systems); err != nil {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	pause := time.NewTimer(livePace)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
	return nil
}

// missed is what a client that comes back has not heard, once; unknown when that cannot be said.
func (s *liveStream) missed(ctx context.Context) (systems map[uuid.UUID]time.Time, unknown bool, err error) {
	at, known := momentOf(s.last)
	s.last = ""
	if !known || time.Since(at) > resumable {
		return nil, true, nil
	}
	return s.changes.since(ctx, at.Add(-overlap))
}

// momentOf is the time that an id of an event of the stream stands for.
func momentOf(id string) (time.Time, bool) {
	ms, err := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(ms), err == nil
}

// say names those of the systems that the reader may see now, in the order in which they changed.
func (s *liveStream) say(ctx context.Context, systems map[uuid.UUID]time.Time) error {
	if len(systems) == 0 {
		return nil
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	ids := slices.SortedFunc(maps.Keys(systems), func(a, b uuid.UUID) int { return systems[a].Compare(systems[b]) })
	seen, err := s.Systems.Lookup(principal.NewContext(ctx, s.who), ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, ok := seen[id]; !ok {
			continue
		}
		data, err := json.Marshal(changedSystem{id})
		if err != nil {
			return err
		}
		s.out.Event(strconv.FormatInt(systems[id].UnixMilli(), 10), "changed", string(data))
	}
	return nil
}

// changedSystem is what is said of a system that fares otherwise than before.
type changedSystem struct {
	SystemID uuid.UUID `json:"systemId"`
}
