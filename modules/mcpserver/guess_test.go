package mcpserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/mcpserver"
)

// Whoever manages servers learns by a slug that is taken that there is a server which they do not see.
func TestWhoGuessesSlugsOfHiddenServersHasToWaitAndIsOnRecord(t *testing.T) {
	t.Parallel()
	const free = 10
	a := newApp(t)
	desk := a.team(t, "Desk")
	add := func(who, slug string) apitest.Answer {
		return a.Do(t, who, http.MethodPost, servers, object{"slug": slug, "name": "Another", "address": "https://mcp.example.org/mcp"})
	}
	for n := range free + 1 {
		made := apitest.Decode[struct{ ID uuid.UUID }](t, add("root", fmt.Sprint("hidden-", n)))
		require.Equal(t, http.StatusOK, a.restricts(t, "root", made.ID, map[string]uuid.UUID{"owner": desk}).Status)
	}
	require.Equal(t, http.StatusCreated, add("manager", "mine").Status)
	var seen string
	for range 2 * free {
		seen = add("manager", "mine").Refused(t, problem.Conflict).Detail
	}
	for n := range free {
		hidden := add("manager", fmt.Sprint("hidden-", n)).Refused(t, problem.Conflict).Detail
		require.Equal(t, seen, strings.ReplaceAll(hidden, fmt.Sprint("hidden-", n), "mine"), "the words do not tell whether it is hidden")
	}
	const refused = `SELECT count(*) FROM ai_audit_entries WHERE action = 'name-refused'`
	require.Equal(t, free, a.Count(t, refused))
	require.Equal(t, free, a.Count(t, refused+` AND object_id = principal_id::text`))
	require.Zero(t, a.Count(t, refused+` AND strpos(ai_audit_entries::text, 'hidden-') > 0`), "slugs are not kept")

	// From here on a slug that is free is answered like one that is not.
	for _, slug := range []string{"hidden-10", "nothing-has-this"} {
		r := add("manager", slug)
		require.Contains(t, r.Refused(t, problem.Throttled).Detail, "Wait ")
		require.NotEmpty(t, r.Header.Get("Retry-After"))
	}
	require.Equal(t, free, a.Count(t, refused))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM mcp_servers WHERE slug = 'nothing-has-this'`))
	a.Person("other", mcpserver.Manage, mcpserver.Read)
	require.Equal(t, http.StatusCreated, add("other", "nothing-has-this").Status)
}
