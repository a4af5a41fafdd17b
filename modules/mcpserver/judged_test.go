package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/modules/mcpserver"
	"countersign/tool"
)

// What was let through as a read is not sent once an administrator says that it changes something, wherever on its way the call is.
func TestACallIsNotSentWhenItsToolHasAnotherEffectThanWhenItWasDecidedAbout(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.ready(t)
	found := a.tool(t, "user", "mcp.tickets.find")
	require.Equal(t, tool.Read, found.Effect)
	judged := tool.WithDecidedVersion(t.Context(), found.Name, found.Identity.Version)
	call := func() problem.Error {
		return a.DoIn(
			judged,
			t,
			"user",
			http.MethodPost,
			at(s.ID, "/tools/find/call"),
			object{"args": object{"query": "x"}},
		).Refused(
			t,
			problem.Precondition,
		)
	}

	// Before the tool is loaded for the call.
	a.accepts(t, s.ID, "find", "mutate")
	asked := a.remote.asked()
	_, err := found.Run(t.Context(), a.Caller("user"), json.RawMessage(`{"query":"x"}`))
	require.True(t, problem.Is(err, problem.Precondition), "%v", err)
	require.Contains(t, problem.As(err).Detail, "Ask for it again")
	require.Contains(t, call().Detail, "mcp.tickets.find")
	require.Equal(t, asked, a.remote.asked(), "nothing is asked of the server either")

	// While the server is asked what its tools are: here one that the product is told to switch off, too.
	for _, change := range []string{`effect = 'destructive'`, `enabled = false`} {
		a.Exec(t, `UPDATE mcp_tools SET effect = 'read', enabled = true WHERE tool_id = 'find'`)
		a.remote.meets(func(_ http.ResponseWriter, r *http.Request) bool {
			body, err := io.ReadAll(r.Body)
			if err == nil && bytes.Contains(body, []byte(`"tools/list"`)) {
				_, err = a.DB.Conn(r.Context()).Exec(r.Context(), fmt.Sprintf(`UPDATE mcp_tools SET %s WHERE tool_id = 'find'`, change))
			}
			if err != nil {
				panic(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			return true
		})
		code := map[bool]problem.Code{true: problem.Precondition, false: problem.NotFound}[change != `enabled = false`]
		a.call(t, "user", s.ID, "find", object{"query": "x"}).Refused(t, code)
		require.Empty(t, a.remote.called(), change)
	}
	a.remote.meets(nil)
	a.Exec(t, `UPDATE mcp_tools SET effect = 'read', enabled = true WHERE tool_id = 'find'`)
	require.True(
		t,
		called(t, a.DoIn(judged, t, "user", http.MethodPost, at(s.ID, "/tools/find/call"), object{"args": object{"query": "x"}})).OK,
		"as it was it is called",
	)
}

// A read that was proposed, because it is a way out, is applied as what it was.
func TestAProposedReadIsNotAppliedAsAChange(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	s := a.ready(t)
	input := json.RawMessage(`{"query":"x"}`)
	found := a.tool(t, "user", "mcp.tickets.find")
	proposed, err := found.DryRun(t.Context(), a.Caller("user"), input)
	require.NoError(t, err)
	require.Equal(t, found.Identity.Version, proposed.Revision)
	apply := func(revision string) (mcpserver.Called, error) {
		now, caller := a.tool(t, "user", "mcp.tickets.find"), a.Caller("user")
		caller.Client.IfMatch, caller.Client.IdempotencyKey = revision, "k"
		out, err := now.Run(tool.Carry(t.Context(), now.Name), caller, input)
		called, _ := out.(mcpserver.Called)
		return called, err
	}
	for _, revision := range []string{proposed.Revision, ""} {
		// Processes of a version before give no revision.
		out, err := apply(revision)
		require.NoError(t, err, revision)
		require.True(t, out.OK)
	}
	before := len(a.remote.called())
	a.accepts(t, s.ID, "find", "destructive")
	for _, revision := range []string{proposed.Revision, ""} {
		_, err := apply(revision)
		require.True(t, problem.Is(err, problem.Precondition), "%q: %v", revision, err)
	}
	require.Len(t, a.remote.called(), before)
}
