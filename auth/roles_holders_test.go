package auth_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
)

func TestRolesSayHowManyHoldThem(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	editors := a.role(t, "Editors", "catalog.system.manage")
	empty := a.role(t, "Empty")
	a.user(t, "admin@example.org", auth.AdminRole, editors.ID)
	a.user(t, "ada@example.org", editors.ID)
	a.user(t, "plain@example.org")
	a.application(t, "Robot", editors.ID)
	roles := decode[struct{ Roles []auth.ListedRole }](t, a.do(t, http.MethodGet, "/api/roles", nil, a.signIn(t, "admin@example.org"))).Roles
	held := map[uuid.UUID][2]int64{}
	for _, role := range roles {
		held[role.ID] = [2]int64{role.People, role.Applications}
	}
	require.Equal(t, map[uuid.UUID][2]int64{auth.AdminRole: {1, 0}, auth.UsersRole: {3, 0}, editors.ID: {2, 1}, empty.ID: {0, 0}}, held)
	require.Equal(t, http.StatusForbidden, a.do(t, http.MethodGet, "/api/roles", nil, a.signIn(t, "plain@example.org")).status)
}
