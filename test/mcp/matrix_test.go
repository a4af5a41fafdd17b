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
			got := overMCP(t, session, k.Name)
			require.Equal(t, overREST(t, c, k), got, "%s with %s", k.Name, rule)
			if !offered[k.Name] {
				require.Equal(t, string(problem.Forbidden), got, "%s with %s", k.Name, rule)
			}
		}
	}
}

// overMCP is the code that a call without arguments is answered with, "" when it succeeds.
func overMCP(t *testing.T, session *sdk.ClientSession, name string) string {
	t.Helper()
	result := call(t, session, tool.WireNameOf(name), map[string]any{})
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

func overREST(t *testing.T, c *apptest.Client, k knownTool) string {
	t.Helper()
	verb := "propose"
	if k.Effect == tool.Read {
		verb = "call"
	}
	answer := c.Call(t, http.MethodPost, "/api/ai/tools/"+k.Name+"/"+verb, map[string]any{"input": map[string]any{}})
	if answer.Status < http.StatusBadRequest {
		return ""
	}
	return string(problemOf(t, answer).Code)
}
