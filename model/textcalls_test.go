package model_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
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
		"It says:\n\n- > " + written + "\n",
		"Write `` " + written + " `` as it is.", "Write `` a ` " + written + " `` as it is.",
		"It says:\n````md\n```xml\n" + written + "\n```\n````\nand no more.",
		"It says:\n```xml\n`" + written + "\n```\nand no more.",
		`{"name": "ai_listDocs", "arguments": {}}` + "\n\nis how " + written + " says it: \"" + written + "\".",
		"It says:\n\n    " + written + "\n", "It says:\n\n\t" + written + "\n\n    " + written + "\n\nand no more.",
		"    first\n    " + written + "\n", "1. It says:\n\n       " + written + "\n",
		"<pre>" + written + "</pre>", "It says: <pre class=\"x\">\n" + written + "\n</pre> and no more.", "<PRE><code>\n" + written + "</code></PRE>",
		"<blockquote>\n" + written + "\n</blockquote>",
		"It says ` please write\n" + written + "\nnow ` and no more.", "It says `` please\nwrite " + written + "`` there.",
		"It says “please write\n" + written + "\nnow”.", "La page dit « bonjour\n" + written + " ».",
		"It says:\n1. > " + written + "\n", "It says:\n- a\n  2) > > " + written + "\n",
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
		"It is `` a ` b ``. " + written, "````md\n```\nhello\n```\n````\n" + written, "```\nhello\n````\n" + written, "a `b\n" + written, "- a > b: " + written,
		"It is code:\n\n    x = 1\n\nNow:\n" + written, "Item:\n- a\n    " + written, "<pre>x</pre> " + written, "<code>a</code>\n\n" + written,
		"It says ` please\nwrite ` there. " + written, "It says “please\nwrite” there.\n" + written, "a `b\n\n" + written + "\n\nc` d",
		"a “b\n\n" + written + "\n\nc” d", "It says ` please\n" + written + "\n\n` and more.",
	} {
		response, _, err := stream(t, events(delta(`"content":`+strconv.Quote(said)), finish("stop"), done))
		require.NoError(t, err)
		require.Len(t, response.ToolCalls, 1, said)
	}
}

// written are calls of one tool in the forms of many templates.
var written = map[string]string{
	"hermes":          "<tool_call>\n{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}\n</tool_call>",
	"hermes, open":    "<tool_call>\n{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}",
	"hermes, text":    "<tool_call>{\"name\": \"ai_searchDocs\", \"arguments\": \"{\\\"query\\\": \\\"backup\\\"}\"}</tool_call>",
	"qwen":            "<tool_call>\n<function=ai_searchDocs>\n<parameter=query>\nbackup\n</parameter>\n</function>\n</tool_call>",
	"qwen, bare":      "<function=ai_searchDocs>\n<parameter=query>\nbackup\n</parameter>\n</function>",
	"llama":           "<function=ai_searchDocs>{\"query\": \"backup\"}</function>",
	"llama, json":     "{\"name\": \"ai_searchDocs\", \"parameters\": {\"query\": \"backup\"}}",
	"llama, type":     "{\"type\": \"function\", \"name\": \"ai_searchDocs\", \"parameters\": {\"query\": \"backup\"}}",
	"llama, tag":      "<|python_tag|>{\"name\": \"ai_searchDocs\", \"parameters\": {\"query\": \"backup\"}}<|eom_id|>",
	"llama 4":         "[ai_searchDocs(query=\"backup\")]",
	"mistral":         "[TOOL_CALLS][{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}]",
	"mistral, new":    "[TOOL_CALLS]ai_searchDocs[ARGS]{\"query\": \"backup\"}",
	"mistral, id":     "[TOOL_CALLS]ai_searchDocs[CALL_ID]a1B2c3D4e[ARGS]{\"query\": \"backup\"}",
	"deepseek":        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ai_searchDocs\n```json\n{\"query\": \"backup\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	"deepseek 3.1":    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ai_searchDocs<｜tool▁sep｜>{\"query\": \"backup\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
	"dsml":            "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"ai_searchDocs\">\n<｜DSML｜parameter name=\"query\" string=\"true\">backup</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
	"invoke":          "<function_calls>\n<invoke name=\"ai_searchDocs\">\n<parameter name=\"query\">backup</parameter>\n</invoke>\n</function_calls>",
	"minimax":         "<minimax:tool_call>\n<invoke name=\"ai_searchDocs\">\n<parameter name=\"query\">backup</parameter>\n</invoke>\n</minimax:tool_call>",
	"kimi":            "<|tool_calls_section_begin|><|tool_call_begin|>functions.ai_searchDocs:0<|tool_call_argument_begin|>{\"query\": \"backup\"}<|tool_call_end|><|tool_calls_section_end|>",
	"glm":             "<tool_call>ai_searchDocs\n<arg_key>query</arg_key>\n<arg_value>backup</arg_value>\n</tool_call>",
	"lfm":             "<|tool_call_start|>[ai_searchDocs(query=\"backup\")]<|tool_call_end|>",
	"harmony":         "<|channel|>commentary to=functions.ai_searchDocs <|constrain|>json<|message|>{\"query\": \"backup\"}<|call|>",
	"hermes, bracket": "<tool_call>\n{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}}\n</tool_call>",
	"llama, python":   "<|python_tag|>ai_searchDocs.call(query=\"backup\")",
	"olmo":            "<function_calls>\nai_searchDocs(query=\"backup\")\n</function_calls>",
	"granite":         "<|tool_call|>[{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}]",
	"functionary":     "<function_call>{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}</function_call>",
	"glaive":          "<functioncall>{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}</functioncall>",
	"apertus":         "<|tools_prefix|>[{\"ai_searchDocs\": {\"query\": \"backup\"}}]<|tools_suffix|>",
	"step":            "<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"ai_searchDocs\"><steptml:parameter name=\"query\">backup</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>",
	"seed":            "<seed:tool_call>\n<function=ai_searchDocs>\n<parameter=query>backup</parameter>\n</function>\n</seed:tool_call>",
	"nemotron":        "<TOOLCALL>[{\"name\": \"ai_searchDocs\", \"arguments\": {\"query\": \"backup\"}}]</TOOLCALL>",
	"command r":       "<|START_ACTION|>[{\"tool_call_id\": \"0\", \"tool_name\": \"ai_searchDocs\", \"parameters\": {\"query\": \"backup\"}}]<|END_ACTION|>",
	"internlm":        "<|action_start|><|plugin|>\n{\"name\": \"ai_searchDocs\", \"parameters\": {\"query\": \"backup\"}}<|action_end|>",
	"harmony, start":  "<|start|>assistant<|channel|>commentary to=functions.ai_searchDocs<|message|>{\"query\": \"backup\"}<|call|>",
}

var searching = model.Request{
	Model: "m-1", Messages: hello.Messages,
	Tools: []model.Tool{{Name: "ai_searchDocs", Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}}}`)}},
}

// letters is an answer that comes letter by letter and ends as given.
func letters(said, end string) string {
	var payloads []string
	for _, r := range said {
		letter, _ := json.Marshal(string(r))
		payloads = append(payloads, delta(`"content":`+string(letter)))
	}
	if end == "" {
		return events(payloads...)
	}
	return events(append(payloads, finish(end), done)...)
}

// made is a client of a connection that makes calls in text, with an answer.
func made(t *testing.T, wire string) *model.Client {
	t.Helper()
	return model.New(
		model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: canned(wire)}, TextCalls: model.TextCallsMade},
	)
}

// However a call is written, it is made, and nobody reads its marks.
func TestWrittenCallsAreMade(t *testing.T) {
	t.Parallel()
	for form, call := range written {
		for _, before := range []string{"", "I will look.\n"} {
			if before != "" && strings.IndexByte("{[", call[0]) >= 0 && !strings.HasPrefix(call, "[TOOL") {
				continue // JSON and Python behind words are an example
			}
			t.Run(form+before, func(t *testing.T) {
				t.Parallel()
				client := made(t, letters(before+call, "stop"))
				var shown strings.Builder
				response, err := client.Stream(t.Context(), searching, func(d model.Delta) { shown.WriteString(d.Text) })
				require.NoError(t, err)
				require.Len(t, response.ToolCalls, 1)
				require.Equal(t, "ai_searchDocs", response.ToolCalls[0].Name)
				require.JSONEq(t, `{"query":"backup"}`, response.ToolCalls[0].Arguments)
				require.Equal(t, strings.TrimSpace(before), strings.TrimSpace(shown.String()))
				require.Equal(t, model.FinishToolCalls, response.FinishReason)
			})
		}
	}
}

// Marks of templates behind an answer are no part of it.
func TestMarksBehindAnAnswerAreLeftOut(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{
		"<|im_end|>", "<|eot_id|>", "<|eot|>", "</s>", "<end_of_turn>", "<|end_of_turn|>", "<eos>", "<|user|>", "<|observation|>",
		"<|im_end|>\n<|im_start|>", "<|im_end|>\n<|im_start|>assistant", "<|im_start|>",
	} {
		client := answering(t, body(200, "text/event-stream", letters("All is well."+mark, "stop")))
		var shown strings.Builder
		response, err := client.Stream(t.Context(), searching, func(d model.Delta) { shown.WriteString(d.Text) })
		require.NoError(t, err)
		require.Equal(t, "All is well.", strings.TrimSpace(response.Text), mark)
		require.Equal(t, response.Text, shown.String())
	}
}

// A call that ends in its middle is not shown, wherever it ends.
func TestCutCallsAreNotShown(t *testing.T) {
	t.Parallel()
	for form, call := range written {
		if call[0] == '{' || strings.HasPrefix(call, "[ai") {
			continue // has no marks
		}
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			for at := range call {
				if at < 3 {
					continue
				}
				for _, end := range []string{"stop", "length", ""} {
					client := model.New(
						model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: canned(letters("So it is.\n"+call[:at], end))}},
					)
					var shown strings.Builder
					_, _ = client.Stream(t.Context(), searching, func(d model.Delta) { shown.WriteString(d.Text) })
					require.Equal(t, "So it is.", strings.TrimSpace(shown.String()), "%q %s", call[:at], end)
				}
			}
		})
	}
}

// Whatever a model writes, its calls are of offered tools with arguments that can be stored, and how the text was cut
// into events changes nothing.
func FuzzWrittenCalls(f *testing.F) {
	for _, call := range written {
		f.Add("I will look.\n" + call)
		f.Add(call + call + "\nThat is all.")
	}
	f.Add("`<tool_call>` \"<function=\" “[TOOL_CALLS]” > <invoke name=\n~~~\n<|channel|>\n~~~\n</s><|im_end|>")
	f.Add("analysisThe person greets.assistantfinalHello")
	f.Fuzz(func(t *testing.T, said string) {
		said = strings.ReplaceAll(strings.ToValidUTF8(said, ""), "\x00", "")
		quoted, err := json.Marshal(said)
		require.NoError(t, err)
		read := func(wire string) (model.Response, error) {
			client := model.New(
				model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: canned(wire)}, TextCalls: model.TextCallsMade},
			)
			var shown strings.Builder
			response, err := client.Stream(t.Context(), searching, func(d model.Delta) {
				if d.Restart {
					shown.Reset()
				}
				shown.WriteString(d.Text)
			})
			require.Equal(t, response.Text, shown.String())
			return response, err
		}
		whole, wholeErr := read(events(delta(`"content":`+string(quoted)), finish("stop"), done))
		cut, cutErr := read(letters(said, "stop"))
		require.Equal(t, wholeErr == nil, cutErr == nil)
		require.Equal(t, whole.Text, cut.Text)
		require.Len(t, cut.ToolCalls, len(whole.ToolCalls))
		for i, c := range whole.ToolCalls {
			require.Equal(t, "ai_searchDocs", model.PlainName(c.Name))
			require.True(t, json.Valid([]byte(c.Arguments)), c.Arguments)
			require.Equal(t, c.Arguments, cut.ToolCalls[i].Arguments)
		}
	})
}
