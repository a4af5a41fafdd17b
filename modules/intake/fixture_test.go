package intake_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/modules/catalog"
	"countersign/modules/incident"
	"countersign/modules/intake"
	"countersign/modules/intake/alert"
	"countersign/modules/intake/intaketest"
)

// app is the API with sources of alerts, incidents and the catalog.
type app struct {
	*apitest.Server
	module    *intake.Module
	incidents *incident.Module
	keys      *secret.Keyset
	aws       *intaketest.AWS
	team      uuid.UUID
}

// grants fits the grants of the people module to what the catalog asks for.
type grants struct{ *auth.Grants }

func (g grants) Owners(context.Context, string, []uuid.UUID) (map[uuid.UUID][]catalog.Owner, error) {
	return nil, nil
}

// directory has no users and one team.
type directory struct{ team uuid.UUID }

func (directory) People(context.Context, []uuid.UUID) (map[uuid.UUID]catalog.Person, error) {
	return nil, nil
}

func (d directory) TeamNames(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	names := map[uuid.UUID]string{}
	for _, id := range ids {
		if id == d.team {
			names[id] = "Shop"
		}
	}
	return names, nil
}

// reported gives sources their incidents.
type reported struct{ *incident.Module }

func (r reported) See(ctx context.Context, id uuid.UUID) error {
	_, err := r.Module.See(ctx, id)
	return err
}

func (r reported) Report(ctx context.Context, source uuid.UUID, name string, in intake.Report) (uuid.UUID, string, error) {
	worded := func(w intake.Wording) incident.Wording {
		return incident.Wording{Title: w.Title, Description: w.Description, Severity: incident.Severity(w.Severity)}
	}
	id, done, err := r.Module.Report(principal.NewContext(ctx, incident.Reporter(source, name)), incident.Report{
		Key: in.Key, Last: in.Last, Was: worded(in.Was), Now: worded(in.Now), Systems: in.Systems, StartedAt: in.StartedAt,
		IsNew: in.IsNew, ReopenWithin: in.ReopenWithin,
	})
	return id, string(done), err
}

func (r reported) End(
	ctx context.Context, source uuid.UUID, name string, id uuid.UUID, key string, at time.Time,
) (string, error) {
	done, err := r.ReportEnd(principal.NewContext(ctx, incident.Reporter(source, name)), id, key, at)
	return string(done), err
}

func newApp(t testing.TB) *app {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	a := &app{Server: apitest.New(t), keys: keys, aws: intaketest.NewAWS(t), team: uuid.New()}
	rules, err := auth.NewRegistry(
		new(auth.Auth).Rules(),
		new(catalog.Module).Rules(),
		new(incident.Module).Rules(),
		new(intake.Module).Rules(),
	)
	require.NoError(t, err)
	people, err := auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	systems := catalog.New(catalog.Options{DB: a.DB, Grants: grants{people.Grants}, Directory: directory{}})
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	outbox, sources := event.NewOutbox(a.DB, types), &health.Sources{}
	a.incidents = incident.New(incident.Options{
		DB: a.DB, Systems: systems, Names: a.Server, Events: outbox, Removed: a.removed,
		Health: engine.Systems{DB: a.DB, Events: outbox, Sources: sources, Names: a.names},
	})
	a.module = intake.New(intake.Options{
		DB: a.DB, Systems: systems, Teams: directory{a.team}, Incidents: reported{a.incidents}, Sealer: keys,
		Client: &http.Client{Transport: a.aws}, URL: "https://countersign.example.com",
	})
	require.NoError(t, types.Declare(a.incidents.EventTypes()...))
	require.NoError(t, sources.Declare(a.incidents.Health()...))
	people.Grants.Bind(systems)
	people.BindRemoved(a.module.OnRemoved)
	a.Mount(t, a.module, a.incidents, systems)
	a.Person("root", principal.Admin)
	a.Person("ada", catalog.SystemRead, intake.Manage, incident.Manage)
	a.Person("reader", catalog.SystemRead, intake.Read, incident.Read)
	a.Person("outsider", incident.Read)
	return a
}

func (a *app) removed(ctx context.Context, kind string, id uuid.UUID) error {
	return a.module.OnRemoved(ctx, kind, id)
}

func (a *app) names(context.Context, []uuid.UUID) (map[uuid.UUID]string, error) { return nil, nil }

var _ access.OnRemoved = (*app)(nil).removed

type object = map[string]any

const (
	sources   = "/api/intake/sources"
	incidents = "/api/incidents"
)

func (a *app) system(t testing.TB, name string) uuid.UUID {
	t.Helper()
	return apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPost, "/api/catalog/systems", object{"name": name})).ID
}

// input is that of a source, with more members merged into it.
func input(name string, kind alert.Kind, system uuid.UUID, more ...object) object {
	body := object{"name": name, "kind": kind, "systemIds": []uuid.UUID{system}}
	if kind == alert.CloudWatch {
		body["topicArn"] = intaketest.TopicARN
	}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return body
}

// sender is a source with what its sender knows.
type sender struct {
	intake.CreatedSource
	*app
}

// source creates a source as ada.
func (a *app) source(t testing.TB, kind alert.Kind, system uuid.UUID, more ...object) sender {
	t.Helper()
	made := apitest.Decode[intake.CreatedSource](t, a.Do(t, "ada", http.MethodPost, sources, input(string(kind), kind, system, more...)))
	return sender{made, a}
}

func (s sender) path() string { return strings.TrimPrefix(s.URL, "https://countersign.example.com") }

// post sends a body with the secret, or what headers say in its place.
func (s sender) post(t testing.TB, body string, headers ...string) apitest.Answer {
	t.Helper()
	return s.Do(t, "", http.MethodPost, s.path(), body, append([]string{"Authorization", "Bearer " + s.Secret}, headers...)...)
}

// sends sends the example of the kind with replacements, and requires that it is taken.
func (s sender) sends(t testing.TB, replace ...string) intake.Received {
	t.Helper()
	body := strings.NewReplacer(replace...).Replace(alert.Example(s.Kind))
	if s.Kind == alert.CloudWatch {
		body = s.aws.Notification(t, body)
	}
	return apitest.Decode[intake.Received](t, s.post(t, body))
}

// shown is the source as ada sees it.
func (s sender) shown(t testing.TB) intake.Source {
	t.Helper()
	return apitest.Decode[intake.Source](t, s.Do(t, "ada", http.MethodGet, sources+"/"+s.ID.String(), nil))
}

// all are the incidents, the last to start first.
func (a *app) all(t testing.TB) []incident.Listed {
	t.Helper()
	return apitest.Decode[struct{ Incidents []incident.Listed }](t, a.Do(t, "root", http.MethodGet, incidents, nil)).Incidents
}

// only is the one incident.
func (a *app) only(t testing.TB) incident.Incident {
	t.Helper()
	list := a.all(t)
	require.Len(t, list, 1)
	return apitest.Decode[incident.Incident](t, a.Do(t, "root", http.MethodGet, incidents+"/"+list[0].ID.String(), nil))
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
