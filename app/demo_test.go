package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/model"
	"countersign/model/demo"
	"countersign/tool"
	"countersign/tool/proposal"
)

// demoExample is an entry of the table of sentences that people are told to write, which explains itself.
type demoExample struct {
	Ask         string
	Given       demoCatalog
	Does, Reads []string
	Says        string
	Again       []yaml.Node
}

type demoCatalog struct {
	Systems, Groups, Environments, Agents, Incidents []string
	Members                                          bool
}

func demoExamples(t *testing.T) []demoExample {
	t.Helper()
	raw, err := os.ReadFile("../model/demo/testdata/examples.yaml")
	require.NoError(t, err)
	var all []demoExample
	require.NoError(t, yaml.Unmarshal(raw, &all))
	return all
}

// tools are the dotted names of the tools in lines such as "catalog_createSystem {}".
func (e demoExample) tools(lines []string) []string {
	names := []string{}
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, dotted(name))
	}
	return names
}

func dotted(wire string) string {
	if name, ok := tool.PlainName(wire); ok && strings.Count(name, ".") == 2 {
		return name
	}
	return strings.Replace(wire, "_", ".", 1)
}

// in puts a catalog into place for as long as f runs.
func (g demoCatalog) in(t *testing.T, c *apptest.Client, f func()) {
	t.Helper()
	type made struct{ path, id string }
	var all []made
	put := func(path string, body map[string]any) string {
		var thing struct {
			ID string `json:"id"`
		}
		c.Post(t, path, body, &thing)
		all = append(all, made{path, thing.ID})
		return thing.ID
	}
	create := func(path, name string) string { return put(path, map[string]any{"name": name}) }
	var systems []string
	for _, name := range g.Systems {
		systems = append(systems, create("/api/catalog/systems", name))
	}
	for _, name := range g.Groups {
		group := create("/api/catalog/groups", name)
		for _, system := range systems {
			if g.Members {
				require.Less(t, c.Call(t, http.MethodPut, "/api/catalog/groups/"+group+"/systems/"+system, nil).Status, 300)
			}
		}
	}
	for _, name := range g.Environments {
		create("/api/catalog/environments", name)
	}
	for _, title := range g.Incidents {
		put("/api/incidents", map[string]any{"title": title, "severity": "major", "systemIds": systems})
	}
	for _, name := range g.Agents {
		all = append(all, made{"/api/agents", liveAgent(t, c, name)})
	}
	f()
	for _, m := range slices.Backward(all) {
		require.Less(t, c.Call(t, http.MethodDelete, m.path+"/"+m.id, nil).Status, 300)
	}
}

// liveAgent makes an agent of which a tool that adds up prices is live.
func liveAgent(t *testing.T, c *apptest.Client, name string) (id string) {
	t.Helper()
	var agent, draft struct {
		ID string `json:"id"`
	}
	c.Post(t, "/api/agents", map[string]any{"name": name, "slug": strings.ReplaceAll(strings.ToLower(name), " ", "-")}, &agent)
	at := "/api/agents/" + agent.ID + "/revisions"
	c.Post(t, at, map[string]any{}, &draft)
	at += "/" + draft.ID
	put := c.Call(t, http.MethodPut, at+"/tools/total-of-cart", map[string]any{
		"description": "Adds the prices of a cart.", "effect": "read",
		"args_schema": map[string]any{
			"type": "object", "properties": map[string]any{"prices": map[string]any{"type": "array", "items": map[string]any{"type": "number"}}},
			"required": []string{"prices"}, "additionalProperties": false,
		},
		"source": `import type { CustomTool } from "@countersign/sdk/tool";
export default {
  actions: {
    default: async (args: { prices: number[] }) => ({ total: args.prices.reduce((sum, price) => sum + price, 0) }),
  },
} satisfies CustomTool;
`,
	})
	require.Equal(t, http.StatusOK, put.Status, string(put.Body))
	c.Post(t, at+"/freeze", map[string]any{}, nil)
	c.Post(t, at+"/promote", map[string]any{}, nil)
	return agent.ID
}

func demoProduct(t *testing.T) *apptest.Product {
	t.Helper()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "100000"}})
	p.Admin.Post(t, "/api/teams", map[string]any{"name": "Payments"}, nil)
	return p
}

// Every sentence that people are told to write does in the product what they are told it does.
func TestDocumentedExamplesInTheChat(t *testing.T) {
	t.Parallel()
	p := demoProduct(t)
	for _, e := range demoExamples(t) {
		e.Given.in(t, p.Admin, func() {
			turn := p.Admin.Conversation(t, nil).Say(t, e.Ask)
			require.Equal(t, "done", turn.Metadata.Status, e.Ask)
			proposed := []string{}
			for _, part := range turn.Message.Parts {
				if part.Type == "data-proposal" {
					var card proposal.Card
					require.NoError(t, json.Unmarshal(part.Data, &card))
					require.Equal(t, proposal.Proposed, card.Status, e.Ask)
					proposed = append(proposed, card.ToolName)
				}
			}
			require.Equal(t, e.tools(e.Does), proposed, "%s: %s", e.Ask, turn.Text())
			var called []string
			for _, call := range turn.ToolCalls() {
				called = append(called, call.ToolName)
			}
			for _, name := range e.tools(e.Reads) {
				require.Contains(t, called, name, e.Ask)
			}
			require.Contains(t, turn.Text(), e.Says)
		})
	}
}

// Whatever the wording, the real tools accept what the demo model calls.
func TestVariantsOfDocumentedExamplesFitTheTools(t *testing.T) {
	t.Parallel()
	p := demoProduct(t)
	var effects map[string]tool.Effect
	var tools []model.Tool
	offer := func() {
		var offered struct {
			Tools []struct {
				Name   string
				Effect tool.Effect
			}
		}
		p.Admin.Get(t, "/api/ai/tools", &offered)
		effects, tools = map[string]tool.Effect{}, []model.Tool{{Name: "ai_askOperator"}}
		for _, o := range offered.Tools {
			effects[o.Name] = o.Effect
			if strings.HasSuffix(o.Name, ".testScript") {
				// Without a network, a test of a script changes nothing.
				effects[o.Name] = tool.Read
			}
			tools = append(tools, model.Tool{Name: tool.WireNameOf(o.Name)})
		}
	}
	offer()
	// act makes the calls of one step and reports what the tools answered; a question or a proposal ends the turn.
	act := func(ask string, calls []demo.Call) (results []model.Message, made []model.ToolCall, ended bool) {
		for i, call := range calls {
			name, result := dotted(call.Tool), `{"status":"awaiting_operator"}`
			if effect := effects[name]; call.Tool != "ai_askOperator" {
				path := "/propose"
				if effect == tool.Read {
					path = "/call"
				}
				answer := p.Admin.Call(t, http.MethodPost, "/api/ai/tools/"+name+path, map[string]any{"input": call.Input})
				if answer.Status != http.StatusOK {
					refusal := answer.Problem(t)
					// Where the test runs there may be no such address, which is no fault of the input's form.
					require.True(t, call.Tool == "ai_probeUrl" || refusal.Code != problem.Invalid, "%s: %s %v", ask, name, call.Input)
					result = encode(t, map[string]any{"error": refusal})
				} else if effect == tool.Read {
					var read struct{ Output json.RawMessage }
					decode(t, string(answer.Body), &read)
					result = string(read.Output)
				}
				ended = ended || effect != tool.Read
			} else {
				ended = true
			}
			id := fmt.Sprint("call-", ask, i, call.Tool)
			made = append(made, model.ToolCall{ID: id, Name: call.Tool, Arguments: encode(t, call.Input)})
			results = append(results, model.Message{Role: model.RoleTool, ToolCallID: id, Content: result})
		}
		return results, made, ended || len(calls) == 0
	}
	for _, e := range demoExamples(t) {
		for _, again := range e.Again {
			v := e
			v.Ask = again.Value
			if again.Kind != yaml.ScalarNode {
				require.NoError(t, again.Decode(&v))
			}
			v.Given.in(t, p.Admin, func() {
				if len(v.Given.Agents) > 0 {
					offer()
				}
				messages := []model.Message{{Role: model.RoleUser, Content: v.Ask}}
				var proposed []string
				for ended, steps := false, 0; !ended; steps++ {
					require.Less(t, steps, 10, v.Ask)
					reply := demo.Plan(model.Request{Messages: messages, Tools: tools})
					for _, call := range reply.Calls {
						if effect := effects[dotted(call.Tool)]; effect != "" && effect != tool.Read {
							proposed = append(proposed, call.Tool)
						}
					}
					var results []model.Message
					var made []model.ToolCall
					results, made, ended = act(v.Ask, reply.Calls)
					messages = append(append(messages, model.Message{Role: model.RoleAssistant, Content: reply.Text, ToolCalls: made}), results...)
				}
				require.Equal(t, v.tools(v.Does), v.tools(proposed), v.Ask)
			})
		}
	}
}
