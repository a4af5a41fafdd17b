package agent_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/agent"
)

// authors are who has written what a model is told of the tools of a revision: "tool name".
func (a *app) authors(t testing.TB, path string) []string {
	t.Helper()
	rows, err := a.DB.Conn(
		t.Context(),
	).Query(
		t.Context(),
		`SELECT part, author_id FROM ai_audit_authors WHERE object_id = $1 AND object_type = 'agent.revision'`,
		a.revision(t, path).ID,
	)
	require.NoError(t, err)
	defer rows.Close()
	names := map[uuid.UUID]string{}
	for _, who := range []string{"root", "ada", "bob"} {
		names[a.Principal(who).ID] = who
	}
	found := []string{}
	for rows.Next() {
		var part string
		var id uuid.UUID
		require.NoError(t, rows.Scan(&part, &id))
		found = append(found, part+" "+names[id])
	}
	require.NoError(t, rows.Err())
	return found
}

// Who has written in some draft is no author of a revision that holds nothing of it.
func TestTheAuthorsOfARevisionAreThoseOfItsTools(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("ada", agent.Manage)
	a.Person("bob", agent.Manage)
	a.agent(t, "helper")
	first := a.draft(t, "helper")
	put := func(who, path, id, source string) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.Do(t, who, http.MethodPut, path+"/tools/"+id, tool(source)).Status)
	}
	put("ada", first, "one", "1")
	put("ada", first, "two", "2")
	put("bob", first, "two", "2")
	require.ElementsMatch(t, []string{"tool one ada", "tool two ada"}, a.authors(t, first), "who writes what is there already writes nothing")
	put("bob", first, "two", "22")
	a.Do(
		t,
		"bob",
		http.MethodPut,
		first+"/tools/one/examples",
		compactObject{"examples": []compactObject{{"name": "a", "args": compactObject{}}}},
	)
	require.ElementsMatch(
		t,
		[]string{"tool one ada", "tool two ada", "tool two bob"},
		a.authors(t, first),
		"parts of what somebody wrote may stay",
	)

	// A copy holds the text of the authors of what was copied, and of those alone.
	copied := apitest.Decode[agent.Revision](
		t,
		a.Do(t, "root", http.MethodPost, agents+"/helper/revisions", compactObject{"cloneFrom": a.revision(t, first).ID}),
	)
	second := agents + "/helper/revisions/" + copied.ID.String()
	require.ElementsMatch(t, []string{"tool one ada", "tool two ada", "tool two bob"}, a.authors(t, second))
	a.ok(t, http.MethodDelete, second+"/tools/two", nil)
	require.ElementsMatch(t, []string{"tool one ada"}, a.authors(t, second))
	put("root", second, "two", "2")
	a.ok(t, http.MethodPost, second+"/freeze", nil)
	require.ElementsMatch(t, []string{"tool one ada", "tool two root"}, a.authors(t, second), "to freeze is not to write")

	third := a.draft(t, "helper")
	put("bob", third, "gone", "1")
	bundle := compactObject{"agent_md": "", "spec": compactObject{}, "tools": []compactObject{tool("1", compactObject{"id": "one"})}}
	a.ok(t, http.MethodPut, third+"/bundle", bundle)
	require.ElementsMatch(t, []string{"tool one root"}, a.authors(t, third))
	a.ok(t, http.MethodPost, third+"/clone_from", compactObject{"source_revision_id": a.revision(t, first).ID})
	require.ElementsMatch(t, []string{"tool one ada", "tool two ada", "tool two bob"}, a.authors(t, third))

	// What is gone has no authors.
	a.ok(t, http.MethodDelete, third, nil)
	a.ok(t, http.MethodDelete, agents+"/helper", nil)
	require.Zero(t, a.Count(t, `SELECT count(*) FROM ai_audit_authors WHERE object_type = 'agent.revision'`))
}
