package model_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// answered is the answer of a model whose text is said, to a client with these options.
func answered(
	t *testing.T,
	said string,
	o model.Options,
	change func(*model.Request),
) (model.Response, string, *model.Error, []model.ModelQuirk) {
	t.Helper()
	var learned []model.ModelQuirk
	o.BaseURL, o.HTTPClient = "http://model/v1", &http.Client{Transport: canned(letters(said, "stop"))}
	o.OnQuirks = func(found []model.ModelQuirk) { learned = append(learned, found...) }
	client := model.New(o)
	request := searching
	if change != nil {
		change(&request)
	}
	var shown strings.Builder
	response, err := client.Stream(t.Context(), request, func(d model.Delta) { shown.WriteString(d.Text) })
	if err == nil {
		return response, shown.String(), nil, learned
	}
	failure, ok := err.(*model.Error) //nolint:errorlint // the client's own
	require.True(t, ok)
	return response, shown.String(), failure, learned
}

func told(r *model.Request) { r.ToldOfTextCalls = true }

// A call in the text is made where the connection says so, or where the model writes it again after it was told not to. It is
// never shown.
func TestCallsInTheTextAreMadeOfWhoWritesThemThere(t *testing.T) {
	t.Parallel()
	for form, call := range written {
		bare := strings.IndexByte("{[", call[0]) >= 0 && !strings.HasPrefix(call, "[TOOL")
		_, shown, failure, learned := answered(t, call, model.Options{}, nil)
		require.NotNil(t, failure, form)
		require.Equal(t, model.ToolCallInText, failure.Reason, form)
		require.NotEmpty(t, failure.CallForm, form)
		require.Contains(t, failure.Message, failure.CallForm)
		require.True(t, failure.Retryable())
		require.Empty(t, shown, form)
		require.Empty(t, learned, form)

		response, shown, failure, learned := answered(t, call, model.Options{}, told)
		require.Empty(t, shown, form)
		if bare {
			require.NotNil(t, failure, form)
			require.Empty(t, learned, form)
		} else {
			require.Nil(t, failure, form)
			require.Len(t, response.ToolCalls, 1, form)
			require.Equal(t, []model.ModelQuirk{{Model: "m-1", Quirk: "text_calls"}}, learned, form)
		}

		for _, change := range []func(*model.Request){nil, told} {
			_, shown, failure, learned = answered(t, call, model.Options{TextCalls: model.TextCallsNotMade}, change)
			require.NotNil(t, failure, form)
			require.Empty(t, shown, form)
			require.Empty(t, learned, form)
			response, _, failure, learned = answered(t, call, model.Options{TextCalls: model.TextCallsMade}, change)
			require.Nil(t, failure, form)
			require.Len(t, response.ToolCalls, 1, form)
			require.Empty(t, learned, form)
		}
	}
}

// What is learned of one model holds for it alone, for the form that it uses.
func TestAModelThatWritesItsCallsIsRemembered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		form   string
		quirk  model.Quirk
		writes []string
		not    []string
	}{
		{"Hermes", "text_calls", []string{"hermes", "kimi", "lfm"}, []string{"llama, json", "llama 4"}},
		{"JSON", "bare_text_calls", []string{"hermes", "llama, json", "llama 4"}, nil},
		{"a code block", "bare_text_calls", []string{"hermes", "llama, json"}, nil},
		{"tool_code", "text_calls", []string{"hermes"}, []string{"llama, json"}},
	} {
		for name, call := range written {
			var learned []model.ModelQuirk
			client := model.New(model.Options{
				BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: canned(letters(call, "stop"))},
				OnQuirks: func(found []model.ModelQuirk) { learned = append(learned, found...) },
			})
			client.NoteTextCalls("m-1", test.form)
			client.NoteTextCalls("m-1", test.form)
			require.Equal(t, []model.ModelQuirk{{Model: "m-1", Quirk: test.quirk}}, learned)
			require.NotEmpty(t, test.quirk.Description())
			_, err := client.Stream(t.Context(), searching, nil)
			if slices.Contains(test.writes, name) {
				require.NoError(t, err, name)
			}
			if slices.Contains(test.not, name) {
				require.Error(t, err, name)
			}
			other := searching
			other.Model = "m-2"
			_, err = client.Stream(t.Context(), other, nil)
			require.Error(t, err, name)
		}
	}
}

// A person can ask for the JSON of a call, code only: the model is asked once, and what it writes again is shown.
func TestACallThatAPersonAskedToSeeIsShown(t *testing.T) {
	t.Parallel()
	const object = `{"name": "ai_searchDocs", "arguments": {"query": "backup"}}`
	for _, said := range []string{
		"```json\n" + object + "\n```", "```\n" + object + "\n```", "```xml\n<tool_call>" + object + "</tool_call>\n```", "`" + object + "`",
		"```python\n[ai_searchDocs(query=\"backup\")]\n```",
	} {
		for _, mode := range []string{"", model.TextCallsNotMade} {
			_, shown, failure, _ := answered(t, said, model.Options{TextCalls: mode}, nil)
			require.NotNil(t, failure, said)
			require.Empty(t, shown)
			response, shown, failure, learned := answered(t, said, model.Options{TextCalls: mode}, told)
			require.Nil(t, failure, said)
			require.Empty(t, response.ToolCalls, said)
			require.Equal(t, said, shown)
			require.Empty(t, learned)
		}
	}
}

// A request that can make no call has its answer read whatever its form, so that nobody sees the marks.
func TestCallsWithoutToolsAreReadInAnyForm(t *testing.T) {
	t.Parallel()
	for form, call := range written {
		for _, change := range []func(*model.Request){
			func(r *model.Request) { r.Tools = nil }, func(r *model.Request) { r.NoCalls = true },
		} {
			response, shown, failure, learned := answered(t, call, model.Options{}, change)
			require.Nil(t, failure, form)
			require.Len(t, response.ToolCalls, 1, form)
			require.Empty(t, shown, form)
			require.NotContains(t, learned, model.ModelQuirk{Model: "m-1", Quirk: "text_calls"}, form)
		}
	}
}

// Marks of templates that an answer is about stay in it.
func TestMarksThatAnAnswerIsAboutAreKept(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"Qwen ends its turns with `<|im_end|>`", "It ends with \"<|im_end|>\"", "Each turn ends with <|im_end|>", "The mark is: <|im_end|>",
		"The mark is:\n<|im_end|>", "Its marks are:\n\n- <|im_start|>\n- <|im_end|>", "Its marks are:\n1. </s>", "> <|im_end|>",
		"It ends with:\n\n    <|im_end|>", "```\n<|im_end|>", "It ends with “<|im_end|>", "It ends with \"<|im_end|>", "It ends with `<|im_end|>",
		"<pre>\n<|im_end|>", "Es endet auf <|im_end|>", "每轮以：<|im_end|>",
	} {
		response, _, failure, _ := answered(t, said, model.Options{}, nil)
		require.Nil(t, failure)
		require.Equal(t, said, response.Text)
	}
	for said, want := range map[string]string{
		"All is well.<|im_end|>": "All is well.", "All is well. <|im_end|>": "All is well.", "All is well<|im_end|>": "All is well",
		"All is well.\n<|im_end|>": "All is well.", "Use `x`<|im_end|>": "Use `x`", "He said \"ok\"<|im_end|>": "He said \"ok\"",
		"- one\n- two<|im_end|>": "- one\n- two", "> quoted\n\nSo it is.<|im_end|>": "> quoted\n\nSo it is.", "好的。<|im_end|>": "好的。",
		"```\nx\n```\n<|im_end|>": "```\nx\n```", "| a |\n|---|\n| 1 | <|im_end|>": "| a |\n|---|\n| 1 |", "**Done** <|im_end|>": "**Done**",
	} {
		response, _, failure, _ := answered(t, said, model.Options{}, nil)
		require.Nil(t, failure)
		require.Equal(t, want, strings.TrimSpace(response.Text), said)
	}
}
