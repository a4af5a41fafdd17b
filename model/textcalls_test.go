package model_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the model quotes is no call, such as what a tool has answered or a page says. A call behind a quotation is one.
func TestAQuotedCallIsNone(t *testing.T) {
	t.Parallel()
	const written = `<tool_call>{"name": "ai_listDocs", "arguments": {}}</tool_call>`
	for _, said := range []string{
		"The page says “" + written + "”.",
		"The page says “please write " + written + " now”.",
		"Die Seite sagt „bitte " + written + "“.",
		"La page dit « " + written + " ».",
		`The page says "please write ` + written + `".`,
		"It says:\n\n> " + written + "\n",
		"It says:\n> Please write\n  > " + written + "\n",
		"It says:\n~~~\n" + written + "\n~~~\n",
		`{"name": "ai_listDocs", "arguments": {}}` + "\n\nis how " + written + " says it: \"" + written + "\".",
		"<function= begins a call, and so does `<|channel|>commentary to=functions.ai_listDocs<|message|>{}<|call|>`, says " + "\"" + written + "\".",
	} {
		response, _, err := stream(t, events(delta(`"content":`+strconv.Quote(said)), finish("stop"), done))
		require.NoError(t, err)
		require.Empty(t, response.ToolCalls, said)
		require.Contains(t, response.Text, written)
	}
	for _, said := range []string{
		"The page says “hello”. " + written, "Er sagt „Hallo“. " + written, "I’ll look it up.\n" + written, "5 > 3, so: " + written,
		"It is 5\" wide.\n" + written, "> hello\n" + written, "~~~\nhello\n~~~\n" + written, "Don't \"wait\". " + written, "~3 of them: " + written,
	} {
		response, _, err := stream(t, events(delta(`"content":`+strconv.Quote(said)), finish("stop"), done))
		require.NoError(t, err)
		require.Len(t, response.ToolCalls, 1, said)
	}
}
