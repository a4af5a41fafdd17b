package model_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// An answer that is a call in a code block, and nothing else, is a call where the connection says so.
func TestACallInACodeBlockAloneIsMade(t *testing.T) {
	t.Parallel()
	const object = `{"name": "ai_searchDocs", "arguments": {"query": "backup"}}`
	for name, said := range map[string]string{
		"json":             "```json\n" + object + "\n```",
		"no word":          "```\n" + object + "\n```",
		"tool_call":        "```tool_call\n" + object + "\n```",
		"tool_code":        "```tool_code\nai_searchDocs(query=\"backup\")\n```",
		"python, a list":   "```python\n[ai_searchDocs(query=\"backup\")]\n```",
		"a list":           "```json\n[" + object + "]\n```",
		"parameters":       "```json\n{\"name\": \"ai_searchDocs\", \"parameters\": {\"query\": \"backup\"}}\n```",
		"type":             "```json\n{\"type\": \"function\", \"function\": " + object + "}\n```",
		"tool_calls":       "```json\n{\"tool_calls\": [{\"function\": " + object + "}]}\n```",
		"tool":             "```json\n{\"tool\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}\n```",
		"marks":            "```xml\n<tool_call>" + object + "</tool_call>\n```",
		"marks, json":      "```json\n<tool_call>\n" + object + "\n</tool_call>\n```",
		"tildes":           "~~~json\n" + object + "\n~~~",
		"open":             "```json\n" + object,
		"one line":         "```json " + object + " ```",
		"blanks":           "\n\n```json\n\n" + object + "\n\n```\n\n",
		"an end mark":      "```json\n" + object + "\n```<|im_end|>",
		"single backticks": "`" + object + "`",
		"a list of tools":  `{"tool_calls": [{"name": "ai_searchDocs", "arguments": {"query": "backup"}}]}`,
		"args":             `{"name": "ai_searchDocs", "args": {"query": "backup"}}`,
		"input":            `{"name": "ai_searchDocs", "input": {"query": "backup"}}`,
		"tool, bare":       `{"tool": "ai_searchDocs", "input": {"query": "backup"}}`,
		"tool_name":        `{"tool_name": "ai_searchDocs", "arguments": {"query": "backup"}}`,
		"action":           `{"action": "ai_searchDocs", "action_input": {"query": "backup"}}`,
		"a type of tool":   `{"type": "tool_use", "name": "ai_searchDocs", "input": {"query": "backup"}}`,
		"double braces":    `{{"name": "ai_searchDocs", "arguments": {"query": "backup"}}}`,
		"gemma":            `<|tool_call>call:ai_searchDocs{query:<|"|>backup<|"|>}<tool_call|>`,
		"function gemma":   `<start_function_call>call:ai_searchDocs{query:<escape>backup<escape>}<end_function_call>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			response, err := made(t, letters(said, "stop")).Stream(t.Context(), searching, func(d model.Delta) { shown.WriteString(d.Text) })
			require.NoError(t, err)
			require.Len(t, response.ToolCalls, 1, response.Text)
			require.Equal(t, "ai_searchDocs", response.ToolCalls[0].Name)
			require.JSONEq(t, `{"query":"backup"}`, response.ToolCalls[0].Arguments)
			require.Empty(t, strings.TrimSpace(shown.String()))
		})
	}
}

// Code that is an example, an answer, or of no tool stays what it is.
func TestCodeIsNoCall(t *testing.T) {
	t.Parallel()
	const object = `{"name": "ai_searchDocs", "arguments": {"query": "backup"}}`
	for _, said := range []string{
		"A call looks like this:\n```json\n" + object + "\n```",
		"```json\n" + object + "\n```\nis what a call looks like.",
		"```json\n{\"name\": \"my-package\", \"version\": \"1.0.0\"}\n```",
		"```json\n{\"name\": \"other_tool\", \"arguments\": {}}\n```",
		"```python\nprint(\"ai_searchDocs\")\n```",
		"```python\nimport os\nai_searchDocs(query=\"backup\")\n```",
		"```sh\nls -l\n```",
		"```\nhello\n```",
		"```json\n" + object + "\n```\n\n```json\n" + object + "\n```\nBoth are examples.",
		"`ai_searchDocs`",
		"`{\"name\": \"x\"}` is the body.",
		"```json\n[1, 2, 3]\n```",
		"```json\n{\"name\": \"ai_searchDocs\"}\n```",
		`{"action": "restart", "target": "payments"}`,
		`{"tool": "hammer"}`,
		`{{ template }} is replaced.`,
		"call:me later",
	} {
		for _, client := range []*model.Client{made(t, letters(said, "stop")), answering(t, body(200, "text/event-stream", letters(said, "stop")))} {
			var shown strings.Builder
			response, err := client.Stream(t.Context(), searching, func(d model.Delta) { shown.WriteString(d.Text) })
			require.NoError(t, err, said)
			require.Empty(t, response.ToolCalls, said)
			require.Equal(t, said, response.Text)
			require.Equal(t, said, shown.String())
		}
	}
}

// Marks of any template at the end of an answer are no part of it; in code and in the middle they are.
func TestEndMarksOfManyTemplates(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{
		"[/INST]", "[EOS]", "<|eos|>", "<|fim_pad|>", "<|im_end|>", "<|endoftext|>", "</s>", "<｜end▁of▁sentence｜>", "<end_of_turn>\n<start_of_turn>model",
		"<start_of_turn>", "<turn|>", "<|turn>", "<pad>", "<|pad|>", "[PAD]", "<|assistant|>", "<|fim_middle|>", "<|file_sep|>", "<|repo_name|>", "<|EOT|>",
		"<|start_header_id|>assistant<|end_header_id|>", "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", "<｜User｜>", "<｜Assistant｜>",
		"<|im_sep|>", "<|end_of_text|>", "<bos>", "<eos>", "[INST]", "<|end▁of▁sentence|>", "<|tool_response|>", "<|END_RESPONSE|>", "<|eom_id|>",
		"<|im_end|>\n<|endoftext|>", "</s></s></s>", "<|endofprompt|>", "<EOS>", "<unk>", "[/INST]</s>",
	} {
		client := answering(t, body(200, "text/event-stream", letters("All is well."+mark, "stop")))
		var shown strings.Builder
		response, err := client.Stream(t.Context(), searching, func(d model.Delta) { shown.WriteString(d.Text) })
		require.NoError(t, err)
		require.Equal(t, "All is well.", strings.TrimSpace(response.Text), mark)
		require.Equal(t, response.Text, shown.String())
	}
	for _, said := range []string{
		"The mark is `<|im_end|>`", "```\n<|eos|>\n```", "Use <|> between them", "a <|x|> b", "It ends with \"</s>\"", "[link]", "see [1]", "x < y", "an array [INST",
		"the tag <pad> pads it", "List: [a, b]", "5 <|", "| a | b |", "<|not a mark|>", "<b>bold</b>", "<br>", "[EOS] is a mark", "done [x]",
		"Now <s>5 EUR</s>", "Now <s>5 EUR</s> 4 EUR <s>3 EUR</s>",
	} {
		response, _, err := stream(t, letters(said, "stop"))
		require.NoError(t, err)
		require.Equal(t, said, response.Text)
	}
}

// Thoughts in the tags of further templates are no part of an answer.
func TestThoughtsInTagsOfManyTemplates(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"<|channel>thought\nHm.<channel|>Yes", "<|channel>thought\nHm.\n<channel|>\n\nYes", "<think>\nHm.\n</think>\n\nYes",
		"<thought>Hm.</thought>Yes", "<|think|>Hm.<|/think|>Yes", "<mm:think>Hm.</mm:think>Yes",
		"<unused94>thought\nHm.<unused95>Yes",
		"<start_of_turn>model\nYes", "<|im_start|>assistant\nYes", "<|assistant|>\nYes", "<bos>Yes", "<|start_header_id|>assistant<|end_header_id|>\n\nYes",
		"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes<|return|>",
	} {
		response, deltas, err := stream(t, letters(said, "stop"))
		require.NoError(t, err)
		require.Equal(t, "Yes", strings.TrimSpace(response.Text), said)
		if strings.Contains(said, "Hm.") {
			require.Equal(t, "Hm.", strings.TrimSpace(response.Reasoning), said)
		}
		var shown strings.Builder
		for _, d := range deltas {
			if d.Restart {
				shown.Reset()
			}
			shown.WriteString(d.Text)
		}
		require.Equal(t, response.Text, shown.String())
	}
}

// Arguments in further wrappings are those that are meant.
func TestArgumentsInManyWrappings(t *testing.T) {
	t.Parallel()
	const arguments = `{"query": "backup {{x}}"}`
	for name, written := range map[string]string{
		"double braces":         `{{"query": "backup {{x}}"}}`,
		"double braces, blanks": "{ {\"query\": \"backup {{x}}\"} }",
		"single backticks":      "`" + arguments + "`",
		"two backticks":         "``" + arguments + "``",
		"a byte order mark":     "\uFEFF" + arguments,
		"a word":                "json\n" + arguments,
		"a word, one line":      "json " + arguments,
		"a word, capitals":      "JSON" + arguments,
		"a word, colon":         "json: " + arguments,
		"a label":               "arguments: " + arguments,
		"a stray comma behind":  arguments + ",",
		"a semicolon behind":    arguments + ";",
		"words behind":          arguments + "\nI will search now.",
		"words and a mark":      arguments + " Done.<|im_end|>",
		"a fence behind":        arguments + "\n```",
		"a fence, words behind": "```json\n" + arguments + "\n```\nThis searches.",
		"encoded, in a fence":   "```json\n" + strconv.Quote(arguments) + "\n```",
		"a fence, encoded":      strconv.Quote("```json\n" + arguments + "\n```"),
		"braces and a fence":    "```\n{" + arguments + "}\n```",
		"quotes around":         "'" + arguments + "'",
		"zero-width":            "\u200b" + arguments + "\u200b",
		"no-break space":        "\u00a0" + arguments,
		"a comment behind":      arguments + " // search",
	} {
		response, _, err := func() (model.Response, []model.Delta, error) {
			client := answering(t, body(200, "text/event-stream", events(
				callDelta(call(`"index":0,"id":"a"`, `"name":"ai_searchDocs","arguments":`+strconv.Quote(written))), finish("tool_calls"), done)))
			r, err := client.Stream(t.Context(), searching, nil)
			return r, nil, err
		}()
		require.NoError(t, err)
		require.Len(t, response.ToolCalls, 1, name)
		require.JSONEq(t, arguments, response.ToolCalls[0].Arguments, name)
	}
	for _, written := range []string{
		`{"query": "a"} {"query": "b"} or so`, `{"query": "a"}, "limit": 5`, `{"query": "a"}, {"limit": 5}`, `query: {"a": 1}`, `{"a": 1} or {`, `{{"a": 1}, {"b": 2}}`,
		`{{a}}`, `{"query": "a"} "b"`, "`a` {\"query\": \"a\"}", `json`, `{"query": "a"} [1]`, `{{"a": 1}`, `city is {"a": 1}`,
	} {
		client := answering(t, body(200, "text/event-stream", events(
			callDelta(call(`"index":0,"id":"a"`, `"name":"ai_searchDocs","arguments":`+strconv.Quote(written))), finish("tool_calls"), done)))
		response, err := client.Stream(t.Context(), searching, nil)
		require.NoError(t, err)
		require.Equal(t, written, response.ToolCalls[0].Arguments)
	}
}
