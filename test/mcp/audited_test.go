package mcp_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/audit"
	"countersign/tool/proposal"
)

// The audit log says through which program a person has read, asked for a change and applied it, and what an application was called.
func TestTheAuditLogSaysWhichProgramActed(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := &signedIn{Client: p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage")), p: p}
	one, other := ada.connectAs(t), ada.connectAs(t)
	trust(t, p)
	require.False(t, call(t, one, "catalog_listSystems", map[string]any{}).IsError)
	require.False(t, call(t, other, "catalog_listSystems", map[string]any{}).IsError)
	ada.Post(t, "/api/ai/tools/catalog.listSystems/call", map[string]any{"input": map[string]any{}}, nil)
	asked := outcome(t, one, "catalog_createSystem", map[string]any{"name": "Asked for by a program"})
	require.Equal(t, proposal.Applied, outcome(t, one, "proposal_apply", map[string]any{"token": asked.Token}).Status)

	called := func(c *apptest.Client, query string) []audit.Call {
		var list struct{ Calls []audit.Call }
		c.Get(t, "/api/ai/audit"+query, &list)
		return list.Calls
	}
	changed := func(c *apptest.Client, path string) audit.ChangeEntry {
		var list struct{ Changes []audit.ChangeEntry }
		c.Get(t, path, &list)
		require.Len(t, list.Changes, 1)
		return list.Changes[0]
	}
	programs := map[string][]string{}
	var first *audit.Program
	for _, c := range called(p.Admin, "?principal="+ada.ID.String()) {
		program := c.Principal.Program
		if program == nil {
			require.Equal(t, "api", c.Transport)
			programs[c.ToolName] = append(programs[c.ToolName], "")
			continue
		}
		require.Equal(t, "Stock client", program.Name)
		programs[c.ToolName] = append(programs[c.ToolName], program.ID)
		if c.ID == asked.ProposalID {
			first = program
			require.Equal(t, program, c.AppliedBy.Program)
		}
	}
	require.NotNil(t, first)
	require.Len(t, programs["catalog.listSystems"], 3)
	require.Len(t, apart(programs["catalog.listSystems"]), 3, "by hand, and by two programs of the same name")
	require.Equal(t, []string{first.ID}, programs["proposal.apply"])

	query := "?program=" + url.QueryEscape(first.ID)
	require.Len(t, called(p.Admin, query), 3)
	export := p.Admin.Call(t, http.MethodGet, "/api/ai/audit/export"+query, nil)
	require.Equal(t, 3, strings.Count(string(export.Body), first.ID+",Stock client,"), "%s", export.Body)
	change := changed(p.Admin, "/api/ai/audit/changes"+query)
	require.Equal(t, "catalog.system", change.Object.Type)
	require.Equal(t, first, change.Actor.Program)
	require.Equal(t, first, change.AppliedBy.Program)
	exported := p.Admin.Call(t, http.MethodGet, "/api/ai/audit/changes/export"+query, nil)
	require.Contains(t, string(exported.Body), strings.Repeat(","+first.ID+",Stock client", 2)+"\n")

	// The person sees their own programs, and who sees the system does not.
	require.Equal(t, first, called(ada.Client, "?mine=true")[0].Principal.Program)
	seen := changed(p.Person(t, p.Role(t, "catalog.system.read")), "/api/history/catalog.system/"+change.Object.ID)
	require.Nil(t, seen.Actor.Program)
	require.Nil(t, seen.AppliedBy.Program)

	app := manager(t, p)
	require.False(t, call(t, connect(t, p, app, "", nil), "catalog_listSystems", map[string]any{}).IsError)
	query = "?program=" + app.ID.String()
	made := called(p.Admin, query)
	require.Len(t, made, 1)
	name := made[0].Principal.Program.Name
	require.NotEmpty(t, name)
	p.Admin.Delete(t, "/api/applications/"+app.ID.String())
	require.Equal(t, name, called(p.Admin, query)[0].Principal.Program.Name, "also when it has been deleted")
}

func apart(all []string) map[string]bool {
	found := map[string]bool{}
	for _, one := range all {
		found[one] = true
	}
	return found
}
