package healthcheck_test

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
	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/check/heartbeat"
	"countersign/check/history"
	"countersign/event"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
	"countersign/modules/vault"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool/budget"
)

type object = map[string]any

// app is the API with health checks, the catalog, the vault and the people module.
type app struct {
	*apitest.Server
	auth    *auth.Auth
	vault   *vault.Module
	catalog *catalog.Module
	module  *healthcheck.Module
	asked   []int32
}

// followers tells the health checks of changed systems.
type followers struct{ a *app }

func (f followers) OnSystemsChanged(ctx context.Context, ids []uuid.UUID) error {
	return f.a.module.OnSystemsChanged(ctx, ids)
}

// grants fits the grants of the people module to what the catalog asks for.
type grants struct{ *auth.Grants }

func (g grants) Owners(context.Context, string, []uuid.UUID) (map[uuid.UUID][]catalog.Owner, error) {
	return map[uuid.UUID][]catalog.Owner{}, nil
}

type directory struct{}

func (directory) People(context.Context, []uuid.UUID) (map[uuid.UUID]catalog.Person, error) {
	return map[uuid.UUID]catalog.Person{}, nil
}

// systems fits the catalog to what health checks ask for.
type systems struct{ *catalog.Module }

func (s systems) Describe(ctx context.Context, ids []uuid.UUID) ([]healthcheck.System, error) {
	described, err := s.Module.Describe(ctx, ids)
	list := make([]healthcheck.System, len(described))
	for i, d := range described {
		list[i].Scope = check.SystemScope{ID: d.ID, Name: d.Name, Metadata: d.Metadata}
		for _, e := range d.Environments {
			list[i].Environments = append(list[i].Environments, check.EnvironmentScope{ID: e.ID, Name: e.Name, Fields: e.Fields})
		}
	}
	return list, err
}

func (s systems) Browse(ctx context.Context, f healthcheck.Selection, after string, limit int) ([]healthcheck.Named, bool, error) {
	list, more, err := s.Module.Browse(ctx, catalog.SystemFilter{Query: f.Query, Tag: f.Tag, GroupID: f.GroupID}, after, limit)
	named := make([]healthcheck.Named, len(list))
	for i, system := range list {
		named[i] = healthcheck.Named(system)
	}
	return named, more, err
}

func (s systems) GroupsOf(ctx context.Context, ids []uuid.UUID) ([]healthcheck.BoardGroup, map[uuid.UUID][]uuid.UUID, error) {
	list, of, err := s.Module.GroupsOf(ctx, ids)
	groups := make([]healthcheck.BoardGroup, len(list))
	for i, group := range list {
		groups[i] = healthcheck.BoardGroup(group)
	}
	return groups, of, err
}

// doorConfig is the config of the test's strategy: it knocks at a door.
type doorConfig struct {
	Host     string `json:"host" jsonschema:"minLength=1,maxLength=200,description=Whose door." check:"template"`
	Password string `json:"password,omitempty" jsonschema:"maxLength=200" check:"secret"`
	Timeout  int    `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=60000,default=1000" check:"unit=ms"`
	check.Tries
}

// Sends implements check.Sender: a door that is opened is another one afterwards.
func (c *doorConfig) Sends() check.Sending {
	return check.Sending{
		Reads: !strings.HasPrefix(c.Host, "open-"),
		Lines: []string{"It knocks at " + c.Host + " with the password " + c.Password + "."},
	}
}

// Sends implements check.Sender.
func (*knockConfig) Sends() check.Sending { return check.Sending{Reads: true} }

type knockConfig struct {
	Times int `json:"times,omitempty" jsonschema:"minimum=1,maximum=10,default=1"`
}

type countConfig struct {
	Whom string `json:"whom,omitempty" jsonschema:"maxLength=100,default=Anybody"`
}

type knockResult struct {
	Answers int    `json:"answers" check:"keep,chart=line"`
	Words   string `json:"words"`
	Open    bool   `json:"open"`
}

func answered(host, words string, c *knockConfig) (*knockResult, error) {
	if host == "closed" {
		return nil, check.Fail(check.Refused, "Nobody opens.")
	}
	return &knockResult{Answers: c.Times, Words: words, Open: true}, nil
}

func kinds(t testing.TB) *check.Registry {
	t.Helper()
	knock := check.NewCollector(check.Kind{ID: "test-door.knock", Name: "Knock", Description: "Knocks and counts the answers."},
		func(_ context.Context, _ check.Run, host string, c *knockConfig) (*knockResult, error) {
			return answered(host, "come in", c)
		})
	listen := check.NewCollector(
		check.Kind{ID: "test-door.listen", Name: "Listen", Description: "Knocks and says whose door it is.", Scoped: true},
		func(_ context.Context, run check.Run, host string, c *knockConfig) (*knockResult, error) {
			return answered(host, "come in, "+run.Scope.System.Name, c)
		},
	)
	ring := check.NewCollector(
		check.Kind{
			ID: "test-door.ring", Name: "Ring", Description: "Presses the bell.",
			Defaults: []check.Assertion{{Field: "answers", Operator: "between", Value: json.RawMessage("[1,9]")}},
		},
		func(_ context.Context, _ check.Run, host string, c *knockConfig) (*knockResult, error) {
			return answered(host, "come in", c)
		},
	)
	count := check.NewCollector(
		check.Kind{
			ID: "test-door.count", Name: "Count", Description: "Counts the people behind it.",
			Unjudged: &check.Unjudged{
				Finds: "the number of people", Example: check.Assertion{Field: "answers", Operator: "lessThan", Value: json.RawMessage("5")},
				Member: "whom", Alive: []string{"Anybody"},
			},
		},
		func(_ context.Context, _ check.Run, host string, c *countConfig) (*knockResult, error) {
			return answered(host, c.Whom, &knockConfig{Times: 3})
		},
	)
	door := check.NewStrategy(check.Kind{ID: "test-door.door", Name: "Door", Description: "Goes to a door."},
		func(_ context.Context, _ check.Run, c *doorConfig) (string, error) { return c.Host, nil }, nil, knock, listen, ring, count)
	registry, err := check.NewRegistry(door)
	require.NoError(t, err)
	return registry
}

func newApp(t testing.TB) *app {
	t.Helper()
	return newAppOf(t, kinds)
}

// newAppOf is an app with these strategies.
func newAppOf(t testing.TB, kinds func(testing.TB) *check.Registry) *app {
	t.Helper()
	a := &app{Server: apitest.New(t)}
	rules, err := auth.NewRegistry(
		new(auth.Auth).Rules(),
		new(catalog.Module).Rules(),
		new(healthcheck.Module).Rules(),
		new(vault.Module).Rules(),
	)
	require.NoError(t, err)
	a.auth, err = auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	a.auth.BindRemoved(func(ctx context.Context, kind string, id uuid.UUID) error { return a.module.OnRemoved(ctx, kind, id) })
	a.catalog = catalog.New(catalog.Options{DB: a.DB, Grants: grants{a.auth.Grants}, Directory: directory{}, Followers: followers{a}})
	keys, err := secret.New()
	require.NoError(t, err)
	a.vault, err = vault.New(vault.Options{DB: a.DB, Sealer: keys, Names: a})
	require.NoError(t, err)
	registry := kinds(t)
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	a.module = healthcheck.New(healthcheck.Options{
		DB:      a.DB,
		Kinds:   registry,
		Systems: systems{a.catalog},
		Grants:  a.auth.Grants,
		Secrets: a.vault,
		Shards:  16,
		Runner:  a,
		Tester:  tester{},
		History: history.NewReader(a.DB, history.ReaderOptions{}),
		Draft: healthcheck.Drafting{
			Host: &check.Host{Now: time.Now}, Preparer: registry, Calls: budget.New(a.DB,
				budget.Limits{Calls: 1000, Window: time.Hour}), Quota: quota.New(a.DB), Most: 2, Once: exactlyonce.New(a.DB),
		},
		Heartbeats: heartbeat.New(
			a.DB,
			[]byte("a key of these tests"),
		),
		URL:     "https://countersign.example.org",
		Address: a.auth.Authenticator.Client,
		Keeper:  history.NewKeeper(a.DB, slog.New(slog.DiscardHandler), history.KeeperOptions{}),
		Settler: engine.Systems{DB: a.DB, Events: event.NewOutbox(a.DB, types)},
	})
	a.auth.Grants.Bind(a.module, a.catalog)
	a.Mount(t, a.module, a.catalog, a.vault, a.auth)
	a.Person("root", principal.Admin)
	return a
}

// RunNow implements healthcheck.Runner.
func (a *app) RunNow(_ context.Context, target int32) (time.Time, error) {
	a.asked = append(a.asked, target)
	return time.UnixMilli(1_000_000).UTC(), nil
}

// tester runs no script.
type tester struct{}

func (tester) Test(context.Context, []sdk.Context, script.TestInput) (script.TestOutput, error) {
	return script.TestOutput{Diagnostics: []script.Diagnostic{}, Logs: []script.LogLine{}, LimitsHit: []script.Limit{}}, nil
}
func (tester) Network(context.Context) bool { return false }

// member signs somebody in who is in these teams.
func (a *app) member(name string, teams []uuid.UUID, rules ...string) {
	a.SignIn(name, principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules, TeamIDs: teams})
}

// grant replaces what is granted on an object: relation by team. What is private and none of theirs has an owner elsewhere.
func (a *app) grant(t testing.TB, objectType string, id uuid.UUID, private bool, relations map[uuid.UUID]access.Level) {
	t.Helper()
	wanted := auth.Access{Private: private, Grants: []auth.Grant{}}
	for team, relation := range relations {
		wanted.Grants = append(wanted.Grants, auth.Grant{SubjectType: "team", SubjectID: team, Relation: relation})
	}
	if private && len(relations) == 0 {
		wanted.Grants = append(wanted.Grants, auth.Grant{SubjectType: "team", SubjectID: a.team(t, uuid.NewString()), Relation: access.Own})
	}
	_, err := a.auth.Grants.SetAccess(principal.NewContext(t.Context(), a.Principal("root")), objectType, id, wanted)
	require.NoError(t, err)
}

func (a *app) team(t testing.TB, name string) uuid.UUID {
	t.Helper()
	team, err := a.auth.Directory.CreateTeam(principal.NewContext(t.Context(), a.Principal("root")), auth.NewTeam{Name: name})
	require.NoError(t, err)
	return team.ID
}

const (
	checks       = "/api/healthcheck/checks"
	systemsPath  = "/api/catalog/systems"
	environments = "/api/catalog/environments"
)

// door is the body of a check of the door of a host.
func door(name, host string, more ...object) object {
	body := object{
		"name":            name,
		"strategyId":      "test-door.door",
		"config":          object{"host": host},
		"intervalSeconds": 60,
		"collectors": []object{
			{"collectorId": "test-door.knock", "assertions": []object{{"field": "answers", "operator": "greaterThan", "value": 0}}},
		},
	}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return body
}

func (a *app) check(t testing.TB, body object) healthcheck.Check {
	t.Helper()
	return apitest.Decode[healthcheck.Check](t, a.Do(t, "root", http.MethodPost, checks, body))
}

func (a *app) system(t testing.TB, name string, environments ...uuid.UUID) uuid.UUID {
	t.Helper()
	s := apitest.Decode[catalog.System](t, a.Do(t, "root", http.MethodPost, systemsPath, object{"name": name}))
	if len(environments) > 0 {
		a.place(t, s.ID, environments...)
	}
	return s.ID
}

func (a *app) place(t testing.TB, system uuid.UUID, environments ...uuid.UUID) {
	t.Helper()
	if environments == nil {
		environments = []uuid.UUID{}
	}
	a.ok(t, a.Do(t, "root", http.MethodPut, at(systemsPath, system)+"/environments", object{"environmentIds": environments}))
}

func (a *app) environment(t testing.TB, name string, fields object) uuid.UUID {
	t.Helper()
	return apitest.Decode[catalog.Environment](t, a.Do(t, "root", http.MethodPost, environments, object{"name": name, "fields": fields})).ID
}

func (a *app) assign(t testing.TB, id, system uuid.UUID, choice object) healthcheck.Assignment {
	t.Helper()
	return apitest.Decode[healthcheck.Assignment](t, a.Do(t, "root", http.MethodPut, at(checks, id)+"/systems/"+system.String(), choice))
}

func (a *app) ok(t testing.TB, answer apitest.Answer) {
	t.Helper()
	require.Less(t, answer.Status, 300, answer.Body)
}

func at(collection string, id uuid.UUID) string { return collection + "/" + id.String() }

// as is a context in which somebody acts.
func (a *app) as(t testing.TB, who string) context.Context {
	t.Helper()
	return principal.NewContext(t.Context(), a.Principal(who))
}

// decode is an answer that has to be one.
func decode[T any](t testing.TB, answer apitest.Answer) T {
	t.Helper()
	require.Less(t, answer.Status, 300, answer.Body)
	return apitest.Decode[T](t, answer)
}

// problemDetail is what a refusal says, without the id that it is about.
func problemDetail(t testing.TB, answer apitest.Answer, id string) string {
	t.Helper()
	var refused struct{ Detail string }
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &refused))
	require.NotEmpty(t, refused.Detail)
	return strings.ReplaceAll(refused.Detail, id, "ID")
}
