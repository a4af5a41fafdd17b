package healthcheck_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// planned is a row of check_targets in words.
type planned struct {
	ID                         int32
	System, Environment, Check string
	Active                     bool
}

func (a *app) planned(t testing.TB, check uuid.UUID) map[string]planned {
	t.Helper()
	rows, err := a.DB.Conn(
		t.Context(),
	).Query(
		t.Context(),
		`SELECT id, scope->'system'->>'name', coalesce(scope->'environment'->>'name', ''), scope->'check'->>'name', active
		FROM check_targets WHERE check_id = $1 AND NOT gone`,
		check,
	)
	require.NoError(t, err)
	found := map[string]planned{}
	for rows.Next() {
		var p planned
		require.NoError(t, rows.Scan(&p.ID, &p.System, &p.Environment, &p.Check, &p.Active))
		found[p.System+"/"+p.Environment] = p
	}
	require.NoError(t, rows.Err())
	return found
}

func keys(found map[string]planned) []string {
	var names []string
	for name := range found {
		names = append(names, name)
	}
	return names
}

// Targets follow checks, assignments, systems and environments.
func TestTargetsFollowWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	production, staging := a.environment(t, "production", object{"region": "eu"}), a.environment(t, "staging", nil)
	shop, mail := a.system(t, "Shop", production, staging), a.system(t, "Mail")
	c := a.check(t, door("Front", "example.org"))
	require.Empty(t, a.planned(t, c.ID), "it does nothing until it is assigned")

	a.assign(t, c.ID, shop, object{})
	a.assign(t, c.ID, mail, object{})
	require.ElementsMatch(t, []string{"Shop/production", "Shop/staging", "Mail/"}, keys(a.planned(t, c.ID)))
	before := a.planned(t, c.ID)["Shop/production"]

	a.assign(t, c.ID, shop, object{"environmentIds": []uuid.UUID{production}})
	require.ElementsMatch(t, []string{"Shop/production", "Mail/"}, keys(a.planned(t, c.ID)))
	a.assign(t, c.ID, shop, object{"environmentIds": []uuid.UUID{}})
	require.ElementsMatch(t, []string{"Shop/", "Mail/"}, keys(a.planned(t, c.ID)))
	a.assign(t, c.ID, shop, object{"environmentIds": nil})
	require.Equal(t, before, a.planned(t, c.ID)["Shop/production"], "what comes back is the same target")

	a.place(t, shop, staging)
	require.ElementsMatch(t, []string{"Shop/staging", "Mail/"}, keys(a.planned(t, c.ID)))
	a.place(t, mail, production)
	require.ElementsMatch(t, []string{"Shop/staging", "Mail/production"}, keys(a.planned(t, c.ID)))
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(environments, production), object{"name": "live"}))
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(systemsPath, shop), object{"name": "Store"}))
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"name": "Back"}))
	require.ElementsMatch(t, []string{"Store/staging", "Mail/live"}, keys(a.planned(t, c.ID)))
	require.Equal(t, "Back", a.planned(t, c.ID)["Mail/live"].Check)

	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": true}))
	require.False(t, a.planned(t, c.ID)["Mail/live"].Active)
	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, c.ID)+"/paused", object{"paused": false}))
	a.assign(t, c.ID, mail, object{"enabled": false})
	require.False(t, a.planned(t, c.ID)["Mail/live"].Active)
	require.True(t, a.planned(t, c.ID)["Store/staging"].Active)

	a.ok(t, a.Do(t, "root", http.MethodDelete, at(environments, production), nil))
	require.ElementsMatch(t, []string{"Store/staging", "Mail/"}, keys(a.planned(t, c.ID)))
	a.ok(t, a.Do(t, "root", http.MethodDelete, at(systemsPath, shop), nil))
	require.ElementsMatch(t, []string{"Mail/"}, keys(a.planned(t, c.ID)))
	a.ok(t, a.Do(t, "root", http.MethodDelete, at(checks, c.ID), nil))
	require.Empty(t, a.planned(t, c.ID))
}

// What is not checked any more no longer counts for its system, and whoever follows systems hears of it.
func TestASystemIsAsTheChecksThatItHas(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	shop := a.system(t, "Shop")
	good, bad := a.check(
		t,
		door("Good", "example.org", object{"assignToSystemId": shop}),
	), a.check(
		t,
		door("Bad", "closed", object{"assignToSystemId": shop}),
	)
	state := func() (status int, reason string) {
		t.Helper()
		require.NoError(
			t,
			a.DB.Conn(
				t.Context(),
			).QueryRow(
				t.Context(),
				`SELECT status, reason FROM check_system_states WHERE system_id = $1`,
				shop,
			).Scan(
				&status,
				&reason,
			),
		)
		return status, reason
	}
	a.ran(t, good.ID, 1, "")
	a.ran(t, bad.ID, 3, "nobody opens")
	a.Exec(
		t,
		`INSERT INTO check_system_states (system_id, status, since_ms, target, reason) SELECT system_id, 3, 1, id, 'x' FROM check_targets WHERE check_id = $1`,
		bad.ID,
	)

	a.ok(t, a.Do(t, "root", http.MethodPut, at(checks, bad.ID)+"/paused", object{"paused": true}))
	status, reason := state()
	require.Equal(t, 1, status)
	require.Equal(t, "All of its checks are healthy.", reason)
	require.Equal(
		t,
		1,
		a.Count(
			t,
			`SELECT count(*) FROM events WHERE type = 'healthcheck.system_healthy' AND payload->>'systemName' = 'Shop' AND payload->>'before' = 'unhealthy'`,
		),
	)
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM check_transitions WHERE system_id = $1 AND before = 3 AND after = 1`, shop))

	a.ok(t, a.Do(t, "root", http.MethodDelete, at(checks, good.ID), nil))
	status, _ = state()
	require.Equal(t, 0, status, "nothing is known of a system that nothing checks")
	require.Equal(t, 2, a.Count(t, `SELECT count(*) FROM events WHERE type = 'healthcheck.system_health_changed'`))
	a.ok(t, a.Do(t, "root", http.MethodDelete, at(systemsPath, shop), nil))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM check_system_states`))
}

// ran gives the targets of a check a state.
func (a *app) ran(t testing.TB, check uuid.UUID, status int, reason string) {
	t.Helper()
	a.Exec(
		t,
		`INSERT INTO check_states (target, status, since_ms, last_slot, reason) SELECT id, $2, 1, 1, $3 FROM check_targets WHERE check_id = $1`,
		check,
		status,
		reason,
	)
}

// A check of ten thousand systems is planned in a few statements, and spread over shards and time.
func TestACheckOfThousandsOfSystemsIsPlannedAtOnce(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const many = 10_000
	c := a.check(t, door("Front", "example.org"))
	a.Exec(
		t,
		`INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags) SELECT gen_random_uuid(), 'S' || i, 's' || i, '', '{}', '{}' FROM generate_series(1, $1::int) i`,
		many,
	)
	a.Exec(t, `INSERT INTO health_assignments (check_id, system_id) SELECT $1, id FROM catalog_systems`, c.ID)
	a.ok(t, a.Do(t, "root", http.MethodPatch, at(checks, c.ID), object{"intervalSeconds": 30}))
	require.Equal(t, many, a.Count(t, `SELECT count(*) FROM check_targets WHERE active AND interval_ms = 30000`))
	var shards, least, most, seconds int
	require.NoError(
		t,
		a.DB.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT count(*), min(n), max(n) FROM (SELECT count(*) AS n FROM check_targets GROUP BY shard) s`,
		).Scan(
			&shards,
			&least,
			&most,
		),
	)
	require.Equal(t, 16, shards)
	require.Less(t, most, 2*least, "%d to %d targets a shard", least, most)
	require.NoError(
		t,
		a.DB.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(DISTINCT phase_ms / 1000) FROM check_targets`).Scan(&seconds),
	)
	require.Equal(t, 30, seconds)
	a.ok(t, a.Do(t, "root", http.MethodDelete, at(checks, c.ID), nil))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM check_targets WHERE active OR NOT gone`))
}
