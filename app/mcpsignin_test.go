package app_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
	"countersign/internal/problem"
	"countersign/modules/mcpserver"
)

// Countersign is a client of another Countersign, at which an administrator signs in: with discovery, registration,
// consent, rotation of tokens, and the end of all that when the person there takes the consent back.
func TestCountersignSignsInAtAnother(t *testing.T) {
	t.Parallel()
	other := apptest.Start(t, apptest.Options{})
	person := other.Person(t, other.Role(t, "catalog.system.read"))
	other.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Far away"}, nil)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "localhost"}})
	remote, err := url.Parse(other.URL)
	require.NoError(t, err)
	path := "/api/mcp/servers/" + stage{t, p}.made("/api/mcp/servers", map[string]any{
		"slug": "other", "name": "Other", "address": "http://localhost:" + remote.Port() + "/mcp", "auth": "oauth",
	})

	signIn := func() mcpserver.Server {
		var start mcpserver.SignInStart
		p.Admin.Post(t, path+"/sign-in", nil, &start)
		_, query, _ := strings.Cut(start.Address, "?")
		var decided struct{ Redirect string }
		person.Post(
			t,
			"/api/oauth/decision",
			map[string]any{
				"request": "q" + base64.RawURLEncoding.EncodeToString([]byte(query)),
				"allow":   true,
				"scopes":  []string{"countersign:read"},
			},
			&decided,
		)
		back, err := url.Parse(decided.Redirect)
		require.NoError(t, err)
		require.Equal(t, "/admin/mcp-servers/sign-in/other", back.Path)
		var server mcpserver.Server
		p.Admin.Post(t, "/api/mcp/sign-ins", map[string]any{"server": "other", "query": back.RawQuery}, &server)
		return server
	}
	require.Equal(t, mcpserver.SignedIn, signIn().SignIn.State)
	require.Equal(
		t,
		1,
		p.Count(
			t,
			`SELECT count(*) FROM ai_audit_entries WHERE object_type = 'mcp.server' AND summary LIKE 'A user signed in%'
				AND principal_kind = 'user'`,
		),
	)
	p.Admin.Post(t, path+"/refresh", nil, nil)
	var list struct{ Tools []mcpserver.Tool }
	p.Admin.Get(t, path+"/tools", &list)
	tool := ""
	for _, one := range list.Tools {
		if one.Name == "catalog_listSystems" {
			tool = one.ID
		}
	}
	require.NotEmpty(t, tool)
	accept(t, p, path, map[string]string{tool: "read"})
	call := func() apptest.Answer {
		return p.Admin.Call(t, http.MethodPost, path+"/tools/"+tool+"/call", map[string]any{"args": map[string]any{}})
	}
	finds := func() {
		t.Helper()
		answer := call()
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		require.Contains(t, string(answer.Body), "Far away")
	}
	finds()

	// Each time that the token ends there is another one.
	for range 2 {
		p.Exec(t, `UPDATE mcp_sign_ins SET expires_at = now()`)
		finds()
	}
	require.Equal(t, 3, p.Count(t, `SELECT generation FROM mcp_sign_ins`))

	// Whoever has let it in lets it go. Somebody has to sign in again.
	var programs struct {
		Programs []struct{ ID, Name string }
	}
	person.Get(t, "/api/oauth/programs", &programs)
	require.Len(t, programs.Programs, 1)
	require.Equal(t, "Countersign", programs.Programs[0].Name)
	require.Less(t, person.Call(t, http.MethodDelete, "/api/oauth/programs/"+programs.Programs[0].ID, nil).Status, 300)
	refused := p.Admin.Refused(t, problem.Conflict, http.MethodPost, path+"/tools/"+tool+"/call", map[string]any{"args": map[string]any{}})
	require.Equal(t, "again", refused.Extra["signIn"])
	require.Equal(t, mcpserver.SignedIn, signIn().SignIn.State)
	finds()

	// Its end is told there.
	require.Equal(t, http.StatusOK, p.Admin.Call(t, http.MethodDelete, path+"/sign-in", nil).Status)
	person.Get(t, "/api/oauth/programs", &programs)
	require.Empty(t, programs.Programs)
	require.Equal(t, http.StatusConflict, call().Status)

	// No token of the other one is anywhere here.
	for place, text := range map[string]string{"log": p.Log.String(), "database": strings.Join(p.Dump(t), "\n")} {
		for _, prefix := range []string{auth.AccessPrefix, auth.CodePrefix} {
			require.NotContains(t, text, prefix, place)
		}
	}
}
