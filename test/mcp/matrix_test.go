package mcp_test

import (
	"encoding/json"
	"net/http"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/mcp/endpoint"
	"countersign/problem"
	"countersign/tool"
)

type knownTool struct {
	Name   string      `json:"name"`
	Effect tool.Effect `json:"effect"`
}

func toolsOf(t *testing.T, c *apptest.Client) []knownTool {
	t.Helper()
	var all struct {
		Tools []knownTool `json:"tools"`
	}
	c.Get(t, "/api/ai/tools", &all)
	return all.Tools
}

// For holders of each single access rule both ways list the same, and both answer a call of any tool with the same.
func TestRightsAreTheSameOnBothWays(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "1000000", "COUNTERSIGN_MAX_WAITING_PROPOSALS": "1000"}})
	rules := everyRule(t, p)
	every := toolsOf(t, p.Application(t, p.Role(t, rules...)))
	require.Greater(t, len(every), 50)
	const few = 3
	for i, rule := range rules {
		c := p.Application(t, p.Role(t, "ai.chat.read", rule))
		session := connect(t, p, c, "", nil)
		offered := map[string]bool{}
		want := []string{"proposal_apply", "proposal_wait"}
		for _, k := range toolsOf(t, c) {
			want = append(want, tool.WireNameOf(k.Name))
			offered[k.Name] = true
		}
		require.ElementsMatch(t, want, namesOf(listed(t, session)), rule)
		for n, k := range every {
			// Each tool is called by some, and what is not offered never succeeds.
			if (n+i)%few != 0 {
				continue
			}
			got := mcpCode(t, session, k.Name, map[string]any{})
			require.Equal(t, restCode(t, c, k, map[string]any{}), got, "%s with %s", k.Name, rule)
			if !offered[k.Name] {
				require.Equal(t, string(problem.Forbidden), got, "%s with %s", k.Name, rule)
			}
		}
	}
}

// mcpCode is the code that a call is answered with over MCP, "" when it succeeds.
func mcpCode(t *testing.T, session *sdk.ClientSession, name string, input map[string]any) string {
	t.Helper()
	result := call(t, session, tool.WireNameOf(name), input)
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
