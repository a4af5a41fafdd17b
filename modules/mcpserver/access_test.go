package mcpserver_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/mcpserver"
)

// team makes a team.
func (a *app) team(t *testing.T, name string) uuid.UUID {
	t.Helper()
	return apitest.Decode[struct{ ID uuid.UUID }](t, a.ok(t, http.MethodPost, "/api/teams", object{"name": name})).ID
}

// member is somebody with rules in a team.
func (a *app) member(who string, team uuid.UUID, rules ...string) {
	a.SignIn(who, principal.Principal{Kind: principal.User, ID: uuid.New(), Name: who, Rules: rules, TeamIDs: []uuid.UUID{team}})
}

// restricts closes a server to all but teams, by what they may do.
func (a *app) restricts(t *testing.T, as string, id uuid.UUID, teams map[string]uuid.UUID) apitest.Answer {
	t.Helper()
	grants := []object{}
	for relation, team := range teams {
		grants = append(grants, object{"subjectType": "team", "subjectId": team, "relation": relation})
	}
	return a.Do(t, as, http.MethodPut, "/api/grants/mcp.server/"+id.String(), object{"private": true, "grants": grants})
}

// A server that is closed to all but some teams is there for nobody else, whatever their rules. What it is for a team is what the team
// holds on it, within the rules of its members.
func TestAServerIsThereForTheTeamsItIsRestrictedTo(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.ready(t)
	other := apitest.Decode[mcpserver.Server](
		t,
		a.ok(t, http.MethodPost, servers, object{"slug": "other", "name": "Other", "address": "https://mcp.example.org/mcp"}),
	)
	desk, owners := a.team(t, "Desk"), a.team(t, "Owners")
	a.member("of the desk", desk, mcpserver.Use, mcpserver.Read)
	a.member("manager of the desk", desk, mcpserver.Use, mcpserver.Read, mcpserver.Manage)
	a.member("owner", owners, mcpserver.Read, mcpserver.Manage)
	a.member("without rules", desk)
	require.Equal(
		t,
		[]string{"mcp.tickets.create_ticket", "mcp.tickets.find"},
		a.offered(t, "user"),
		"everybody who holds the rule, as long as nobody says otherwise",
	)
	require.False(t, s.Private)

	a.restricts(t, "user", s.ID, map[string]uuid.UUID{"viewer": desk}).Refused(t, problem.Forbidden)
	require.Equal(
		t,
		http.StatusOK,
		a.restricts(t, "manager", s.ID, map[string]uuid.UUID{"viewer": desk, "owner": owners}).Status,
		"who manages servers says who uses them",
	)

	for _, who := range []string{"user", "manager", "nobody", "root"} {
		require.Empty(t, a.offered(t, who), who)
		for _, name := range []string{"mcp.tickets.find", "mcp_tickets_find", "mcp.tickets"} {
			_, known, err := a.Source().Usable(t.Context(), a.Principal(who), name)
			require.NoError(t, err)
			require.False(t, known, "%s %s", who, name)
		}
		_, governed, err := a.Source().Governing(
			principal.NewContext(t.Context(), a.Principal(who)),
			a.Source().Shared()[0],
			[]string{s.ID.String(), "find"},
		)
		require.False(t, governed, who)
		// Who may use tools is refused before the operation asks again; who may not is told so by it.
		require.True(
			t,
			problem.Is(err, problem.NotFound) ||
				err == nil && !slices.Contains(a.Principal(who).Rules, "mcp.tool.use") && !slices.Contains(a.Principal(who).Rules, "*"),
			"%s %v",
			who,
			err,
		)
	}
	for _, who := range []string{"user", "root"} {
		a.call(t, who, s.ID, "find", object{"query": "x"}).Refused(t, problem.NotFound)
	}
	missing := uuid.New()
	for _, who := range []string{"manager", "root"} {
		for _, c := range []struct {
			method, more string
			body         any
		}{
			{http.MethodGet, "", nil},
			{http.MethodGet, "/tools", nil},
			{http.MethodPatch, "", object{"name": "Mine"}},
			{http.MethodPost, "/refresh", nil},
			{http.MethodPut, "/tools", object{"tools": []object{{"id": "find", "hash": strings.Repeat("0", 64)}}}},
			{http.MethodDelete, "", nil},
		} {
			there, gone := a.Do(t, who, c.method, at(s.ID, c.more), c.body), a.Do(t, who, c.method, at(missing, c.more), c.body)
			require.Equal(t, http.StatusNotFound, there.Status, "%s %s%s as %s: %s", c.method, at(s.ID), c.more, who, there.Body)
			require.Equal(t, strings.ReplaceAll(gone.Body, missing.String(), s.ID.String()), there.Body, "it is told apart from none by nothing")
		}
		list := apitest.Decode[struct{ Servers []mcpserver.Server }](t, a.Do(t, who, http.MethodGet, servers, nil))
		require.Len(t, list.Servers, 1)
		require.Equal(t, other.ID, list.Servers[0].ID)
	}
	require.Empty(t, a.remote.called())

	require.Equal(t, []string{"mcp.tickets.create_ticket", "mcp.tickets.find"}, a.offered(t, "of the desk"))
	require.Equal(t, http.StatusOK, a.call(t, "of the desk", s.ID, "find", object{"query": "x"}).Status)
	require.Len(t, a.remote.called(), 1)
	require.Empty(t, a.offered(t, "without rules"), "a grant is no rule")
	a.call(t, "without rules", s.ID, "find", object{"query": "x"}).Refused(t, problem.Forbidden)
	seen := apitest.Decode[mcpserver.Server](t, a.Do(t, "of the desk", http.MethodGet, at(s.ID), nil))
	require.True(t, seen.Private)
	require.Equal(t, "viewer", string(seen.Access))
	a.Do(t, "manager of the desk", http.MethodPatch, at(s.ID), object{"name": "Mine"}).Refused(t, problem.Forbidden)
	a.Do(t, "manager of the desk", http.MethodPost, at(s.ID, "/refresh"), nil).Refused(t, problem.Forbidden)
	a.restricts(t, "manager of the desk", s.ID, nil).Refused(t, problem.Forbidden)
	require.Equal(t, http.StatusOK, a.Do(t, "owner", http.MethodPatch, at(s.ID), object{"name": "Ours"}).Status)
	require.Empty(t, a.offered(t, "owner"), "to own a server is not to use its tools")
	_, known, err := a.Source().Known(t.Context(), "mcp.tickets.find")
	require.NoError(t, err)
	require.True(t, known, "policies know it, whoever may use it")

	// What is opened again is there for everybody, and what is deleted leaves no grants.
	require.Equal(t, http.StatusOK, a.Do(t, "owner", http.MethodPut, "/api/grants/mcp.server/"+s.ID.String(), object{
		"private": false, "grants": []object{{"subjectType": "team", "subjectId": owners, "relation": "owner"}},
	}).Status)
	require.NotEmpty(t, a.offered(t, "user"))
	a.ok(t, http.MethodDelete, at(s.ID), nil)
	var left int
	require.NoError(
		t,
		a.DB.Conn(t.Context()).QueryRow(t.Context(), "SELECT count(*) FROM relation_tuples WHERE object_type = 'mcp.server'").Scan(&left),
	)
	require.Zero(t, left)
}

// A closed server keeps an owner. One that is closed and granted to nobody is there for administrators, who take it over.
func TestAClosedServerIsNeverOutOfReach(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.ready(t)
	desk, owners := a.team(t, "Desk"), a.team(t, "Owners")
	a.member("owner", owners, mcpserver.Read, mcpserver.Manage)
	a.member("administrator", owners, principal.Admin)
	require.Equal(t, http.StatusOK, a.restricts(t, "manager", s.ID, map[string]uuid.UUID{"owner": owners}).Status)
	for _, who := range []string{"owner", "administrator"} {
		for _, left := range []map[string]uuid.UUID{nil, {"viewer": desk}, {"editor": owners}} {
			e := a.restricts(t, who, s.ID, left).Refused(t, problem.Conflict)
			require.Contains(t, e.Detail, "Name another owner, or make it public first.")
		}
		require.Equal(t, access.Own, apitest.Decode[mcpserver.Server](t, a.Do(t, who, http.MethodGet, at(s.ID), nil)).Access)
	}

	a.Exec(t, `DELETE FROM relation_tuples WHERE relation <> 'private'`)
	a.SignIn("reader", principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{mcpserver.Read, mcpserver.Use}})
	a.SignIn("root", principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{principal.Admin}})
	for _, who := range []string{"reader", "manager"} {
		a.Do(t, who, http.MethodGet, at(s.ID), nil).Refused(t, problem.NotFound)
	}
	require.Empty(t, a.offered(t, "reader"), "closed as it was")
	require.Empty(t, a.offered(t, "manager"), "to manage servers is not to use their tools")
	list := apitest.Decode[struct{ Servers []mcpserver.Server }](t, a.Do(t, "root", http.MethodGet, servers, nil))
	require.Len(t, list.Servers, 1)
	require.Equal(t, access.Own, list.Servers[0].Access)
	require.True(t, list.Servers[0].Private)
	require.Equal(t, http.StatusOK, a.restricts(t, "root", s.ID, map[string]uuid.UUID{"owner": owners}).Status)
	a.Do(t, "root", http.MethodGet, at(s.ID), nil).Refused(t, problem.NotFound)
}
