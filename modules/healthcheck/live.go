package healthcheck

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/rest/sse"
	"countersign/internal/store/quota"
)

// livePath is the path of the stream of changes.
const livePath = base + "/live"

// liveRetry is the reconnection delay of a client.
const liveRetry = 2 * time.Second

// Principals load the current state of a principal; problem.Unauthorized when its session has ended.
type Principals interface {
	Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error)
}

// LiveOptions configure a Live.
type LiveOptions struct {
	Log     *slog.Logger
	Events  Happenings
	Systems Systems
	// Quota bounds the open streams of one principal to Streams.
	Quota      *quota.Limiter
	Streams    quota.Kind
	Principals Principals
	Heartbeat  time.Duration
}

// Live streams the ids of systems with changed health, so that clients read them again. It contains nothing else: the
// operations return health and reasons by the rights of the caller. Pages get it through the feed (package api); its
// own stream is for applications, and for pages of earlier versions.
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
	op := rest.Op(
		"follow-health",
		http.MethodGet,
		livePath,
		"Hear which systems fare otherwise than before",
		rest.Rules(StatusRead),
		rest.Doc(
			`An event stream. "changed" names a system that the caller may see, as {"systemId": "…"}: read it again. "all" says that any may have changed: it comes first, `+
				`and again when something was missed. After Last-Event-ID it goes on where it was, for an hour.`,
		),
	)
	op.Parameters = []*huma.Param{{Name: "Last-Event-ID", In: "header", Schema: &huma.Schema{Type: huma.TypeString}}}
	op.Responses = map[string]*huma.Response{
		"200": {
			Description: "The stream",
			Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
		},
		"default": {
			Description: "A problem document",
			Content: map[string]*huma.MediaType{
				"application/problem+json": {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem.Error](), true, "")},
			},
		},
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
	place, err := l.Quota.Acquire(ctx, p, l.Streams)
	if err != nil {
		return err
	}
	defer place.Release(ctx)
	ctx, end := sse.Open(ctx)
	defer end()
	subscription, leave := l.Subscribe(ctx, c.Request().Header.Get("Last-Event-ID"))
	defer leave()
	s := &liveStream{Live: l, who: p, place: place, subscription: subscription, out: sse.Begin(c.Response())}
	if err := s.run(ctx); err != nil && ctx.Err() == nil && !problem.Is(err, problem.Unauthorized) {
		l.Log.Warn("Stream of changes ended early", "error", err)
	}
	return nil
}

// liveStream is one open stream.
type liveStream struct {
	*Live

	who          principal.Principal
	place        *quota.Lease
	subscription *Subscription
	out          *sse.Writer
}

func (s *liveStream) run(ctx context.Context) error {
	s.out.Retry(liveRetry)
	return s.out.Follow(ctx, s.Heartbeat, s.checkSession, sse.Source{Wake: s.subscription.Wake(), Tell: s.sendChanges}, sse.Source{})
}

// checkSession renews the connection and its quota, and ends the stream with the session or the right to it.
func (s *liveStream) checkSession(ctx context.Context) error {
	if err := s.reloadRights(ctx); err != nil {
		return err
	}
	if err := s.place.Renew(ctx); err != nil && ctx.Err() == nil {
		s.Log.Warn("Stream not kept", "error", err)
	}
	s.out.Comment("ping")
	return nil
}

// reloadRights reloads the rights of the principal. During a database outage they stay unchanged.
func (s *liveStream) reloadRights(ctx context.Context) error {
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

// sendChanges sends the changes since the last call.
func (s *liveStream) sendChanges(ctx context.Context) error {
	if err := s.reloadRights(ctx); err != nil {
		return err
	}
	news, err := s.subscription.Take(ctx, s.who)
	if err != nil {
		return err
	}
	if news.All {
		s.out.Event("", "all", "{}")
	}
	for _, system := range news.Systems {
		data, err := json.Marshal(changedSystem{system.ID})
		if err != nil {
			return err
		}
		s.out.Event(strconv.FormatInt(system.At.UnixMilli(), 10), "changed", string(data))
	}
	return nil
}

// changedSystem is the event of a system with changed health.
type changedSystem struct {
	SystemID uuid.UUID `json:"systemId"`
}
