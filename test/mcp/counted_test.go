package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// What reads records without a tool, and what spends a token, counts in the caller's budget and leaves an audit row.
func TestWhatIsNoToolCountsInTheBudget(t *testing.T) {
	t.Parallel()
	p := apptest.Start(
		t,
		apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "5", "COUNTERSIGN_TOOL_BUDGET_WINDOW": "1h"}},
	)
	for method, c := range map[string]struct {
		name   string
		params map[string]any
	}{
		"resources/list": {name: "resources.list", params: map[string]any{}},
		"completion/complete": {name: "completion.complete", params: map[string]any{
			"ref": map[string]any{"type": "ref/resource", "uri": "countersign://systems/{system}"}, "argument": map[string]any{"name": "system", "value": "a"},
		}},
		"tools/call": {name: "proposal.apply", params: map[string]any{
			"name": "proposal_apply", "arguments": map[string]any{"token": "propose:" + strings.Repeat("0", 36) + "." + strings.Repeat("0", 32)},
		}},
	} {
		client := manager(t, p)
		tool, _ := c.params["name"].(string)
		send := func() apptest.Answer {
			body, headers := request(method, tool, c.params)
			return post(t, p, client.Token(), body, headers...)
		}
		for range 5 {
			answer := send()
			require.Equal(t, http.StatusOK, answer.Status, "%s: %s", method, answer.Body)
			require.Nil(t, rpc(t, answer).Error, method)
		}
		refused := send()
		require.Equal(t, http.StatusTooManyRequests, refused.Status, "%s: %s", method, refused.Body)
		require.NotEmpty(t, refused.Header.Get("Retry-After"))
		require.Equal(t, problem.RateLimited, rpc(t, refused).Error.Code)
		require.Equal(
			t,
			5,
			p.Count(
				t,
				`SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND transport = 'mcp' AND tool_name = $2 AND number IS NOT NULL AND status IN ('executed', 'failed')`,
				client.ID,
				c.name,
			),
			method,
		)
		require.Equal(
			t,
			1,
			p.Count(
				t,
				`SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND tool_name = $2 AND status = 'refused' AND error_code = 'budget'`,
				client.ID,
				c.name,
			),
			method,
		)
		// It is one budget.
		_, err := connect(t, p, client, "", nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "ai_listDocs"})
		require.ErrorContains(t, err, http.StatusText(http.StatusTooManyRequests), method)
	}
}

// A client that lists in a loop is told to wait, without a place in its budget; others are not in its way, and neither are its calls.
func TestListsInALoopHaveAnEnd(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	other := manager(t, p)
	for method, name := range map[string]string{"tools/list": "", "resources/templates/list": "", "prompts/list": "", "prompts/get": "incident-commander"} {
		client := manager(t, p)
		ask := func(c *apptest.Client) apptest.Answer {
			params := map[string]any{}
			if name != "" {
				params["name"] = name
			}
			body, headers := request(method, name, params)
			return post(t, p, c.Token(), body, headers...)
		}
		answered, refused := 0, apptest.Answer{}
		for answered < 2_000 && refused.Status == 0 {
			if answer := ask(client); answer.Status == http.StatusTooManyRequests {
				refused = answer
			}
			answered++
		}
		require.Greater(t, answered, 100, method)
		require.Equal(t, http.StatusTooManyRequests, refused.Status, method)
		require.NotEmpty(t, refused.Header.Get("Retry-After"), method)
		require.Equal(t, problem.RateLimited, rpc(t, refused).Error.Code, method)
		require.NotEqual(t, http.StatusTooManyRequests, ask(other).Status, method)
		require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1`, client.ID), "%s is no call", method)
		require.False(t, call(t, connect(t, p, client, "", nil), "catalog_listSystems", map[string]any{}).IsError, method)
	}
}
