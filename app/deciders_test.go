package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
	"countersign/internal/problem"
)

// Where a second person is required, one administrator cannot make themselves the only one who is left.
func TestOneAdministratorCannotTakeTheSecondPersonAway(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	second := p.Second(t)
	users := "/api/users/"
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	for name, change := range map[string]map[string]any{"disabled": {"disabled": true}, "without roles": {"roleIds": []string{}}} {
		refused := p.Admin.Refused(t, problem.Conflict, http.MethodPatch, users+second.ID.String(), change)
		require.Contains(t, refused.Detail, "fewer than two people", name)
	}
	require.Contains(t, p.Admin.Refused(t, problem.Conflict, http.MethodDelete, users+second.ID.String(), nil).Detail,
		"fewer than two people")
	require.Contains(t, second.Refused(t, problem.Conflict, http.MethodPatch, users+p.Admin.ID.String(),
		map[string]any{"disabled": true}).Detail, "fewer than two people")
	require.Equal(t, http.StatusOK, second.Call(t, http.MethodGet, "/api/me", nil).Status, "the second person is as able as before")

	third := p.Person(t, auth.AdminRole)
	p.Admin.Patch(t, users+second.ID.String(), map[string]any{"disabled": true}, nil)
	require.Contains(t, p.Admin.Refused(t, problem.Conflict, http.MethodPatch, users+third.ID.String(),
		map[string]any{"disabled": true}).Detail, "fewer than two people")
}

func TestWithoutSuchAPolicyOneAdministratorIsEnough(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	second := p.Second(t)
	p.Admin.Patch(t, "/api/users/"+second.ID.String(), map[string]any{"disabled": true}, nil)
}
