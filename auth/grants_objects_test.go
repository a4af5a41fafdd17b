package auth_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/internal/problem"
)

// shelf owns systems and groups, as the catalog does: all of them exist and are seen, except the named ones.
type shelf struct {
	hidden, gone map[uuid.UUID]bool
	touched      map[uuid.UUID]int
}

func (*shelf) Types() []string { return []string{system, "catalog.group"} }

func (s *shelf) See(_ context.Context, _ string, id uuid.UUID) error {
	if s.hidden[id] || s.gone[id] {
		return problem.Errorf(problem.NotFound, "No system has the id %s.", id)
	}
	return nil
}

func (s *shelf) Touch(_ context.Context, _ string, id uuid.UUID) (string, error) {
	if s.gone[id] {
		return "", problem.Errorf(problem.NotFound, "No system has the id %s.", id)
	}
	s.touched[id]++
	return "An object", nil
}

func TestGrantsBelongToObjectsThatExist(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	admin := a.signIn(t, "admin@example.org")
	object, gone := uuid.New(), uuid.New()
	a.shelf.gone[gone] = true
	path := func(id uuid.UUID) string { return "/api/grants/catalog.system/" + id.String() }
	body := auth.Access{Private: true, Grants: []auth.Grant{{SubjectType: "team", SubjectID: a.team(t, "Platform").ID, Relation: "owner"}}}
	require.Equal(t, http.StatusOK, a.do(t, http.MethodPut, path(object), body, admin).status)
	require.Equal(t, 1, a.shelf.touched[object], "the revision of the object rises")
	require.Equal(t, http.StatusNoContent, a.do(t, http.MethodDelete, path(object), nil, admin).status)
	require.Equal(t, 2, a.shelf.touched[object])

	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodPut, path(gone), body, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodDelete, path(gone), nil, admin).status)
	require.Equal(t, http.StatusNotFound, a.do(t, http.MethodPut, "/api/grants/catalog.planet/"+object.String(), body, admin).status)
	require.Zero(t, a.count(t, "SELECT count(*) FROM relation_tuples"))
}

func TestGrantsOfAnObjectThatIsNotSeenAreNotShown(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.user(t, "admin@example.org", auth.AdminRole)
	a.user(t, "ada@example.org")
	admin, ada := a.signIn(t, "admin@example.org"), a.signIn(t, "ada@example.org")
	open, hidden, gone := uuid.New(), uuid.New(), uuid.New()
	a.shelf.hidden[hidden], a.shelf.gone[gone] = true, true
	status := func(id uuid.UUID, as with) int {
		return a.do(t, http.MethodGet, "/api/grants/catalog.system/"+id.String(), nil, as).status
	}
	require.Equal(t, http.StatusOK, status(open, ada), "by default everybody sees the grants of what they see")
	require.Equal(t, http.StatusNotFound, status(hidden, ada))
	require.Equal(t, http.StatusNotFound, status(gone, ada))
	require.Equal(t, http.StatusOK, status(hidden, admin), "who manages grants has to be able to repair them")
}

// Only what is declared as shared by its owners is: to own a system is not to say who else has access to it.
func TestOwnersDoNotShareWhatIsNotDeclaredAsShared(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ada := a.user(t, "ada@example.org")
	object := uuid.New()
	_, err := a.Grants.SetAccess(
		t.Context(),
		system,
		object,
		auth.Access{Grants: []auth.Grant{{SubjectType: "user", SubjectID: ada.ID, Relation: "owner"}}},
	)
	require.NoError(t, err)
	path := "/api/grants/catalog.system/" + object.String()
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		require.Equal(t, http.StatusForbidden, a.do(t, method, path, auth.Access{Grants: []auth.Grant{}}, a.signIn(t, "ada@example.org")).status)
	}
	require.Zero(t, a.shelf.touched[object])
}
