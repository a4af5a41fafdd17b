package incident_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/audit"
	"countersign/auth"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/modules/catalog"
	"countersign/modules/incident"
)

// app is the API with incidents, the catalog and the people module, over the health of systems.
type app struct {
	*apitest.Server
	auth *auth.Auth
	// proposals are what timelines show of proposals.
	proposals []incident.Proposed
	module    *incident.Module
	log       *event.Log
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

// noChecks says that no system has checks.
func noChecks(context.Context, []uuid.UUID) ([]uuid.UUID, error) { return nil, nil }

// systemRead opens the systems of the catalog.
const systemRead = catalog.SystemRead

func newApp(t testing.TB) *app {
	t.Helper()
	a := &app{Server: apitest.New(t)}
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), new(catalog.Module).Rules(), new(incident.Module).Rules())
	require.NoError(t, err)
	a.auth, err = auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	systems := catalog.New(catalog.Options{DB: a.DB, Grants: grants{a.auth.Grants}, Directory: directory{}})
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	outbox, sources := event.NewOutbox(a.DB, types), &health.Sources{}
	changes := audit.NewLog(a.DB, nil, "")
	a.module = incident.New(incident.Options{
		DB: a.DB, Systems: systems, Names: a.Server, Events: outbox,
		Health:  engine.Systems{DB: a.DB, Events: outbox, Sources: sources, Names: a.systemNames},
		Sources: []incident.Source{incident.Changes(changes, noChecks), a.proposed},
	})
	// Types of modules that are not here are missing.
	require.ErrorContains(t, changes.Bind(append(systems.Audited(), a.module.Audited()...)...), "no module offers it")
	require.NoError(t, types.Declare(a.module.EventTypes()...))
	require.NoError(t, sources.Declare(a.module.Health()...))
	a.log = event.NewLog(a.DB, types, nil)
	a.auth.Grants.Bind(systems)
	a.auth.BindRemoved(a.module.OnRemoved)
	a.Mount(t, a.module, systems)
	a.Person("root", principal.Admin)
	a.Person("ada", systemRead, incident.Read, incident.Manage)
	a.Person("bob", systemRead, incident.Manage)
	a.Person("reader", systemRead, incident.Read)
	a.Person("outsider", incident.Read)
	return a
}

func (a *app) systemNames(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	rows, err := a.DB.Conn(ctx).Query(ctx, `SELECT id, name FROM catalog_systems WHERE id = ANY ($1)`, ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		names[id] = name
	}
	return names, rows.Err()
}

// proposed is a source of proposals.
func (a *app) proposed(_ context.Context, about incident.About, before rest.Moment, _ int) (list []incident.Entry, err error) {
	for _, p := range a.proposals {
		if at := about.From.Add(time.Hour); at.Before(before.At) {
			list = append(list, incident.Proposal(at, p))
		}
	}
	return list, nil
}

type object = map[string]any

const (
	incidents = "/api/incidents"
	systems   = "/api/catalog/systems"
)

func at(id uuid.UUID, parts ...string) string {
	path := incidents + "/" + id.String()
	for _, part := range parts {
		path += "/" + part
	}
	return path
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

// input is that of an incident, with more members merged into it.
func input(title string, system uuid.UUID, more ...object) object {
	body := object{"title": title, "severity": "major", "systemIds": []uuid.UUID{system}}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return body
}

// open opens an incident as ada.
func (a *app) open(t testing.TB, title string, system uuid.UUID, more ...object) incident.Opened {
	t.Helper()
	return apitest.Decode[incident.Opened](t, a.Do(t, "ada", http.MethodPost, incidents, input(title, system, more...)))
}

func (a *app) get(t testing.TB, as string, id uuid.UUID) incident.Incident {
	t.Helper()
	return apitest.Decode[incident.Incident](t, a.Do(t, as, http.MethodGet, at(id), nil))
}

// move sets the state of an incident by an operation.
func (a *app) move(t testing.TB, as string, id uuid.UUID, part string, body any) incident.Moved {
	t.Helper()
	return apitest.Decode[incident.Moved](t, a.Do(t, as, http.MethodPost, at(id, part), body))
}

func (a *app) say(t testing.TB, as string, id uuid.UUID, body object) note.Note {
	t.Helper()
	return apitest.Decode[note.Note](t, a.Do(t, as, http.MethodPost, at(id, "updates"), body))
}

func (a *app) updates(t testing.TB, as string, id uuid.UUID) []note.Note {
	t.Helper()
	return apitest.Decode[struct{ Updates []note.Note }](t, a.Do(t, as, http.MethodGet, at(id, "updates"), nil)).Updates
}

// titles are those that somebody lists, in order.
func (a *app) titles(t testing.TB, as, query string) []string {
	t.Helper()
	page := apitest.Decode[struct{ Incidents []incident.Listed }](t, a.Do(t, as, http.MethodGet, incidents+query, nil))
	titles := []string{}
	for _, one := range page.Incidents {
		titles = append(titles, one.Title)
	}
	return titles
}

// status is the health of a system and its reason; unknown where nothing has determined it.
func (a *app) status(t testing.TB, system uuid.UUID) (status health.Status, reason string) {
	t.Helper()
	var n int16
	err := a.DB.Conn(t.Context()).QueryRow(t.Context(),
		`SELECT coalesce(max(status), 0), coalesce(max(reason), '') FROM check_system_states WHERE system_id = $1`, system).Scan(&n, &reason)
	require.NoError(t, err)
	return health.Status(n), reason
}

// events are the types of the events about an incident that somebody may see, in order, and their payloads.
func (a *app) events(t testing.TB, as string, id uuid.UUID) (types []string, payloads []incident.Payload) {
	t.Helper()
	page, err := a.log.List(t.Context(), a.Principal(as), event.Query{Limit: 100})
	require.NoError(t, err)
	for _, e := range slices.Backward(page.Events) {
		if e.Subject != "incident:"+id.String() {
			continue
		}
		var p incident.Payload
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
