package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/audit"
	"countersign/internal/problem"
)

// Who sees an object sees what happened to it, and no more than that.
func TestAHistoryIsForWhoSeesTheObject(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := stage{t, p}
	reader, auditor := p.Person(t), p.Person(t, p.Role(t, audit.Read))
	system, open, closed := idOf(s.system()), idOf(s.group()), idOf(s.group())
	for _, group := range []string{open, closed} {
		s.put("/api/catalog/groups/"+group+"/systems/"+system, nil)
	}
	s.put("/api/grants/catalog.group/"+closed, map[string]any{"private": true, "grants": []any{
		map[string]any{"subjectType": "user", "subjectId": p.Person(t).ID, "relation": "owner"},
	}})
	p.Admin.Patch(t, "/api/catalog/systems/"+system, map[string]any{"name": unique("Renamed"), "description": "hunter2"}, nil)

	seen := historyOf(t, reader, "catalog.system", system)
	require.Len(t, seen, 3, "created, into the open group, changed")
	for _, e := range seen {
		require.NotEqual(t, closed, itemID(e.Subject), "what the reader may not see takes no part")
		require.Equal(t, "Administrator", e.Actor.Name)
		require.Empty(t, e.Transport)
		require.Empty(t, e.Operation)
		require.Nil(t, e.SessionID)
		require.Nil(t, e.Seq)
	}
	require.Equal(t, "description", seen[0].Fields[1].Name)
	require.Nil(t, seen[0].Fields[1].To, "a text that somebody wrote is not kept")
	whole := historyOf(t, auditor, "catalog.system", system)
	require.Len(t, whole, 4)
	require.NotNil(t, whole[0].SessionID)
	require.Equal(t, "update-system", whole[0].Operation)
	require.Len(t, historyOf(t, reader, "catalog.group", open), 2, "also what it got")

	reader.Refused(t, problem.NotFound, http.MethodGet, "/api/history/catalog.group/"+closed, nil)
	reader.Refused(t, problem.NotFound, http.MethodGet, "/api/history/catalog.system/"+uuid.NewString(), nil)
	reader.Refused(t, problem.NotFound, http.MethodGet, "/api/history/catalog.nothing/"+uuid.NewString(), nil)
	reader.Refused(t, problem.Forbidden, http.MethodGet, "/api/history/auth.user/"+auditor.ID.String(), nil)
	reader.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/audit/changes", nil)
	require.NotEmpty(t, historyOf(t, reader, "auth.user", reader.ID.String()), "everybody reads about their own account")
	var own changePage
	reader.Get(t, "/api/ai/audit/changes?mine=true", &own)
	require.Len(t, own.Changes, 1)
	require.Equal(t, string(audit.SignedIn), string(own.Changes[0].Action))
	require.Equal(t, "127.0.0.1", own.Changes[0].Address)

	p.Admin.Delete(t, "/api/catalog/systems/"+system)
	reader.Refused(t, problem.NotFound, http.MethodGet, "/api/history/catalog.system/"+system, nil)
	gone := historyOf(t, auditor, "catalog.system", system)
	require.Equal(t, string(audit.Deleted), string(gone[0].Action))
	require.Contains(t, gone[0].Object.Name, "Renamed", "its name at that time")
	reader.Refused(t, problem.Forbidden, http.MethodGet, "/api/ai/audit/changes/export", nil)
	file := auditor.Call(t, http.MethodGet, "/api/ai/audit/changes/export?action=deleted", nil)
	require.Equal(t, 2, strings.Count(string(file.Body), "\n"))
}

func itemID(i *audit.Item) string {
	if i == nil {
		return ""
	}
	return i.ID
}
