package mcp_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
)

type knownTool struct {
	Name   string      `json:"name"`
	Effect tool.Effect `json:"effect"`
	Rules  []string    `json:"requiredAccessRules"`
}

// opens reports whether all that the tool needs is among the rules of a role.
func (k knownTool) opens(role []string) bool {
	return slices.Contains(role, principal.Admin) ||
		!slices.ContainsFunc(k.Rules, func(rule string) bool { return !slices.Contains(role, rule) })
}

func toolsOf(t *testing.T, c *apptest.Client) []knownTool {
	t.Helper()
	var all struct {
		Tools []knownTool `json:"tools"`
	}
	c.Get(t, "/api/ai/tools", &all)
	return all.Tools
}

// For each role the list is exactly the tools whose rules it holds, by what the product says that each needs, and so is
// what the model of a chat is told of. Whatever else there is, called one after the other, is refused and leaves
// nothing; what is listed is answered as over the REST API.
func TestEachRoleIsListedItsToolsAndRefusedAllOthers(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	maps.Copy(env, map[string]string{
		"COUNTERSIGN_TOOL_BUDGET_CALLS": "1000000", "COUNTERSIGN_MAX_WAITING_PROPOSALS": "1000", "COUNTERSIGN_MCP_LISTS": "1000",
	})
	p := apptest.Start(t, apptest.Options{Env: env})
	rules := everyRule(t, p)
	all := p.Application(t, p.Role(t, rules...))
	every := toolsOf(t, all)
	require.Greater(t, len(every), 50)
	answers := map[string]*jsonschema.Resolved{}
	for _, one := range listed(t, connect(t, p, all, "", nil)) {
		answers[one.Name] = resolved(t, one.OutputSchema)
	}
	lists := func(session *sdk.ClientSession, role []string, also ...string) (closed []knownTool) {
		t.Helper()
		want := append([]string{"proposal_wait"}, also...)
		for _, k := range every {
			if k.opens(role) {
				want = append(want, tool.WireNameOf(k.Name))
			} else {
				closed = append(closed, k)
			}
		}
		require.ElementsMatch(t, want, namesOf(listed(t, session)), role)
		return closed
	}
	application := func(role []string) (c *apptest.Client, session *sdk.ClientSession, closed []knownTool) {
		t.Helper()
		c = p.Application(t, p.Role(t, role...))
		session = connect(t, p, c, "", nil)
		return c, session, lists(session, role, "proposal_apply")
	}
	// chats requires that a chat is as open as the rules are of somebody who holds a role.
	chats := func(i int, held []string) {
		t.Helper()
		c := p.Person(t, p.Role(t, held...))
		var me struct{ Rules []string }
		c.Get(t, "/api/me", &me)
		role := me.Rules
		closed := slices.DeleteFunc(slices.Clone(every), func(k knownTool) bool { return k.opens(role) })
		before := len(provider.Requests())
		one := closed[i%len(closed)]
		turn := c.Conversation(t, nil).Perform(t, "tool="+one.Name+" input={} text=Done.")
		require.Len(t, turn.ToolCalls(), 1, role)
		require.True(t, strings.HasSuffix(turn.ToolCalls()[0].State, "-error"), "%s with %s: %s", one.Name, role, turn.ToolCalls()[0].State)
		told, want := map[string]bool{}, []string{}
		for _, one := range provider.Requests()[before].Tools {
			told[one.Function.Name] = true
		}
		got := []string{}
		for _, k := range every {
			name := tool.WireNameOf(k.Name)
			if told[name] {
				got = append(got, name)
			}
			if k.opens(role) {
				want = append(want, name)
			}
		}
		require.Equal(t, want, got, "in a chat with %s", role)
	}
	// The roles that are built in are those of people.
	for _, c := range []*apptest.Client{p.Person(t), p.Admin} {
		var me struct{ Rules []string }
		c.Get(t, "/api/me", &me)
		lists((&signedIn{Client: c, p: p}).connectAs(t), me.Rules)
	}
	several := map[string][]string{}
	for _, k := range every {
		if len(k.Rules) > 1 {
			several[strings.Join(k.Rules, " ")] = k.Rules
		}
	}
	require.NotEmpty(t, several)
	// A tool that needs several rules is closed without any of them.
	for _, needed := range several {
		for i := range needed {
			role := append([]string{"ai.chat.read"}, slices.Delete(slices.Clone(needed), i, i+1)...)
			application(role)
		}
		application(append([]string{"ai.chat.read"}, needed...))
	}
	for i, rule := range rules {
		role := []string{"ai.chat.read", rule}
		c, session, closed := application(role)
		for n, k := range closed {
			require.Equal(t, string(problem.Forbidden), plainCode(t, p, c, k.Name), "%s with %s", k.Name, rule)
			// Each of them over the REST API, too, with a quarter of the rules.
			if (n+i)%4 == 0 {
				require.Equal(t, string(problem.Forbidden), restCode(t, c, k, map[string]any{}), "%s with %s", k.Name, rule)
			}
		}
		chats(i, role)
		require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND status <> 'refused'`, c.ID), rule)
		for _, k := range every {
			if k.opens(role) {
				result := call(t, session, tool.WireNameOf(k.Name), map[string]any{})
				require.Equal(t, restCode(t, c, k, map[string]any{}), codeOf(t, result), "%s with %s", k.Name, rule)
				if !result.IsError {
					require.NoError(t, answers[tool.WireNameOf(k.Name)].Validate(result.StructuredContent), k.Name)
				}
			}
		}
	}
}

// plainCode is mcpCode of a call that somebody makes without a library, in an older revision.
func plainCode(t *testing.T, p *apptest.Product, c *apptest.Client, name string) string {
	t.Helper()
	answer := post(t, p, c.Token(), map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool.WireNameOf(name), "arguments": map[string]any{}},
	}, apptest.Header{Name: "Mcp-Protocol-Version", Value: "2025-11-25"})
	var result struct {
		IsError bool `json:"isError"`
		Meta    struct {
			Problem struct {
				Code string `json:"code"`
			} `json:"countersign/internal/problem"`
		} `json:"_meta"`
	}
	require.NoError(t, json.Unmarshal(rpc(t, answer).Result, &result), "%s", answer.Body)
	require.Equal(t, result.Meta.Problem.Code != "", result.IsError, "%s", answer.Body)
	return result.Meta.Problem.Code
}

// mcpCode is the code that a call is answered with over MCP, "" when it succeeds.
func mcpCode(t *testing.T, session *sdk.ClientSession, name string, input map[string]any) string {
	t.Helper()
	return codeOf(t, call(t, session, tool.WireNameOf(name), input))
}

// codeOf is the code of a result, "" for a success.
func codeOf(t *testing.T, result *sdk.CallToolResult) string {
	t.Helper()
	if !result.IsError {
		return ""
	}
	raw, err := json.Marshal(result.Meta[endpoint.MetaProblem])
	require.NoError(t, err)
	var e struct {
		Code string `json:"code"`
	}
	require.NoError(t, json.Unmarshal(raw, &e))
	return e.Code
}

// restCode is mcpCode over the REST API.
func restCode(t *testing.T, c *apptest.Client, k knownTool, input map[string]any) string {
	t.Helper()
	verb := "propose"
	if k.Effect == tool.Read {
		verb = "call"
	}
	answer := c.Call(t, http.MethodPost, "/api/ai/tools/"+k.Name+"/"+verb, map[string]any{"input": input})
	if answer.Status < http.StatusBadRequest {
		return ""
	}
	return string(problemOf(t, answer).Code)
}

// resolved is the schema of what a tool says that it answers, to check answers by.
func resolved(t *testing.T, outputSchema any) *jsonschema.Resolved {
	t.Helper()
	raw, err := json.Marshal(outputSchema)
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &schema))
	found, err := schema.Resolve(nil)
	require.NoError(t, err)
	return found
}
