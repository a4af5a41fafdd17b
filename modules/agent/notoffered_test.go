package agent_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/agent"
	"countersign/script/typescript"
)

// What can be written can be offered: what the check of calls refuses is refused at the source, with what to write instead.
func TestASchemaThatCallsCannotBeCheckedByIsNotWritten(t *testing.T) {
	t.Parallel()
	compiler := typescript.New(typescript.Options{Processes: 1, Timeout: 2 * time.Minute})
	t.Cleanup(compiler.Close)
	a := newApp(t, compiler)
	a.agent(t, "helper")
	path := a.draft(t, "helper") + "/tools/echo"
	const source = "export default { actions: { default: (args: any) => args } };"
	before := a.rows(t)
	for name, schema := range map[string]compactObject{
		"unevaluatedProperties": {"type": "object", "unevaluatedProperties": false},
		"unevaluatedItems":      {"properties": compactObject{"a": compactObject{"unevaluatedItems": false}}},
		"nullable":              {"properties": compactObject{"a": compactObject{"type": "string", "nullable": true}}},
		"definitions":           {"definitions": compactObject{"a": compactObject{}}},
		"misspelt":              {"propertis": compactObject{}},
		"dynamic reference":     {"properties": compactObject{"a": compactObject{"$dynamicRef": "#a"}}},
		"dialect":               {"$schema": "http://json-schema.org/draft-04/schema#"},
		"contradiction":         {"properties": compactObject{"a": compactObject{"const": 1, "enum": []any{2}}}},
	} {
		refused := a.Do(t, "root", http.MethodPut, path, tool(source, compactObject{"args_schema": schema})).Refused(t, problem.Invalid)
		require.Len(t, refused.Issues, 1, name)
		require.Contains(t, refused.Issues[0].Message, "args_schema, at ", name)
	}
	require.Equal(t, before, a.rows(t), "nothing was written")
	a.ok(
		t,
		http.MethodPut,
		path,
		tool(
			source,
			compactObject{
				"args_schema": compactObject{
					"type":       "object",
					"properties": compactObject{"a": compactObject{"prefixItems": []any{compactObject{"type": "string"}}}},
				},
			},
		),
	)
}

// A live tool that is not offered says so where its authors look, and when it is promoted.
func TestToolsThatAreLeftOutAreSaid(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	reader := a.Person("reader", agent.Read)
	path := a.live(t, "billing", "export default 1", nil)
	shown := func(who string) []agent.LeftOut {
		return apitest.Decode[agent.Agent](t, a.Do(t, who, http.MethodGet, agents+"/billing", nil)).LeftOut
	}
	require.Empty(t, shown("root"))
	require.Empty(t, a.revision(t, path).LeftOut)

	// An earlier release took what this one does not.
	a.Exec(t, `UPDATE agent_tools SET args_schema = '{"type":"object","nullable":true}' WHERE id = 'write'`)
	require.Equal(t, []string{"agent.billing.echo"}, a.offered(t, "reader"))
	for _, left := range [][]agent.LeftOut{shown("reader"), a.revision(t, path).LeftOut} {
		require.Len(t, left, 1)
		require.Equal(t, "write", left[0].Tool)
		require.Equal(t, agent.SchemaRefused, left[0].Reason)
		require.Contains(t, left[0].Message, `a keyword that is not known: "nullable"`)
	}
	list := apitest.Decode[struct{ Agents []agent.Agent }](t, a.ok(t, http.MethodGet, agents, nil))
	require.Empty(t, list.Agents[0].LeftOut)

	// Somebody has more tools than are offered to one person: only who can use that many is told.
	a.agent(t, "flood")
	a.goes(t, "flood", "export default 1", nil)
	a.flood(t, "flood", reader.ID, 600)
	require.NotContains(t, a.offered(t, "reader"), "agent.billing.echo")
	left := shown("reader")
	require.Len(t, left, 2)
	require.Equal(t, []agent.LeftOutReason{agent.TooMany, agent.SchemaRefused}, []agent.LeftOutReason{left[0].Reason, left[1].Reason})
	require.Equal(t, "echo", left[0].Tool)
}

// The answer of a promotion says which tools of the revision cannot work.
func TestAPromotionSaysWhoseSecretIsGone(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("reader", agent.Read)
	a.secret(t, "TOKEN")
	a.agent(t, "billing")
	path := a.draft(t, "billing")
	a.ok(
		t,
		http.MethodPut,
		path+"/spec",
		spec(compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}}}}),
	)
	a.ok(t, http.MethodPut, path+"/tools/echo", tool(`ref("TOKEN")`))
	a.ok(t, http.MethodPut, path+"/tools/plain", tool(`1`))
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	a.Exec(t, `DELETE FROM vault_secrets`)
	promoted := apitest.Decode[agent.Revision](t, a.ok(t, http.MethodPost, path+"/promote", nil))
	require.Equal(t, agent.Live, promoted.State)
	require.Len(t, promoted.LeftOut, 1)
	require.Equal(t, "echo", promoted.LeftOut[0].Tool)
	require.Equal(t, agent.SecretMissing, promoted.LeftOut[0].Reason)
	require.Contains(t, promoted.LeftOut[0].Message, "the secret TOKEN")
	seen := apitest.Decode[agent.Revision](t, a.Do(t, "reader", http.MethodGet, path, nil))
	require.Empty(t, seen.LeftOut, "which secrets there are is nothing for who may not see any")
}
