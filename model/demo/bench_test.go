package demo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/model/demo"
)

// BenchmarkTurn is four rounds of one tool call and a final text, with 25 tools
// and a system prompt of usual size, over a loopback connection.
func BenchmarkTurn(b *testing.B) {
	base, stop, err := demo.Serve(b.Context(), "127.0.0.1:0", demo.Options{Key: "k", Scripts: true})
	require.NoError(b, err)
	defer func() { require.NoError(b, stop(b.Context())) }()
	c := model.New(model.Options{BaseURL: base, APIKey: "k"})
	begin := scripted(`rounds=4 tool=ai_searchDocs input={"query":"systems"} tokens=20`)
	begin.Messages[0].Content = strings.Repeat("You are an operations assistant. ", 150)
	schema := json.RawMessage(
		`{"type":"object","properties":{"name":{"type":"string","description":"` + strings.Repeat("the name ", 50) + `"}}}`,
	)
	for i := range 25 {
		begin.Tools = append(
			begin.Tools,
			model.Tool{Name: fmt.Sprint("tool_", i), Description: strings.Repeat("does a thing. ", 20), Parameters: schema},
		)
	}
	b.ReportAllocs()
	for b.Loop() {
		request := begin
		for {
			response, err := c.Stream(b.Context(), request, nil)
			require.NoError(b, err)
			if len(response.ToolCalls) == 0 {
				break
			}
			request = next(request, response)
		}
	}
}

// BenchmarkPlan decides one step of the longest message with the most requests.
func BenchmarkPlan(b *testing.B) {
	for name, message := range map[string]string{
		"usual":   "Add a system called Payments API owned by the platform team",
		"hostile": strings.Repeat("add a system called a and ", 160),
	} {
		b.Run(name, func(b *testing.B) {
			request := model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: message}}}
			for tool := range aWorld() {
				request.Tools = append(request.Tools, model.Tool{Name: tool})
			}
			b.ReportAllocs()
			for b.Loop() {
				demo.Plan(request)
			}
		})
	}
}
