package healthcheck_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

// An assignment that awaits a decision says so to who sees the check, and no more once somebody who may has decided.
func TestAnAssignmentThatAwaitsADecisionSaysSo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Exec(
		t,
		`INSERT INTO vault_secrets (id, name, description, value_sealed, updated_by_kind, updated_by_id) VALUES (gen_random_uuid(), 'DOOR', '', 'x', 'user', gen_random_uuid())`,
	)
	shop := a.system(t, "Shop")
	c := a.check(
		t,
		door(
			"Front",
			"",
			object{"assignToSystemId": shop, "config": object{"host": "{{ system.name }}.example.org", "password": "${{ secrets.DOOR }}"}},
		),
	)
	team := a.team(t, "Door people")
	a.grant(t, "healthcheck.healthcheck", c.ID, true, map[uuid.UUID]access.Level{team: access.Own})
	a.Person("keeper", catalog.SystemRead, catalog.SystemManage)
	a.Person("viewer", catalog.SystemRead, healthcheck.StatusRead)
	a.member("insider", []uuid.UUID{team}, catalog.SystemRead, catalog.SystemManage, healthcheck.StatusRead, "vault.secret.read")
	held := func(who string) int {
		return len(decode[healthcheck.SystemStatus](t, a.Do(t, who, http.MethodGet, "/api/healthcheck/systems/"+shop.String(), nil)).Held)
	}
	assigned := func() healthcheck.Assignment {
		return decode[struct{ Systems []healthcheck.Assignment }](t, a.Do(t, "insider", http.MethodGet, at(checks, c.ID)+"/systems", nil)).Systems[0]
	}
	require.False(t, assigned().Held)
	a.ok(t, a.Do(t, "keeper", http.MethodPatch, at(systemsPath, shop), object{"name": "Evil"}))
	require.True(t, assigned().Held)
	require.Equal(t, 1, held("insider"))
	require.Zero(t, held("viewer"), "a private check is not named")
	require.Equal(t, "Shop", a.scope(t, c.ID), "it goes on as before")

	again := a.Do(t, "insider", http.MethodPut, at(checks, c.ID)+"/systems/"+shop.String(), object{})
	require.False(t, decode[healthcheck.Assignment](t, again).Held)
	require.Zero(t, held("insider"))
	require.Equal(t, "Evil", a.scope(t, c.ID))
}

// scope is the name of the system that the target of a check is told.
func (a *app) scope(t testing.TB, check uuid.UUID) (name string) {
	t.Helper()
	require.NoError(
		t,
		a.DB.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT scope->'system'->>'name' FROM check_targets WHERE check_id = $1 AND NOT gone`,
			check,
		).Scan(
			&name,
		),
	)
	return name
}
