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

	"countersign/event/feed"
	"countersign/modules/healthcheck"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/rest/sse"
	"countersign/store/quota"
	"countersign/tool/audit"
)

const feedPath = "/api/events"

// feedRetry is how long a client that has lost the stream waits, when it decides nothing better itself.
const feedRetry = 2 * time.Second

// SeenProposals says which proposals exist for a principal.
type SeenProposals interface {
	Seen(ctx context.Context, p principal.Principal, ids []uuid.UUID) (map[uuid.UUID]bool, error)
}

// FeedOptions are what a Feed is made of.
type FeedOptions struct {
	Log       *slog.Logger
	Feed      *feed.Feed
	Proposals SeenProposals
	// Kinds are the types of records that events can be about, with who sees one. It is asked with the first stream.
	Kinds func() []audit.Kind
	// Health is what those streams hear besides which ask for it: which systems fare otherwise than before.
	Health *healthcheck.Live
	// Places bound how many streams one person has open, as Streams says.
	Places     *quota.Places
	Streams    quota.Kind
	Principals Principals
	Heartbeat  time.Duration
}

// Feed is the one event stream of a browser: it tells the pages of a person what has changed, so that they read it again. It tells ids
// and kinds and nothing else, and each only to who may see what it is about at that moment. How systems fare changes
// often and concerns few pages: only streams that ask for it are told, from the events of the product, and no row is written for it.
type Feed struct {
	FeedOptions

	sight *sight
}

// NewFeed makes it.
func NewFeed(o FeedOptions) *Feed {
	return &Feed{FeedOptions: o, sight: newSight(o.Proposals, o.Kinds)}
}

// Mount implements Streams.
func (f *Feed) Mount(e *echo.Echo) { e.GET(feedPath, f.serve) }

// Describe implements Streams.
func (f *Feed) Describe(api huma.API) {
	op := rest.Op(
		"follow-changes",
		http.MethodGet,
		feedPath,
		"Hear what changes",
		rest.Doc(
			`An event stream for the pages of a person who has signed in; applications and programs are refused. It says which things have changed that the person may see, `+
				`and not how: read them again. "conversation" and "proposal" have {"id": "…"}, "record" has {"type": "catalog.system", "id": "…"}. "reset" says that anything may have changed: `+
				`it comes first unless the client names a moment, and when something was missed. "ping" comes with each heartbeat, of which "every" says the milliseconds. `+
				`With the parameter "health", "health" has {"id": "…"} of a system that fares otherwise than before, or {} for any; "ping" has "health": true while that is told, `+
				`which needs the rule healthcheck.healthcheck.status.read. `+
				`The id of an event is its time in milliseconds; after Last-Event-ID, or the parameter "after", the stream goes on where it was, for some minutes, and may repeat what was heard.`,
		),
	)
	text := &huma.Schema{Type: huma.TypeString}
	op.Parameters = []*huma.Param{
		{Name: "Last-Event-ID", In: "header", Schema: text},
		{Name: "after", In: "query", Schema: text, Description: "As Last-Event-ID, for a client that cannot send it"},
		{
			Name:        "health",
			In:          "query",
			Schema:      text,
			Description: "Tell how systems fare too: the id of the last event up to which the client has heard it, 0 for none. Last-Event-ID goes before it",
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
	p, err := hears(ctx, c.QueryParam("person"))
	if err != nil {
		return err
	}
	place, err := f.Places.Take(ctx, p, f.Streams)
	if err != nil {
		return err
	}
	defer place.GiveBack(ctx)
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
		s.health, deafen = f.Health.Hear(ctx, cmp.Or(c.Request().Header.Get("Last-Event-ID"), heard[0]))
		defer deafen()
	}
	s.out = sse.Begin(c.Response())
	if err := s.run(ctx, last); err != nil && ctx.Err() == nil && !problem.Is(err, problem.Unauthorized) {
		f.Log.Warn("Stream of changes ended early", "error", err)
	}
	return nil
}

// hears is the person of a request, if the stream is for them: a person who acts themselves, and who is meant.
func hears(ctx context.Context, meant string) (principal.Principal, error) {
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
	return p, meantFor(p, meant)
}

// feedStream is one that is open.
type feedStream struct {
	*Feed

	who    principal.Principal
	place  *quota.Place
	reader *feed.Reader
	out    *sse.Writer
	// at is up to when all was told.
	at time.Time
	// health is nil unless the stream asked for it; hears says that its reader is told of it.
	health *healthcheck.Hearing
	hears  bool
}

func (s *feedStream) run(ctx context.Context, last string) error {
	s.out.Retry(feedRetry)
	if err := s.catchUp(ctx, last); err != nil {
		return err
	}
	s.ping()
	health := sse.Source{}
	if s.health != nil {
		health = sse.Source{Wake: s.health.Wake(), Tell: s.tellHealth}
	}
	return s.out.Follow(ctx, s.Heartbeat, s.beat, sse.Source{Wake: s.reader.Wake(), Tell: s.tell}, health)
}

// catchUp tells what a client has missed that names a moment.
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
	return s.say(ctx, events)
}

// beat keeps the connection and the place, and ends the stream with the session.
func (s *feedStream) beat(ctx context.Context) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	if err := s.place.Keep(ctx); err != nil && ctx.Err() == nil {
		s.Log.Warn("Stream not kept", "error", err)
	}
	if err := s.tell(ctx); err != nil {
		return err
	}
	if s.health != nil {
		if err := s.sayHealth(ctx); err != nil {
			return err
		}
	}
	s.ping()
	return nil
}

// look reads what the person may do now. When the database cannot be asked, what was true stays so.
func (s *feedStream) look(ctx context.Context) error {
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

// tell says what has changed since the last time.
func (s *feedStream) tell(ctx context.Context) error {
	events, lost, at := s.reader.Take()
	s.at = at
	if lost {
		s.event("reset", "{}")
		return nil
	}
	return s.say(ctx, events)
}

// say names those of the things that changed which the person may see now, each once.
func (s *feedStream) say(ctx context.Context, events []feed.Event) error {
	if len(events) == 0 {
		return nil
	}
	if err := s.look(ctx); err != nil {
		return err
	}
	seen, tooMany, err := s.sight.of(principal.NewContext(ctx, s.who), s.who, events)
	if err != nil {
		return err
	}
	if tooMany {
		s.event("reset", "{}")
		return nil
	}
	said := map[feedData]bool{}
	for _, e := range seen {
		told := feedData{Type: e.Type, ID: e.Ref, kind: e.Kind}
		if said[told] {
			continue
		}
		said[told] = true
		data, err := json.Marshal(told)
		if err != nil {
			return err
		}
		s.event(e.Kind, string(data))
	}
	return nil
}

// tellHealth says which systems fare otherwise than before. That it does is said by a ping as soon as it is so.
func (s *feedStream) tellHealth(ctx context.Context) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	before := s.hears
	if err := s.sayHealth(ctx); err != nil {
		return err
	}
	if s.hears != before {
		s.ping()
	}
	return nil
}

func (s *feedStream) sayHealth(ctx context.Context) error {
	news, err := s.health.Take(ctx, s.who)
	if err != nil {
		return err
	}
	s.hears = news.Hears
	if news.All {
		s.event("health", "{}")
	}
	for _, system := range news.Systems {
		s.event("health", `{"id":"`+system.ID.String()+`"}`)
	}
	return nil
}

// feedData is what an event says.
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
	if s.hears {
		health = `,"health":true`
	}
	s.event("ping", `{"every":`+strconv.FormatInt(s.Heartbeat.Milliseconds(), 10)+health+`}`)
}
