package healthcheck_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

const reference = "${{ secrets.DOOR }}"

func (a *app) secret(t testing.TB, name, value string) {
	t.Helper()
	a.ok(t, a.Do(t, "root", http.MethodPost, "/api/secrets", object{"name": name, "value": value}))
}

func with(host, password string) object {
	return object{"config": object{"host": host, "password": password}}
}

// Who may not use secrets changes nothing of what a check does that uses one, and everything else.
func TestWhatAGuardedCheckDoesIsForThoseWhoMayUseSecrets(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	a.Person("writer", healthcheck.Read, healthcheck.Manage, catalog.SystemRead, catalog.SystemManage)
	c := a.check(t, door("Front", "example.org", with("example.org", reference)))
	require.Equal(t, []string{"DOOR"}, c.Secrets)
	change := func(who string, body object) int {
		return a.Do(t, who, http.MethodPatch, at(checks, c.ID), body).Status
	}
	require.Equal(t, http.StatusOK, change("writer", object{"name": "Gate", "description": "Renamed", "intervalSeconds": 30, "paused": true}))
	require.Equal(t, http.StatusForbidden, change("writer", with("evil.example", reference)))
	require.Equal(
		t,
		http.StatusForbidden,
		change("writer", object{"collectors": []object{{"collectorId": "test-door.knock", "config": object{"times": 2}}}}),
	)
	require.Equal(
		t,
		http.StatusOK,
		change("writer", object{"config": object{"host": "example.org"}}),
		"nobody is kept from taking a secret out",
	)
	require.Equal(t, http.StatusForbidden, change("writer", with("example.org", reference)))
	require.Equal(t, http.StatusOK, change("root", with("example.org", reference)))

	unknown := a.Do(
		t,
		"root",
		http.MethodPost,
		checks,
		door("Side", "x", with("example.org", "${{ secrets.NONE }}")),
	).Refused(
		t,
		problem.Invalid,
	)
	require.Contains(t, unknown.Detail, "NONE")
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		a.Do(t, "root", http.MethodPost, checks, door("Side", "x", with("${{ secrets.DOOR }}", ""))).Status,
		"a host is no place for a secret",
	)
	verdict := decode[healthcheck.Verdict](t, a.Do(t, "root", http.MethodPost, "/api/healthcheck/validate", object{
		"strategyId":      "test-door.door",
		"config":          object{"host": "x", "password": "${{ secrets.NONE }}"},
		"intervalSeconds": 60,
		"collectors":      []object{{"collectorId": "test-door.knock"}},
	}))
	require.False(t, verdict.Valid)
}

// What a system says of itself decides where secrets go when they are sent by a template: only who may use secrets moves them.
func TestASystemSendsNoSecretElsewhere(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	a.Person(
		"editor",
		catalog.SystemRead,
		catalog.SystemManage,
		catalog.EnvironmentRead,
		catalog.EnvironmentManage,
		healthcheck.Read,
		healthcheck.Manage,
	)
	production, staging := a.environment(t, "production", nil), a.environment(t, "staging", nil)
	shop, mail := a.system(t, "Shop", production), a.system(t, "Mail")
	move := func(who, host string) {
		t.Helper()
		a.ok(t, a.Do(t, who, http.MethodPatch, at(systemsPath, shop), object{"metadata": object{"host": host}}))
	}
	move("root", "shop.example")
	c := a.check(t, door("Front", "x", with("{{ system.metadata.host }}", reference), object{"assignToSystemId": shop}))
	hosts := func() map[string]string { return a.hosts(t, c.ID) }
	require.Equal(t, map[string]string{"production": "shop.example"}, hosts())
	move("editor", "evil.example")
	require.Equal(t, map[string]string{"production": "shop.example"}, hosts(), "it goes on where it went")
	a.ok(
		t,
		a.Do(t, "editor", http.MethodPut, at(systemsPath, shop)+"/environments", object{"environmentIds": []uuid.UUID{production, staging}}),
	)
	require.Equal(t, map[string]string{"production": "shop.example"}, hosts(), "and nowhere else")
	a.ok(t, a.Do(t, "editor", http.MethodPatch, at(checks, c.ID), object{"intervalSeconds": 30}))
	require.Equal(t, map[string]string{"production": "shop.example"}, hosts())
	a.Do(t, "editor", http.MethodPut, at(checks, c.ID)+"/systems/"+mail.String(), object{}).Refused(t, problem.Forbidden)
	a.assign(t, c.ID, shop, object{"thresholds": object{"degradedAfter": 3}})
	require.Equal(
		t,
		map[string]string{"production": "evil.example", "staging": "evil.example"},
		hosts(),
		"who may use secrets has looked at it",
	)
}

// A secret knows which checks refer to it, by name those that the reader sees.
func TestASecretKnowsItsChecks(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	c, hidden := a.check(
		t,
		door("Front", "x", with("example.org", reference)),
	), a.check(
		t,
		door("Hidden", "x", with("example.org", reference)),
	)
	a.check(t, door("Other", "x"))
	a.grant(t, healthcheck.ObjectType, hidden.ID, true, nil)
	users, err := a.module.SecretUsers(a.as(t, "root"), "DOOR")
	require.NoError(t, err)
	require.Equal(t, []secret.User{
		{Kind: "health check", ID: c.ID.String(), Name: "Front"}, {Kind: "health check", Name: "1 that are not shown"},
	}, users)
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"config": object{"host": "example.org"}}))
	users, err = a.module.SecretUsers(a.as(t, "root"), "DOOR")
	require.NoError(t, err)
	require.Len(t, users, 1)
}

// A script reads what its system says without any template, so that decides as much where its secrets go.
func TestAKindThatReadsItsSystemSendsNoSecretElsewhere(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	a.Person("editor", catalog.SystemRead, catalog.SystemManage, healthcheck.Read, healthcheck.Manage)
	shop, mail := a.system(t, "Shop"), a.system(t, "Mail")
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(systemsPath, shop), object{"metadata": object{"host": "shop.example"}}))
	script := with("x", reference)
	script["collectors"] = []object{{"collectorId": "test-door.listen"}}
	c := a.check(t, door("Script", "x", script, object{"assignToSystemId": shop}))
	a.ok(t, a.Do(t, "editor", http.MethodPatch, at(systemsPath, shop), object{"metadata": object{"host": "evil.example"}}))
	require.Equal(t, map[string]string{"": "shop.example"}, a.hosts(t, c.ID))
	a.Do(t, "editor", http.MethodPut, at(checks, c.ID)+"/systems/"+mail.String(), object{}).Refused(t, problem.Forbidden)
	a.ok(
		t,
		a.Do(
			t,
			"editor",
			http.MethodPut,
			at(checks, a.check(t, door("Plain", "x", with("x", reference))).ID)+"/systems/"+mail.String(),
			object{},
		),
	)
}

// What somebody changed who may not use secrets waits for one who looks at it. A change of another thing by one who may is none.
func TestNobodySendsASecretElsewhereByAccident(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.secret(t, "DOOR", "swordfish")
	a.Person(
		"editor",
		catalog.SystemRead,
		catalog.SystemManage,
		catalog.EnvironmentRead,
		catalog.EnvironmentManage,
		healthcheck.Read,
		healthcheck.Manage,
	)
	production, staging := a.environment(t, "production", nil), a.environment(t, "staging", nil)
	shop := a.system(t, "Shop", production)
	system := func(who string, change object) {
		t.Helper()
		a.ok(t, a.Do(t, who, http.MethodPatch, at(systemsPath, shop), change))
	}
	host := func(name string) object { return object{"metadata": object{"host": name}} }
	system("root", host("shop.example"))
	c := a.check(t, door("Front", "x", with("{{ system.metadata.host }}", reference), object{"assignToSystemId": shop}))
	old := map[string]string{"production": "shop.example"}
	system("editor", host("evil.example"))
	system("root", object{"description": "Where things are sold"})
	require.Equal(t, old, a.hosts(t, c.ID), "root has changed another thing")
	for _, paused := range []bool{true, false} {
		a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": paused}))
	}
	require.Equal(t, old, a.hosts(t, c.ID), "pausing is no look at it")
	a.ok(
		t,
		a.Do(t, "editor", http.MethodPut, at(systemsPath, shop)+"/environments", object{"environmentIds": []uuid.UUID{production, staging}}),
	)
	system("root", object{"description": "Where more is sold"})
	require.Equal(t, old, a.hosts(t, c.ID), "and so it goes to no other environment")
	a.assign(t, c.ID, shop, object{})
	require.Equal(
		t,
		map[string]string{"production": "evil.example", "staging": "evil.example"},
		a.hosts(t, c.ID),
		"assigning it again, as it is, says so",
	)
	system("root", host("shop.example"))
	require.Equal(
		t,
		map[string]string{"production": "shop.example", "staging": "shop.example"},
		a.hosts(t, c.ID),
		"and then it follows who may use secrets",
	)
	system("editor", host("evil.example"))
	system("editor", host("shop.example"))
	system("root", host("new.example"))
	require.Equal(t, "new.example", a.hosts(t, c.ID)["production"], "what was taken back waits for nobody")
	system("editor", host("evil.example"))
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"intervalSeconds": 30}))
	require.Equal(t, "evil.example", a.hosts(t, c.ID)["production"], "saving what it does says so too")
}

// hosts are what the targets of a check that run know of the host of their system, by environment.
func (a *app) hosts(t testing.TB, check uuid.UUID) map[string]string {
	t.Helper()
	rows, err := a.DB.Conn(
		t.Context(),
	).Query(
		t.Context(),
		`SELECT coalesce(scope->'environment'->>'name', ''), coalesce(scope->'system'->'metadata'->>'host', '')
		FROM check_targets WHERE check_id = $1 AND active AND NOT gone`,
		check,
	)
	require.NoError(t, err)
	found := map[string]string{}
	for rows.Next() {
		var environment, host string
		require.NoError(t, rows.Scan(&environment, &host))
		found[environment] = host
	}
	require.NoError(t, rows.Err())
	return found
}
