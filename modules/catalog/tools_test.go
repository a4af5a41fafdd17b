package catalog_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/tool"
)

// call runs a read tool and returns its result as JSON.
func (a *app) call(t testing.TB, name string, input any) string {
	t.Helper()
	return a.Call(t, "root", "catalog."+name, input)
}

func (a *app) propose(t testing.TB, as, name string, input any) (tool.Proposed, error) {
	t.Helper()
	return a.Propose(t, as, "catalog."+name, input)
}

func (a *app) proposed(t testing.TB, name string, input any) tool.Proposed {
	t.Helper()
	p, err := a.propose(t, "root", name, input)
	require.NoError(t, err)
	return p
}

func (a *app) apply(t testing.TB, name string, p tool.Proposed) (string, error) {
	t.Helper()
	return a.Apply(t, "root", "catalog."+name, p)
}

func (a *app) applied(t testing.TB, name string, p tool.Proposed) string {
	t.Helper()
	result, err := a.apply(t, name, p)
	require.NoError(t, err)
	return result
}

func diffOf(t testing.TB, p tool.Proposed) string {
	t.Helper()
	return marshal(t, p.Diff)
}

func TestEveryToolSaysWhatItReturns(t *testing.T) {
	t.Parallel()
	tools := newApp(t).module.Tools()
	require.Len(t, tools, 22)
	for _, x := range tools {
		require.Contains(t, x.Description, "Returns ", x.Name)
	}
}

func TestTheRulesFitTheRegistryOfThePeopleModule(t *testing.T) {
	t.Parallel()
	registry, err := auth.NewRegistry(new(auth.Auth).Rules(), new(catalog.Module).Rules())
	require.NoError(t, err)
	defaults := []string{}
	for _, rule := range registry.All() {
		if rule.Default && strings.HasPrefix(rule.ID, "catalog.") {
			defaults = append(defaults, rule.ID)
		}
	}
	require.Equal(t, []string{catalog.EnvironmentRead, catalog.GroupRead, catalog.SystemRead}, defaults)
}

func TestReadToolsAnswerLeanly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	platform := a.team(t, "Platform")
	s := apitest.Decode[catalog.System](
		t,
		a.Do(
			t,
			"root",
			http.MethodPost,
			systems,
			object{"name": "Payments API", "tags": []string{"core"}, "metadata": object{"tier": 1}, "ownerTeamId": platform},
		),
	)
	g := a.group(t, "Checkout", s.ID)
	e := a.environment(t, "Production")
	a.Do(t, "root", http.MethodPut, at(systems, s.ID)+"/environments", object{"environmentIds": []uuid.UUID{e.ID}})
	a.Do(t, "root", http.MethodPost, at(systems, s.ID)+"/links", object{"url": "https://example.org", "label": "Runbook"})
	a.system(t, "Search")

	id := s.ID.String()
	require.JSONEq(
		t,
		`{"systems":[{"id":"`+id+`","name":"Payments API","tags":["core"],"owners":["Platform"],"groups":["Checkout"],"environments":["Production"]}]}`,
		a.call(t, "listSystems", object{"query": "payments"}),
	)
	require.JSONEq(t, a.call(t, "listSystems", object{"tag": "core"}), a.call(t, "listSystems", object{"groupId": g.ID}))
	for _, filter := range []object{{"environmentId": e.ID}, {"teamId": platform}, {"teamId": platform, "tag": "core"}} {
		require.JSONEq(t, a.call(t, "listSystems", object{"tag": "core"}), a.call(t, "listSystems", filter), "%v", filter)
	}
	require.JSONEq(
		t,
		`{"systems":[],"similar":[{"id":"`+id+`","name":"Payments API","tags":["core"],"owners":["Platform"],"groups":["Checkout"],"environments":["Production"]}]}`,
		a.call(t, "listSystems", object{"query": "paymets"}),
	)
	require.Contains(t, a.call(t, "listSystems", object{"limit": 1}), `"more":true`)
	require.JSONEq(t, `{"systems":[]}`, a.call(t, "listSystems", object{"query": "a&limit=9"}), "a query is text, not more of the address")

	full := a.call(t, "getSystem", object{"id": id})
	for _, part := range []string{`"metadata":{"tier":1}`, `"teamName":"Platform"`, `"label":"Runbook"`, `"access":"owner"`} {
		require.Contains(t, full, part)
	}
	require.NotContains(t, full, "revision")
	require.JSONEq(t, `{"groups":[{"id":"`+g.ID.String()+`","name":"Checkout","systemIds":["`+id+`"]}]}`, a.call(t, "listGroups", object{}))
	require.JSONEq(
		t,
		`{"environments":[{"id":"`+e.ID.String()+`","name":"Production","systemIds":["`+id+`"]}]}`,
		a.call(t, "listEnvironments", object{}),
	)
	require.JSONEq(t, `{"teams":[{"id":"`+platform.String()+`","name":"Platform"}]}`, a.call(t, "listTeams", object{}))

	_, err := a.Tool(t, "catalog.getSystem").Run(t.Context(), a.Caller("root"), json.RawMessage(`{"id":"`+uuid.NewString()+`"}`))
	require.Equal(t, "id", problem.As(err).Issues[0].Path)
}

func issuePaths(t testing.TB, err error) []string {
	t.Helper()
	require.True(t, problem.Is(err, problem.Invalid), "%v", err)
	var paths []string
	for _, issue := range problem.As(err).Issues {
		require.NotEmpty(t, issue.Message)
		paths = append(paths, issue.Path)
	}
	return paths
}
