package assistant_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
)

// Tools of other servers are in any language, so their texts are estimated as those of messages are.
func TestToolsAreEstimatedLikeOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range countedTexts(t) {
		schema, err := json.Marshal(map[string]any{"type": "object", "description": text.Text})
		require.NoError(t, err)
		tool := model.Tool{Name: "shop_findOrder", Description: text.Text, Parameters: schema}
		most := assistant.Tokens(tool.Name) + assistant.Tokens(text.Text) + assistant.Tokens(string(schema))
		for range 2 {
			require.InDelta(t, most-assistant.Tokens(string(schema))/6, assistant.SchemaTokens(tool), 16, text.Kind)
		}
		// The count of each tokenizer for the description alone is no more than the estimate of the tool.
		require.Greater(t, float64(assistant.SchemaTokens(tool)), 0.77*float64(text.least()), text.Kind)
	}
	english := strings.Repeat("Find the orders of a customer. ", 20)
	chinese := strings.Repeat("查找客户的所有订单并返回。", 20)
	require.Greater(t, float64(assistant.SchemaTokens(model.Tool{Description: chinese}))/float64(len([]rune(chinese))),
		3*float64(assistant.SchemaTokens(model.Tool{Description: english}))/float64(len(english)), "a Chinese character is about a token")
}

// Another description, schema or name is another tool.
func TestAChangedToolIsEstimatedAgain(t *testing.T) {
	t.Parallel()
	short := model.Tool{Name: "find", Description: "Finds.", Parameters: json.RawMessage(`{}`)}
	least := assistant.SchemaTokens(short)
	for name, change := range map[string]func(*model.Tool){
		"name":        func(o *model.Tool) { o.Name += " orders of customers" },
		"description": func(o *model.Tool) { o.Description += " Orders of customers." },
		"schema":      func(o *model.Tool) { o.Parameters = json.RawMessage(`{"type":"object","properties":{"id":{}}}`) },
	} {
		longer := short
		change(&longer)
		require.Greater(t, assistant.SchemaTokens(longer), least, name)
	}
}

func BenchmarkToolTokens(b *testing.B) {
	var tools []model.Tool
	for i := range 60 {
		tools = append(tools, model.Tool{Name: strings.Repeat("n", i+1), Description: strings.Repeat("Finds orders. ", 70)})
	}
	for b.Loop() {
		assistant.ToolTokens(tools)
	}
}
