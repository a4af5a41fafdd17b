package healthcheck_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
	"countersign/tool"
)

// people are everybody whose rights differ, with the rules of their roles.
var people = map[string][]string{
	"admin": {"*"},
	"author": {
		healthcheck.Read,
		healthcheck.Manage,
		healthcheck.StatusRead,
		healthcheck.DetailsRead,
		catalog.SystemRead,
		catalog.SystemManage,
		catalog.EnvironmentRead,
		"vault.secret.read",
	},
	"writer": {healthcheck.Read, healthcheck.Manage, catalog.SystemRead},
	"reader": {healthcheck.Read, catalog.SystemRead},
	"viewer": {healthcheck.StatusRead, catalog.SystemRead},
	"detail": {healthcheck.StatusRead, healthcheck.DetailsRead, catalog.SystemRead},
	"blind":  {healthcheck.StatusRead, healthcheck.DetailsRead},
	"keeper": {healthcheck.HistoryManage},
	"nobody": {},
}

// Every operation, by everybody: who gets through, and what the others are told.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, rules := range people {
		a.Person(name, rules...)
	}
	shop := a.system(t, "Shop")
	a.Exec(
		t,
		`INSERT INTO vault_secrets (id, name, description, value_sealed, updated_by_kind, updated_by_id) VALUES (gen_random_uuid(), 'DOOR', '', 'x', 'user', gen_random_uuid())`,
	)
	configuration := door("", "example.org")
	delete(configuration, "name")
	secret := object{"config": object{"host": "example.org", "password": "${{ secrets.DOOR }}"}}
	fresh := func() (check, system string) {
		c := a.check(t, door("Door "+uuid.NewString()[:8], "example.org", object{"assignToSystemId": shop}))
		return at(checks, c.ID), shop.String()
	}
	const all = "admin author writer reader viewer detail blind keeper nobody"
	const (
		ok        = 0
		forbidden = http.StatusForbidden
		missing   = http.StatusNotFound
		invalid   = http.StatusUnprocessableEntity
	)
	for _, c := range []struct {
		name, method string
		path         func(check, system string, target int32) string
		body         any
		// may are those who get through; the others are told otherwise, or what told says of them.
		may       string
		otherwise int
		told      map[string]int
	}{
		{"kinds", "GET", func(string, string, int32) string { return "/api/healthcheck/kinds" }, nil, "admin author writer reader", forbidden, nil},
		{"list", "GET", func(string, string, int32) string { return checks }, nil, "admin author writer reader", forbidden, nil},
		{"list of a system", "GET", func(_, s string, _ int32) string { return checks + "?systemId=" + s }, nil, "admin author writer reader", forbidden, nil},
		{"get", "GET", func(c, _ string, _ int32) string { return c }, nil, "admin author writer reader", missing, nil},
		{"create", "POST", func(string, string, int32) string { return checks }, "create", "admin author writer", forbidden, nil},
		{"create and assign", "POST", func(string, string, int32) string { return checks }, "assign", "admin author", forbidden, nil},
		{"create with a secret", "POST", func(string, string, int32) string { return checks }, "secret", "admin author", forbidden, nil},
		{"update", "PATCH", func(c, _ string, _ int32) string { return c }, object{"intervalSeconds": 30}, "admin author writer", missing, map[string]int{"reader": forbidden}},
		{"add a secret", "PATCH", func(c, _ string, _ int32) string { return c }, secret, "admin author", missing, map[string]int{"reader": forbidden, "writer": forbidden}},
		{"pause", "PUT", func(c, _ string, _ int32) string { return c + "/paused" }, object{"paused": true}, "admin author writer", missing, map[string]int{"reader": forbidden}},
		{"validate", "POST", func(string, string, int32) string { return "/api/healthcheck/validate" }, configuration, "admin author writer", forbidden, nil},
		{"draft", "POST", func(string, string, int32) string { return "/api/healthcheck/draft-runs" }, object{"configuration": configuration}, "admin author writer", forbidden, nil},
		{"draft for a system", "POST", func(string, string, int32) string { return "/api/healthcheck/draft-runs" }, object{"configuration": configuration, "systemId": shop}, "admin author writer", forbidden, nil},
		{"export", "GET", func(string, string, int32) string { return "/api/healthcheck/export" }, nil, "admin author writer reader", forbidden, nil},
		{"export one", "GET", func(c, _ string, _ int32) string { return c + "/export?format=yaml" }, nil, "admin author writer reader", missing, nil},
		{"preview of an import", "POST", func(string, string, int32) string { return previewPath }, "import", "admin author writer", forbidden, nil},
		{"import", "POST", func(string, string, int32) string { return importPath }, "import", "admin author writer", forbidden, nil},
		{"retention", "GET", func(string, string, int32) string { return "/api/healthcheck/retention" }, nil, "admin keeper", forbidden, nil},
		{"set retention", "PUT", func(string, string, int32) string { return "/api/healthcheck/retention" }, object{"rawDays": 3, "hourlyDays": 8, "dailyDays": 40}, "admin keeper", forbidden, nil},
		// The check is no job's, so nobody calls in there: who may change it is told so.
		{"another address", "POST", func(c, _ string, n int32) string { return fmt.Sprintf("%s/heartbeats/%d/rotate-token", c, n) }, object{}, "", missing, map[string]int{"reader": forbidden}},
		{"systems of a check", "GET", func(c, _ string, _ int32) string { return c + "/systems" }, nil, "admin author writer reader", missing, nil},
		{"assign", "PUT", func(c, s string, _ int32) string { return c + "/systems/" + s }, object{"enabled": false}, "admin author", missing, map[string]int{"reader": forbidden, "writer": forbidden}},
		{"run now", "POST", func(c, _ string, _ int32) string { return c + "/run-now" }, object{"systemId": shop}, "admin author writer", missing, map[string]int{"reader": forbidden}},
		{"unassign", "DELETE", func(c, s string, _ int32) string { return c + "/systems/" + s }, nil, "admin author", missing, map[string]int{"reader": forbidden, "writer": forbidden}},
		{"delete", "DELETE", func(c, _ string, _ int32) string { return c }, nil, "admin author writer", missing, map[string]int{"reader": forbidden}},
		{"board", "GET", func(string, string, int32) string { return "/api/healthcheck/board" }, nil, "admin author viewer detail", forbidden, nil},
		{"board of a status", "GET", func(string, string, int32) string { return "/api/healthcheck/board?status=unknown" }, nil, "admin author viewer detail", forbidden, nil},
		{"past of systems", "GET", func(_, s string, _ int32) string { return "/api/healthcheck/board/past?systemIds=" + s }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": ok}},
		{"where it fails", "GET", func(c, _ string, _ int32) string { return c + "/failing" }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": ok}},
		{"system", "GET", func(_, s string, _ int32) string { return "/api/healthcheck/systems/" + s }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": missing}},
		{"system chart", "GET", func(_, s string, _ int32) string { return "/api/healthcheck/systems/" + s + "/chart" }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": missing}},
		{"system period", "GET", func(_, s string, _ int32) string { return "/api/healthcheck/systems/" + s + "/period" }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": missing}},
		{"targets", "GET", func(string, string, int32) string { return "/api/healthcheck/targets?query=Door" }, nil, "admin author viewer detail", forbidden, nil},
		{"runs", "GET", func(_, _ string, n int32) string { return fmt.Sprintf("/api/healthcheck/targets/%d/runs", n) }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": missing}},
		{"chart", "GET", func(_, _ string, n int32) string { return fmt.Sprintf("/api/healthcheck/targets/%d/chart", n) }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": missing}},
		{"period", "GET", func(_, _ string, n int32) string { return fmt.Sprintf("/api/healthcheck/targets/%d/period", n) }, nil, "admin author viewer detail", forbidden, map[string]int{"blind": missing}},
		// No run of that time is kept: who may know so is told.
		{"run", "GET", func(_, _ string, n int32) string { return fmt.Sprintf("/api/healthcheck/targets/%d/runs/1", n) }, nil, "", forbidden, map[string]int{"admin": missing, "author": missing, "detail": missing, "blind": missing}},
	} {
		for who := range strings.FieldsSeq(all) {
			check, system := fresh()
			target := a.planned(t, uuid.MustParse(check[len(checks)+1:]))["Shop/"].ID
			body := c.body
			switch body {
			case "import":
				body = object{"document": document(t, door("New "+uuid.NewString(), "example.org"))}
			case "create":
				body = door("New "+uuid.NewString(), "example.org")
			case "assign":
				body = door("New "+uuid.NewString(), "example.org", object{"assignToSystemId": shop})
			case "secret":
				body = door("New "+uuid.NewString(), "example.org", secret)
			}
			want := c.otherwise
			if told, listed := c.told[who]; listed {
				want = told
			}
			if slices.Contains(strings.Fields(c.may), who) {
				want = ok
			}
			answer := a.Do(t, who, c.method, c.path(check, system, target), body)
			if want == ok {
				require.Less(t, answer.Status, 300, "%s as %s: %s", c.name, who, answer.Body)
				continue
			}
			require.Equal(t, want, answer.Status, "%s as %s: %s", c.name, who, answer.Body)
			if want == missing {
				require.NotContains(t, answer.Body, "Door ", "%s as %s", c.name, who)
			}
		}
	}
}

// A timeline tells changes of checks to those who may read their history. Names and statuses are for more people.
func TestChangesOfChecksAreForTheirReaders(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	check := a.check(t, door("Door", "example.org", object{"assignToSystemId": shop}))
	for name, reads := range map[string]bool{
		"admin": true, "author": true, "writer": true, "reader": true, "viewer": false, "detail": false, "blind": false, "nobody": false,
	} {
		a.Person(name, people[name]...)
		listed, err := a.module.ChecksOf(a.as(t, name), []uuid.UUID{shop})
		require.NoError(t, err)
		require.Equal(t, reads, slices.Contains(listed, check.ID), name)
		require.Equal(t, reads, a.module.See(a.as(t, name), healthcheck.ObjectType, check.ID) == nil, name)
	}
}

// Every tool, to everybody: which rules it is offered for. What a call then may is asked of the operations above.
func TestToolsAreOfferedByTheirRules(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	rules := map[string][]string{
		"healthcheck.listCapabilities": {
			healthcheck.Read,
		},
		"healthcheck.getCapabilitySchema":   {healthcheck.Read},
		"healthcheck.list":                  {healthcheck.Read},
		"healthcheck.get":                   {healthcheck.Read},
		"healthcheck.propose":               {healthcheck.Manage},
		"healthcheck.update":                {healthcheck.Manage},
		"healthcheck.delete":                {healthcheck.Manage},
		"healthcheck.setPaused":             {healthcheck.Manage},
		"healthcheck.runNow":                {healthcheck.Manage},
		"healthcheck.assign":                {healthcheck.Manage, catalog.SystemManage},
		"healthcheck.unassign":              {healthcheck.Manage, catalog.SystemManage},
		"healthcheck.validateConfiguration": {healthcheck.Manage},
		"healthcheck.import":                {healthcheck.Manage},
		"healthcheck.testDraft": {
			healthcheck.Manage,
		},
		"healthcheck.getScriptContext": {healthcheck.Manage},
		"healthcheck.testScript":       {healthcheck.Manage},
		"healthcheck.status": {
			healthcheck.StatusRead,
		},
		"healthcheck.listSystemChecks": {healthcheck.StatusRead},
		"healthcheck.listLocations":    {healthcheck.StatusRead},
		"healthcheck.runStats":         {healthcheck.StatusRead},
		"healthcheck.runHistory":       {healthcheck.StatusRead, healthcheck.DetailsRead},
	}
	granted := []string{
		"healthcheck.assign",
		"healthcheck.delete",
		"healthcheck.get",
		"healthcheck.getCapabilitySchema",
		"healthcheck.list",
		"healthcheck.listCapabilities",
		"healthcheck.runNow",
		"healthcheck.setPaused",
		"healthcheck.unassign",
		"healthcheck.update",
	}
	seen := map[string]bool{}
	for _, offered := range a.module.Tools() {
		require.Equal(t, rules[offered.Name], offered.Rules, offered.Name)
		require.Equal(t, slices.Contains(granted, offered.Name), len(offered.Access.Grants) > 0, "%s by a grant", offered.Name)
		require.Equal(t, offered.Name == "healthcheck.testDraft" || offered.Name == "healthcheck.testScript", offered.MayLeave(), offered.Name)
		seen[offered.Name] = true
	}
	require.Len(t, seen, len(rules))
	require.Equal(t, tool.Destructive, a.Tool(t, "healthcheck.delete").Effect)
	require.Equal(t, tool.Destructive, a.Tool(t, "healthcheck.unassign").Effect)
}

// What is hidden is in no list, count, chart, reason or refusal: a private check of a system that is seen, a system that is
// not, and both.
func TestNothingHiddenLeaks(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, vaultSystem := a.system(t, "Shop"), a.system(t, "Canary vault")
	open, hidden := a.check(
		t,
		door("Open", "example.org", object{"assignToSystemId": shop}),
	), a.check(
		t,
		door("Canary door", "example.org", object{"assignToSystemId": shop}),
	)
	a.assign(t, open.ID, vaultSystem, object{})
	a.assign(t, hidden.ID, vaultSystem, object{})
	a.ran(t, open.ID, 1, "")
	a.ran(t, hidden.ID, 3, "canary words")
	for _, id := range []uuid.UUID{shop, vaultSystem} {
		a.Exec(t, `INSERT INTO check_system_states (system_id, status, since_ms, target, reason)
			SELECT system_id, 3, 1, id, 'The check Canary door is unhealthy: canary words.' FROM check_targets WHERE check_id = $1 AND system_id = $2`, hidden.ID, id)
	}
	team := a.team(t, "Vault people")
	a.grant(t, "healthcheck.healthcheck", hidden.ID, true, map[uuid.UUID]access.Level{team: access.Edit})
	a.grant(t, "catalog.system", vaultSystem, true, map[uuid.UUID]access.Level{team: access.Edit})
	rules := []string{
		healthcheck.Read,
		healthcheck.Manage,
		healthcheck.StatusRead,
		healthcheck.DetailsRead,
		catalog.SystemRead,
		catalog.SystemManage,
		catalog.EnvironmentRead,
	}
	a.Person("outsider", rules...)
	a.member("insider", []uuid.UUID{team}, rules...)
	hiddenTarget, hiddenPlace := a.planned(t, hidden.ID)["Shop/"].ID, a.planned(t, open.ID)["Canary vault/"].ID

	for _, path := range []string{
		boardPath + "/past?systemIds=" + vaultSystem.String(), at(checks, open.ID) + "/failing", at(checks, hidden.ID) + "/failing",
		checks, checks + "?query=canary", checks + "?name=Canary+door", checks + "?systemId=" + shop.String(), checks + "?systemId=" + vaultSystem.String(),
		at(checks, open.ID), at(checks, hidden.ID), at(checks, open.ID) + "/systems", at(checks, hidden.ID) + "/systems",
		"/api/healthcheck/board", "/api/healthcheck/board?status=unhealthy", "/api/healthcheck/board?query=canary", "/api/healthcheck/systems/" + shop.String(),
		"/api/healthcheck/systems/" + vaultSystem.String(), "/api/healthcheck/systems/" + shop.String() + "/chart", "/api/healthcheck/systems/" + shop.String() + "/period",
		"/api/healthcheck/targets?query=canary", "/api/healthcheck/targets?query=shop", fmt.Sprintf("/api/healthcheck/targets?query=%d", hiddenTarget), fmt.Sprintf("/api/healthcheck/targets?query=%d", hiddenPlace),
		fmt.Sprintf("/api/healthcheck/targets/%d/runs", hiddenTarget), fmt.Sprintf("/api/healthcheck/targets/%d/chart", hiddenTarget),
		fmt.Sprintf("/api/healthcheck/targets/%d/period", hiddenPlace), fmt.Sprintf("/api/healthcheck/targets/%d/runs/1", hiddenPlace),
	} {
		answer := a.Do(t, "outsider", http.MethodGet, path, nil)
		require.NotContains(t, strings.ToLower(answer.Body), "canary", path)
		if !strings.Contains(path, hidden.ID.String()) {
			require.NotContains(t, answer.Body, hidden.ID.String(), path)
		}
	}
	count := func(who string) healthcheck.Check {
		return decode[healthcheck.Check](t, a.Do(t, who, http.MethodGet, at(checks, open.ID), nil))
	}
	require.Equal(t, 1, count("outsider").Systems, "a count is of what one sees")
	require.Equal(t, healthcheck.StatusCounts{Healthy: 1}, *count("outsider").Statuses)
	require.Equal(t, 2, count("insider").Systems)
	require.Equal(t, healthcheck.StatusCounts{Healthy: 2}, *count("insider").Statuses)

	system := decode[healthcheck.SystemStatus](t, a.Do(t, "outsider", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Equal(t, healthcheck.Unhealthy, system.Status, "it counts without being named")
	require.Equal(t, "A check that you may not see makes it so.", system.Reason)
	require.Len(t, system.Targets, 1)
	system = decode[healthcheck.SystemStatus](t, a.Do(t, "insider", http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil))
	require.Contains(t, system.Reason, "Canary door is unhealthy: canary words")
	require.Len(t, system.Targets, 2)

	// The same words for what is hidden as for what is not there.
	for _, pair := range [][2]string{
		{fmt.Sprintf("/api/healthcheck/targets/%d/runs", hiddenTarget), "/api/healthcheck/targets/2000000000/runs"},
		{fmt.Sprintf("/api/healthcheck/targets/%d/runs", hiddenPlace), "/api/healthcheck/targets/2000000000/runs"},
	} {
		there, not := a.Do(t, "outsider", http.MethodGet, pair[0], nil), a.Do(t, "outsider", http.MethodGet, pair[1], nil)
		require.Equal(t, not.Status, there.Status)
		require.Equal(t, problemDetail(t, not, "2000000000"), problemDetail(t, there, strings.Split(pair[0], "/")[4]))
	}
}
