package oncall_test

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/notice"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/modules/oncall"
)

// app is the API with schedules and policies, and teams and people of the test's making.
type app struct {
	*apitest.Server
	module *oncall.Module
	people *directory
	feed   *feed
	keys   *secret.Keyset
	// log are the events, engine and incidents what the module reaches of others, and clock its time.
	outbox    *event.Outbox
	types     *event.Registry
	engine    *engine
	incidents *incidents
	clock     *clock
}

// directory has the people of the server and teams of its own.
type directory struct {
	*apitest.Server
	mu    sync.Mutex
	teams map[uuid.UUID][]uuid.UUID
	gone  map[uuid.UUID]bool
}

func (d *directory) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names, err := d.Server.Names(ctx, ids)
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.gone {
		delete(names, id)
	}
	return names, err
}

func (d *directory) TeamNames(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := map[uuid.UUID]string{}
	for _, id := range ids {
		if _, ok := d.teams[id]; ok {
			names[id] = "Team " + id.String()[:4]
		}
	}
	return names, nil
}

func (d *directory) Members(_ context.Context, teams []uuid.UUID) (map[uuid.UUID][]uuid.UUID, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	members := map[uuid.UUID][]uuid.UUID{}
	for _, id := range teams {
		members[id] = d.teams[id]
	}
	return members, nil
}

func (d *directory) Find(_ context.Context, names []string) (map[string]uuid.UUID, error) {
	found := map[string]uuid.UUID{}
	for _, name := range names {
		switch name {
		case "ada@example.com", "ada":
			found[name] = d.Principal("ada").ID
		case "bob", "cleo":
			found[name] = d.Principal(name).ID
		}
	}
	return found, nil
}

// feed is an iCal server that the module reaches without a guard.
type feed struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	body   string
}

func (f *feed) serve(status int, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status, f.body = status, body
}

func newFeed(t testing.TB) *feed {
	t.Helper()
	f := &feed{status: http.StatusOK}
	f.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		w.WriteHeader(f.status)
		_, _ = w.Write([]byte(f.body))
	}))
	t.Cleanup(f.Close)
	return f
}

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t), feed: newFeed(t)}
	a.people = &directory{Server: a.Server, teams: map[uuid.UUID][]uuid.UUID{}, gone: map[uuid.UUID]bool{}}
	var err error
	a.keys, err = secret.New()
	require.NoError(t, err)
	a.types, err = event.NewRegistry()
	require.NoError(t, err)
	a.outbox, a.engine, a.clock = event.NewOutbox(a.DB, a.types), &engine{}, &clock{}
	a.incidents = &incidents{known: map[uuid.UUID]oncall.Incident{}, owners: map[uuid.UUID]uuid.UUID{}, blind: map[uuid.UUID]bool{}}
	a.module = oncall.New(oncall.Options{
		DB: a.DB, People: a.people, Incidents: a.incidents, Events: a.outbox, Engine: a.engine, Notices: notice.NewLedger(a.DB),
		Mutes: a.incidents, Now: func(ctx context.Context) (time.Time, error) { return a.clock.now(ctx, a.DB) }, Sealer: a.keys,
		Feeds: a.feed.Client(),
	})
	require.NoError(t, a.types.Declare(a.module.EventTypes()...))
	a.Mount(t, a.module)
	a.Person("root", principal.Admin)
	a.Person("ada", oncall.Read, oncall.Manage)
	a.Person("bob", oncall.Read)
	a.Person("cleo", oncall.Read)
	a.Person("outsider")
	return a
}

// clock is that of the database, or a set time.
type clock struct {
	mu  sync.Mutex
	set func() time.Time
}

func (c *clock) now(ctx context.Context, db *store.DB) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set != nil {
		return c.set(), nil
	}
	return db.Now(ctx)
}

// follow sets where the time comes from.
func (c *clock) follow(set func() time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set = set
}

// engine counts signals.
type engine struct {
	durable.Engine

	signals atomic.Int64
}

func (e *engine) Signal(context.Context, string, durable.Message) error {
	e.signals.Add(1)
	return nil
}

// incidents are those of the test, with the teams of systems and what mutes them.
type incidents struct {
	mu     sync.Mutex
	known  map[uuid.UUID]oncall.Incident
	owners map[uuid.UUID]uuid.UUID
	mutes  []notice.Mute
	// blind are people and teams who see no incident.
	blind map[uuid.UUID]bool
	// held is called when one is held.
	held func(uuid.UUID)
}

// put stores an incident.
func (i *incidents) put(one oncall.Incident) oncall.Incident {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.known[one.ID] = one
	return one
}

// change changes an incident.
func (i *incidents) change(id uuid.UUID, change func(*oncall.Incident)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	one := i.known[id]
	change(&one)
	i.known[id] = one
}

// mute mutes systems; none lifts it.
func (i *incidents) mute(mutes ...notice.Mute) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.mutes = mutes
}

func (i *incidents) Hold(_ context.Context, id uuid.UUID) (oncall.Incident, bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.held != nil {
		i.held(id)
	}
	one, ok := i.known[id]
	return one, ok, nil
}

func (i *incidents) See(ctx context.Context, id uuid.UUID) (oncall.Incident, error) {
	one, ok, err := i.Hold(ctx, id)
	if !ok {
		return one, problem.Errorf(problem.NotFound, "No incident has the id %s.", id)
	}
	return one, err
}

func (i *incidents) SeenBy(_ context.Context, _, person uuid.UUID) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return !i.blind[person], nil
}

func (i *incidents) SeenByTeam(ctx context.Context, id, team uuid.UUID) (bool, error) {
	return i.SeenBy(ctx, id, team)
}

func (i *incidents) Owners(_ context.Context, systems []uuid.UUID) ([]uuid.UUID, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	teams := []uuid.UUID{}
	for _, id := range systems {
		if team, ok := i.owners[id]; ok {
			teams = append(teams, team)
		}
	}
	return teams, nil
}

func (*incidents) CheckSystems(context.Context, []uuid.UUID) error { return nil }

func (i *incidents) Muted(context.Context, []uuid.UUID) ([]notice.Mute, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.mutes, nil
}

// team makes a team of people, who are its members from their next request on.
func (a *app) team(names ...string) uuid.UUID {
	id := uuid.New()
	a.people.mu.Lock()
	defer a.people.mu.Unlock()
	a.people.teams[id] = []uuid.UUID{}
	for _, name := range names {
		p := a.Principal(name)
		p.TeamIDs = append(p.TeamIDs, id)
		a.SignIn(name, p)
		a.people.teams[id] = append(a.people.teams[id], p.ID)
	}
	return id
}

type object = map[string]any

const (
	schedules = "/api/oncall/schedules"
	policies  = "/api/oncall/policies"
)

// layer is a weekly rotation of people.
func (a *app) layer(names ...string) object {
	ids := []uuid.UUID{}
	for _, name := range names {
		ids = append(ids, a.Principal(name).ID)
	}
	return object{"start": "2026-01-05T09:00", "unit": "weeks", "length": 1, "people": ids}
}

func (a *app) schedule(t testing.TB, name string, layers ...object) oncall.Schedule {
	t.Helper()
	body := object{"name": name, "zone": "Europe/Berlin", "layers": layers}
	return apitest.Decode[oncall.Schedule](t, a.Do(t, "ada", http.MethodPost, schedules, body))
}

// person is a target.
func (a *app) person(name string) object { return object{"kind": "person", "id": a.Principal(name).ID} }

// step is a step after some seconds.
func step(seconds int, targets ...object) object {
	return object{"delaySeconds": seconds, "targets": append([]object{}, targets...)}
}

// remove tells the module of a deleted user or team, as package auth does.
func (a *app) remove(t testing.TB, kind string, id uuid.UUID) {
	t.Helper()
	a.people.mu.Lock()
	a.people.gone[id] = true
	delete(a.people.teams, id)
	a.people.mu.Unlock()
	ctx := principal.NewContext(t.Context(), a.Principal("root"))
	require.NoError(t, a.DB.InTx(ctx, func(ctx context.Context) error { return a.module.OnRemoved(ctx, kind, id) }))
}

func (a *app) policy(t testing.TB, name string, more object, steps ...object) oncall.Policy {
	t.Helper()
	body := object{"name": name, "steps": steps}
	maps.Copy(body, more)
	return apitest.Decode[oncall.Policy](t, a.Do(t, "ada", http.MethodPost, policies, body))
}

func (a *app) shifts(t testing.TB, id uuid.UUID, from, to string) []string {
	t.Helper()
	found := apitest.Decode[oncall.Shifts](t, a.Do(t, "bob", http.MethodGet, schedules+"/"+id.String()+"/shifts?from="+from+"&to="+to, nil))
	lines := []string{}
	for _, s := range found.Shifts {
		line := s.Start.Format(time.RFC3339)
		for _, p := range s.People {
			line += " " + p.Name
		}
		lines = append(lines, line)
	}
	return lines
}

// refused requires a refusal with this code.
func refused(t testing.TB, code problem.Code, answer apitest.Answer) problem.Error {
	t.Helper()
	return answer.Refused(t, code)
}

// messages are those of warnings.
func messages(warnings []oncall.Warning) string {
	lines := []string{}
	for _, w := range warnings {
		lines = append(lines, w.Path+": "+w.Message)
	}
	return strings.Join(lines, "\n")
}
