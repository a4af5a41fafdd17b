package api

import (
	"cmp"
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

	"countersign/audit"
	"countersign/event/feed"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/rest/sse"
	"countersign/internal/store/quota"
	"countersign/modules/healthcheck"
)

// Principals loads the current state of a principal; problem.Unauthorized when its session has ended.
type Principals interface {
	Load(ctx context.Context, kind principal.Kind, id, sessionID uuid.UUID) (principal.Principal, error)
}

const feedPath = "/api/events"

// feedRetry is the reconnection delay of a client without a backoff of its own.
const feedRetry = 2 * time.Second

// VisibleProposals reports which proposals a principal can see.
type VisibleProposals interface {
	Visible(ctx context.Context, p principal.Principal, ids []uuid.UUID) (map[uuid.UUID]bool, error)
}

// FeedOptions are the dependencies of a Feed.
type FeedOptions struct {
	Log       *slog.Logger
	Feed      *feed.Feed
	Proposals VisibleProposals
	// Kinds are the types of audited records, with their visibility checks. It is called with the first stream.
	Kinds func() []audit.Kind
	// Health publishes changes of system health to the streams that subscribe to it.
	Health *healthcheck.Live
	// Quota limits the open streams of a person to Streams.
	Quota      *quota.Limiter
	Streams    quota.Kind
	Principals Principals
	Heartbeat  time.Duration
}

// Feed is the event stream of a browser: it tells a person's pages which records have changed, so that they reload
// them. Events carry ids and kinds only, and reach only people who can see the record at that moment. System health
// changes often and concerns few pages: only streams that subscribe to it get it, from the product's events, without a
// row per change.
type Feed struct {
	FeedOptions

	visibility *visibility
}

// NewFeed creates a Feed.
func NewFeed(o FeedOptions) *Feed {
	return &Feed{FeedOptions: o, visibility: newVisibility(o.Proposals, o.Kinds)}
}

// Mount implements Streams.
func (f *Feed) Mount(e *echo.Echo) { e.GET(feedPath, f.serve) }

// Describe implements Streams.
func (f *Feed) Describe(api huma.API) {
	op := rest.Op(
		"follow-changes",
		http.MethodGet,
		feedPath,
		"Follow changes",
		rest.Doc(
			`An event stream for the pages of a signed-in person; applications and programs are refused. It names the changed `+
				`records that the person can see, without the changes: read them again. "conversation" and "proposal" have `+
				`{"id": "…"}, "record" has {"type": "catalog.system", "id": "…"}. "reset" means that anything may have changed: `+
				`it comes first unless the client names a moment, and when events were lost. "ping" is a heartbeat with its `+
				`interval "every" in milliseconds. With the parameter "health", "health" has {"id": "…"} of a system whose health `+
				`changed, or {} for any; "ping" has "health": true while such events are sent, which needs the rule `+
				`healthcheck.healthcheck.status.read. The id of an event is its time in milliseconds; after Last-Event-ID, or the `+
				`parameter "after", the stream resumes where it was, for some minutes, and may repeat events.`,
		),
	)
	text := &huma.Schema{Type: huma.TypeString}
	op.Parameters = []*huma.Param{
		{Name: "Last-Event-ID", In: "header", Schema: text},
		{Name: "after", In: "query", Schema: text, Description: "As Last-Event-ID, for a client that cannot send it"},
		{
			Name:   "health",
			In:     "query",
			Schema: text,
			Description: "Also follow system health: the id of the last health event that the client has received, 0 for " +
				"none. Last-Event-ID takes precedence",
		},
		{Name: "person", In: "query", Schema: text, Description: "As the header Countersign-Person, for a client that cannot send it"},
	}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: text}}},
		"default": {
			Description: "A problem document",
			Content: map[string]*huma.MediaType{
				"application/problem+json": {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem.Error](), true, "")},
			},
		},
	}
	api.OpenAPI().AddOperation(&op)
}

func (f *Feed) serve(c echo.Context) error {
	ctx := c.Request().Context()
	p, err := streamPerson(ctx, c.QueryParam("person"))
	if err != nil {
		return err
	}
	place, err := f.Quota.Acquire(ctx, p, f.Streams)
	if err != nil {
		return err
	}
	defer place.Release(ctx)
	ctx, end := sse.Open(ctx)
	defer end()
	reader, leave, err := f.Feed.Read(ctx, p.ID)
	if err != nil {
		return err
	}
	defer leave()
	last := c.Request().Header.Get("Last-Event-ID")
	if last == "" {
		last = c.QueryParam("after")
	}
	s := &feedStream{Feed: f, who: p, place: place, reader: reader}
	if heard, asked := c.QueryParams()["health"]; asked {
		var deafen func()
		s.health, deafen = f.Health.Subscribe(ctx, cmp.Or(c.Request().Header.Get("Last-Event-ID"), heard[0]))
		defer deafen()
	}
	s.out = sse.Begin(c.Response())
	if err := s.run(ctx, last); err != nil && ctx.Err() == nil && !problem.Is(err, problem.Unauthorized) {
		f.Log.Warn("Stream of changes ended early", "error", err)
	}
	return nil
}

// streamPerson returns the person of a request, if they act for themselves and the stream is meant for them.
func streamPerson(ctx context.Context, meant string) (principal.Principal, error) {
	p := principal.FromContext(ctx)
	switch {
	case p.IsZero():
		return p, RequireSignIn()
	case !p.ByHand():
		return p, problem.Errorf(
			problem.Forbidden,
			"These events are for the pages of people who have signed in. Ask the operations for what you need, now and then.",
		)
	}
	return p, checkPerson(p, meant)
}

// feedStream is an open stream.
type feedStream struct {
	*Feed

	who    principal.Principal
	place  *quota.Lease
	reader *feed.Reader
	out    *sse.Writer
	// at is the time up to which everything was sent.
	at time.Time
	// health is nil unless the stream subscribes to system health; subscribed reports that the subscription is active.
	health     *healthcheck.Subscription
	subscribed bool
}

func (s *feedStream) run(ctx context.Context, last string) error {
	s.out.Retry(feedRetry)
	if err := s.catchUp(ctx, last); err != nil {
		return err
	}
	s.ping()
	health := sse.Source{}
	if s.health != nil {
		health = sse.Source{Wake: s.health.Wake(), Tell: s.onHealth}
	}
	return s.out.Follow(ctx, s.Heartbeat, s.heartbeat, sse.Source{Wake: s.reader.Wake(), Tell: s.sendChanges}, health)
}

// catchUp sends the changes since the client's last event id.
func (s *feedStream) catchUp(ctx context.Context, last string) error {
	_, _, s.at = s.reader.Take()
	ms, err := strconv.ParseInt(last, 10, 64)
	if err != nil || ms < 0 || ms > time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() {
		s.event("reset", "{}")
		return nil //nolint:nilerr // what names no moment is no fault
	}
	events, known, err := s.FeedOptions.Feed.Since(ctx, s.who.ID, time.UnixMilli(ms))
	switch {
	case err != nil:
		return err
	case !known:
		s.event("reset", "{}")
		return nil
	}
	return s.sendVisible(ctx, events)
}

// heartbeat renews the connection and its place, and ends the stream with the session.
func (s *feedStream) heartbeat(ctx context.Context) error {
	if err := s.reloadPrincipal(ctx); err != nil {
		return err
	}
	if err := s.place.Renew(ctx); err != nil && ctx.Err() == nil {
		s.Log.Warn("Stream not kept", "error", err)
	}
	if err := s.sendChanges(ctx); err != nil {
		return err
	}
	if s.health != nil {
		if err := s.sendHealth(ctx); err != nil {
			return err
		}
	}
	s.ping()
	return nil
}

// reloadPrincipal reloads the person's rights. During a database outage the previous rights apply.
func (s *feedStream) reloadPrincipal(ctx context.Context) error {
	now, err := s.Principals.Load(ctx, s.who.Kind, s.who.ID, s.who.SessionID)
	if problem.Is(err, problem.Unauthorized) {
		return err
	}
	if err != nil {
		s.Log.Warn("Stream not checked", "error", err)
		return nil
	}
	s.who = now
	return nil
}

// sendChanges sends the changes since the last call.
func (s *feedStream) sendChanges(ctx context.Context) error {
	events, lost, at := s.reader.Take()
	s.at = at
	if lost {
		s.event("reset", "{}")
		return nil
	}
	return s.sendVisible(ctx, events)
}

// sendVisible sends the events that the person can see now, each record once.
func (s *feedStream) sendVisible(ctx context.Context, events []feed.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.reloadPrincipal(ctx); err != nil {
		return err
	}
	seen, tooMany, err := s.visibility.filter(principal.NewContext(ctx, s.who), s.who, events)
	if err != nil {
		return err
	}
	if tooMany {
		s.event("reset", "{}")
		return nil
	}
	sent := map[feedData]bool{}
	for _, e := range seen {
		told := feedData{Type: e.Type, ID: e.Ref, kind: e.Kind}
		if sent[told] {
			continue
		}
		sent[told] = true
		data, err := json.Marshal(told)
		if err != nil {
			return err
		}
		s.event(e.Kind, string(data))
	}
	return nil
}

// onHealth sends health changes. A ping announces that the subscription became active.
func (s *feedStream) onHealth(ctx context.Context) error {
	if err := s.reloadPrincipal(ctx); err != nil {
		return err
	}
	before := s.subscribed
	if err := s.sendHealth(ctx); err != nil {
		return err
	}
	if s.subscribed != before {
		s.ping()
	}
	return nil
}

func (s *feedStream) sendHealth(ctx context.Context) error {
	news, err := s.health.Take(ctx, s.who)
	if err != nil {
		return err
	}
	s.subscribed = news.Active
	if news.All {
		s.event("health", "{}")
	}
	for _, system := range news.Systems {
		s.event("health", `{"id":"`+system.ID.String()+`"}`)
	}
	return nil
}

// feedData is the payload of an event.
type feedData struct {
	Type string `json:"type,omitempty"`
	ID   string `json:"id"`

	kind string
}

func (s *feedStream) event(name, data string) {
	s.out.Event(strconv.FormatInt(s.at.UnixMilli(), 10), name, data)
}

func (s *feedStream) ping() {
	health := ""
	if s.subscribed {
		health = `,"health":true`
	}
	s.event("ping", `{"every":`+strconv.FormatInt(s.Heartbeat.Milliseconds(), 10)+health+`}`)
}
