package demo_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/model/demo"
)

// world answers tool calls as the product would, from a small catalog.
type world map[string]func(input map[string]any) string

func aWorld() world {
	awaiting := func(map[string]any) string { return `{"status":"awaiting_operator","proposalId":"p-1"}` }
	fixed := func(text string) func(map[string]any) string {
		return func(map[string]any) string { return text }
	}
	return world{
		"catalog_listTeams": fixed(`{"teams":[{"id":"t-1","name":"Platform"},{"id":"t-2","name":"Payments","description":"Money"}]}`),
		"catalog_listSystems": func(input map[string]any) string {
			const payments, ledger = `{"id":"s-1","name":"Payments API","description":"Takes cards","owners":["Platform"],"tags":["pci"],"groups":["Checkout"]}`,
				`{"id":"s-2","name":"Ledger"}`
			if input["groupId"] == "g-1" {
				return `{"systems":[` + payments + `]}`
			}
			return `{"systems":[` + payments + `,` + ledger + `]}`
		},
		"catalog_getSystem": fixed(
			`{"system":{"id":"s-1","name":"Payments API","description":"Takes cards","owners":[{"teamId":"t-1","teamName":"Platform"}],
			"groups":[{"id":"g-1","name":"Checkout"}],"environments":[{"id":"e-1","name":"production"}],
			"contacts":[{"id":"c-1","type":"mailbox","email":"oncall@example.com","label":"On call"},
			{"id":"c-2","type":"chat","address":"https://chat.example.com/payments","label":"Questions"}],
			"links":[{"id":"l-1","url":"https://runbook.example"}],"access":"owner"}}`,
		),
		"catalog_listGroups": fixed(
			`{"groups":[{"id":"g-1","name":"Checkout","systemIds":["s-1"]},{"id":"g-2","name":"Back office"}]}`,
		),
		"catalog_listEnvironments": fixed(
			`{"environments":[{"id":"e-1","name":"production","systemIds":["s-1"]},{"id":"e-2","name":"staging","systemIds":["s-2"]}]}`,
		),
		"catalog_setSystemOwner":        awaiting,
		"catalog_setSystemEnvironments": awaiting,
		"catalog_deleteEnvironment":     awaiting,
		"catalog_createSystem":          awaiting,
		"catalog_updateSystem":          awaiting,
		"catalog_deleteSystem":          awaiting,
		"catalog_createGroup":           awaiting,
		"catalog_updateGroup":           awaiting,
		"catalog_deleteGroup":           awaiting,
		"catalog_addSystemToGroup":      awaiting,
		"catalog_removeSystemFromGroup": awaiting,
		"catalog_createEnvironment":     awaiting,
		"ai_askOperator":                awaiting,
		"ai_listDocs":                   fixed(`{"pages":[{"slug":"concepts/proposals","title":"Proposals"}],"sections":["concepts"],"note":""}`),
		"ai_searchDocs": func(input map[string]any) string {
			if input["query"] == "script health check" {
				return `{"hits":[{"slug":"reference/script-contexts","title":"Script contexts","snippet":"A script lives","score":9}],"note":""}`
			}
			return `{"hits":[{"slug":"concepts/proposals","title":"Proposals and approval","snippet":"A proposal waits","score":3}],
			"note":"Read the page that fits with ai.getDoc before answering; a snippet is only a part of it."}`
		},
		"ai_getDoc": func(input map[string]any) string {
			if input["slug"] == "reference/script-contexts" {
				return `{"slug":"reference/script-contexts","title":"Script contexts","truncated":false,"content":"A script lives in one of four contexts."}`
			}
			return `{"slug":"concepts/proposals","title":"Proposals and approval","truncated":false,
			"content":"Nothing changes without a person.\n\n## Expiry\n\nA proposal waits ten minutes. See [limits](../operations/limits.md).\n\n## Drift\n\nIt is refused when the target has changed."}`
		},
		"healthcheck_getScriptContext": fixed(
			`{"context":"healthcheck-script","sdkModule":"@countersign/sdk/healthcheck","helper":"defineHealthCheck"}`,
		),
		"healthcheck_testScript": fixed(
			`{"result":{"success":true,"message":"HTTP 200","value":12},"stdout":"","stderr":"","networkAllowed":true,"sandboxDowngraded":false}`,
		),
		"healthcheck_propose": awaiting,
		"healthcheck_status":  fixed(`{"systems":[]}`),
		"healthcheck_list":    fixed(`{"checks":[]}`),
		"healthcheck_listSystemChecks": fixed(
			`{"systemId":"s-1","systemName":"Payments API","status":"unknown","why":"Nothing has run yet.","targets":[]}`,
		),
		"ai_searchMemory": fixed(
			`{"memories":[{"id":"m-1","scope":"user","author":"Ada","yours":true,"recallHint":"Time zone","content":"Write times in UTC."}]}`,
		),
		"ai_saveMemory":   awaiting,
		"ai_deleteMemory": awaiting,
		"ai_probeUrl": fixed(
			`{"url":"https://example.com/status","status":200,"statusText":"200 OK","contentType":"application/json","bodySample":"{\"up\":true}","bodyTruncated":false}`,
		),
	}
}

// without returns the world less some tools.
func (w world) without(tools ...string) world {
	for _, tool := range tools {
		delete(w, tool)
	}
	return w
}

// answering returns the world with another result of a tool.
func (w world) answering(tool, result string) world {
	w[tool] = func(map[string]any) string { return result }
	return w
}

// play lets the demo model answer a message and returns what happened as a
// transcript: its text, "-> tool input" for each call, and after the last step
// nothing else. As in the product, a proposal ends the turn.
func (w world) play(t *testing.T, history []model.Message, message string) (transcript string, conversation []model.Message) {
	t.Helper()
	conversation = append(slices.Clone(history), model.Message{Role: model.RoleUser, Content: message})
	var tools []model.Tool
	for name := range w {
		tools = append(tools, model.Tool{Name: name})
	}
	var lines []string
	for step := range 10 {
		reply := demo.Plan(model.Request{Messages: conversation, Tools: tools})
		if reply.Text != "" {
			lines = append(lines, reply.Text)
		}
		answer := model.Message{Role: model.RoleAssistant, Content: reply.Text}
		var results []model.Message
		ended := len(reply.Calls) == 0
		for i, call := range reply.Calls {
			input, err := json.Marshal(call.Input)
			require.NoError(t, err)
			lines = append(lines, fmt.Sprintf("-> %s %s", call.Tool, input))
			require.Contains(t, w, call.Tool, "only offered tools are called")
			id := fmt.Sprintf("call-%d-%d", step, i)
			answer.ToolCalls = append(answer.ToolCalls, model.ToolCall{ID: id, Name: call.Tool, Arguments: string(input)})
			result := w[call.Tool](call.Input)
			results = append(results, model.Message{Role: model.RoleTool, ToolCallID: id, Content: result})
			ended = ended || strings.Contains(result, "awaiting_operator")
		}
		conversation = append(append(conversation, answer), results...)
		if ended {
			return strings.Join(lines, "\n"), conversation
		}
	}
	require.Fail(t, "the turn does not end", strings.Join(lines, "\n"))
	return "", nil
}
