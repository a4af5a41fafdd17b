package maintenance_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/durable"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/maintenance"
)

// app is the API with maintenances, the catalog and the people module, with a clock that tests set.
type app struct {
	*apitest.Server
	auth   *auth.Auth
	module *maintenance.Module
	log    *event.Log
	engine *engine
	// rechecked counts the systems about which held notifications were looked at again.
	rechecked atomic.Int64
	clock     atomic.Pointer[time.Time]
}

// grants fits the grants of the people module to what the catalog asks for.
type grants struct{ *auth.Grants }

func (g grants) Owners(context.Context, string, []uuid.UUID) (map[uuid.UUID][]catalog.Owner, error) {
	return nil, nil
}

// directory has no users.
type directory struct{}

func (directory) People(context.Context, []uuid.UUID) (map[uuid.UUID]catalog.Person, error) {
	return nil, nil
}

// feedOwners are the people of the server, who own feeds.
type feedOwners struct{ app *app }

func (f feedOwners) Person(_ context.Context, id uuid.UUID) (principal.Principal, error) {
	for _, name := range []string{"ada", "bob", "reader", "outsider"} {
		if p := f.app.Principal(name); p.ID == id {
			return p, nil
		}
	}
	return principal.Principal{}, problem.Errorf(problem.NotFound, "There is no such person.")
}

// engine notes which workflows were started and woken; a set error is that of an engine that is away.
type engine struct {
	away    atomic.Pointer[error]
	started []string
	woken   []string
}

func (e *engine) Start(_ context.Context, x durable.Execution) error {
	if err := e.away.Load(); err != nil {
		return *err
	}
	e.started = append(e.started, x.ID)
	return nil
}

func (e *engine) Signal(_ context.Context, id string, _ durable.Message) error {
	e.woken = append(e.woken, id)
	return nil
}

func (*engine) Query(context.Context, string, string, any) error     { return nil }
func (*engine) Cancel(context.Context, string) error                 { return nil }
func (*engine) State(context.Context, string) (durable.State, error) { return durable.Running, nil }

// Recheck implements maintenance.Rechecker.
func (a *app) Recheck(_ context.Context, systems ...uuid.UUID) error {
	a.rechecked.Add(int64(len(systems)))
	return nil
}

// systemRead opens the systems of the catalog.
const systemRead = catalog.SystemRead

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t), engine: &engine{}}
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), new(catalog.Module).Rules(), new(maintenance.Module).Rules())
	require.NoError(t, err)
	a.auth, err = auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	systems := catalog.New(catalog.Options{DB: a.DB, Grants: grants{a.auth.Grants}, Directory: directory{}})
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	a.module = maintenance.New(maintenance.Options{
		DB: a.DB, Systems: systems, Names: a.Server, People: feedOwners{a}, Events: event.NewOutbox(a.DB, types), Engine: a.engine, Mutes: a,
		URL: "https://countersign.example", Now: func() time.Time {
			if at := a.clock.Load(); at != nil {
				return *at
			}
			return time.Now()
		},
	})
	require.NoError(t, types.Declare(a.module.EventTypes()...))
	a.log = event.NewLog(a.DB, types, nil)
	a.auth.Grants.Bind(systems)
	a.auth.BindRemoved(a.module.OnRemoved)
	a.Mount(t, a.module, systems)
	a.Person("root", principal.Admin)
	a.Person("ada", systemRead, maintenance.Read, maintenance.Manage)
	a.Person("bob", systemRead, maintenance.Manage)
	a.Person("reader", systemRead, maintenance.Read)
	a.Person("outsider", maintenance.Read)
	return a
}

type object = map[string]any

const (
	maintenances = "/api/maintenances"
	systems      = "/api/catalog/systems"
)

func at(id uuid.UUID, parts ...string) string {
	path := maintenances + "/" + id.String()
	for _, part := range parts {
		path += "/" + part
	}
	return path
}

// moment parses a time.
func moment(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}

// set sets the clock.
func (a *app) set(t testing.TB, text string) { at := moment(t, text); a.clock.Store(&at) }

// tick lets the chore do its work.
func (a *app) tick(t testing.TB) {
	t.Helper()
	require.NoError(t, a.module.Chores()[0].Do(t.Context()))
}

// until sets the clock and lets the chore do its work.
func (a *app) until(t testing.TB, text string) {
	t.Helper()
	a.set(t, text)
	a.tick(t)
}

func (a *app) system(t testing.TB, name string) uuid.UUID {
	t.Helper()
	return apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPost, systems, object{"name": name})).ID
}

// hide makes a system private, with these people as viewers.
func (a *app) hide(t testing.TB, id uuid.UUID, viewers ...string) {
	t.Helper()
	const insert = `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id)
		VALUES ('catalog.system', $1, $2, $3, $4)`
	a.Exec(t, `DELETE FROM relation_tuples WHERE object_id = $1`, id)
	a.Exec(t, insert, id, "private", "public", uuid.Nil)
	a.Exec(t, insert, id, "owner", "user", uuid.New())
	for _, name := range viewers {
		a.Exec(t, insert, id, "viewer", "user", a.Principal(name).ID)
	}
}

// input is that of a maintenance, with more members merged into it.
func input(title string, system uuid.UUID, start, end string, more ...object) object {
	body := object{"title": title, "systemIds": []uuid.UUID{system}, "startAt": start, "endAt": end}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return body
}

// plan schedules a maintenance as ada.
func (a *app) plan(t testing.TB, title string, system uuid.UUID, start, end string, more ...object) maintenance.Maintenance {
	t.Helper()
	return apitest.Decode[maintenance.Maintenance](t, a.Do(t, "ada", http.MethodPost, maintenances, input(title, system, start, end, more...)))
}

func (a *app) get(t testing.TB, as string, id uuid.UUID) maintenance.Maintenance {
	t.Helper()
	return apitest.Decode[maintenance.Maintenance](t, a.Do(t, as, http.MethodGet, at(id), nil))
}

func (a *app) change(t testing.TB, as string, id uuid.UUID, body object) maintenance.Maintenance {
	t.Helper()
	return apitest.Decode[maintenance.Maintenance](t, a.Do(t, as, http.MethodPatch, at(id), body))
}

func (a *app) closeIt(t testing.TB, as string, id uuid.UUID, body object) maintenance.Moved {
	t.Helper()
	return apitest.Decode[maintenance.Moved](t, a.Do(t, as, http.MethodPost, at(id, "close"), body))
}

func (a *app) updates(t testing.TB, as string, id uuid.UUID) []note.Note {
	t.Helper()
	return apitest.Decode[struct{ Updates []note.Note }](t, a.Do(t, as, http.MethodGet, at(id, "updates"), nil)).Updates
}

// titles are those that somebody lists, in order.
func (a *app) titles(t testing.TB, as, query string) []string {
	t.Helper()
	page := apitest.Decode[struct{ Maintenances []maintenance.Listed }](t, a.Do(t, as, http.MethodGet, maintenances+query, nil))
	titles := []string{}
	for _, one := range page.Maintenances {
		titles = append(titles, one.Title)
	}
	return titles
}

// calendar is what somebody sees in a span of time.
func (a *app) calendar(t testing.TB, as, from, to string) []maintenance.Entry {
	t.Helper()
	path := maintenances + "/calendar?from=" + from + "&to=" + to
	return apitest.Decode[maintenance.Calendar](t, a.Do(t, as, http.MethodGet, path, nil)).Entries
}

// spans are the starts and ends of entries.
func spans(entries []maintenance.Entry) []string {
	list := []string{}
	for _, e := range entries {
		list = append(list, e.StartAt.UTC().Format(time.RFC3339)+" "+e.EndAt.UTC().Format(time.RFC3339))
	}
	return list
}

// events are the types of the events about a maintenance that somebody may see, in order, and their payloads.
func (a *app) events(t testing.TB, as string, id uuid.UUID) (types []string, payloads []maintenance.Payload) {
	t.Helper()
	page, err := a.log.List(t.Context(), a.Principal(as), event.Query{Limit: 100})
	require.NoError(t, err)
	for _, e := range slices.Backward(page.Events) {
		if e.Subject != "maintenance:"+id.String() {
			continue
		}
		var p maintenance.Payload
		require.NoError(t, json.Unmarshal(e.Payload, &p))
		types, payloads = append(types, e.Type), append(payloads, p)
	}
	return types, payloads
}

// refused requires a refusal with this code.
func refused(t testing.TB, code problem.Code, answer apitest.Answer) problem.Error {
	t.Helper()
	return answer.Refused(t, code)
}
