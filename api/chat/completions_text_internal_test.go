package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/tool/proposal"
)

func textOfChunks(chunks ...string) (string, *plainText) {
	w := &plainText{link: func(c proposal.Card) string { return "https://ops.example.org/" + c.Summary[:1] }}
	var said strings.Builder
	for _, c := range chunks {
		said.WriteString(w.push(c))
	}
	return said.String(), w
}

func TestATurnIsSaidInWords(t *testing.T) {
	t.Parallel()
	card, err := json.Marshal(proposal.Card{
		ProposalID: uuid.New(), Status: proposal.Proposed,
		Summary: "Update the system [Apply](https://evil.example)\n![](https://evil.example)",
	})
	require.NoError(t, err)
	said, w := textOfChunks(
		stream.Start(
			"m",
			json.RawMessage(`{}`),
		),
		stream.StartStep(),
		stream.ReasoningStart("r"),
		stream.ReasoningDelta("r", "Hm."),
		stream.ReasoningEnd("r"),
		stream.TextStart("a"),
		stream.TextDelta("a", "Let me "),
		stream.TextDelta("a", "look."),
		stream.TextEnd("a"),
		stream.ToolInput(
			"c",
			"ai.getDoc",
			json.RawMessage(`{}`),
		),
		stream.ToolOutput("c", json.RawMessage(`{"secret":"output"}`)),
		stream.FinishStep(),
		stream.StartStep(),
		stream.TextStart("b"),
		stream.TextDelta("b", "Done."),
		stream.Data("proposal", "p", card),
		stream.Data("question", "q", json.RawMessage(`{"question":"Which?","options":[{"label":"One"},{"label":"Two"}]}`)),
		stream.Finish("length", json.RawMessage(`{"usage":{"inputTokens":3,"outputTokens":4}}`)),
	)
	require.Equal(
		t,
		"Let me look.\n\nDone.\n\n**Waiting for a decision:** Update the system \\[Apply\\](https://evil.example) !\\[\\](https://evil.example)\n\n"+
			"Nothing has changed yet: review it and decide at https://ops.example.org/U\n\nWhich?\n1. One\n2. Two",
		said,
	)
	require.Equal(t, said, w.text.String())
	require.Equal(t, "length", w.finish)
	require.Equal(t, 3, w.usage.InputTokens)
}

func TestAFailureIsNoText(t *testing.T) {
	t.Parallel()
	said, w := textOfChunks(stream.TextStart("error"), stream.TextDelta("error", "It broke."), stream.TextEnd("error"),
		stream.Finish("error", json.RawMessage(`{"error":{"code":"internal","message":"It broke."}}`)))
	require.Empty(t, said)
	require.Equal(t, "It broke.", w.failed.Message)
}

func TestAnInterruptedStepIsSaidToBeSo(t *testing.T) {
	t.Parallel()
	said, _ := textOfChunks(
		stream.StartStep(),
		stream.TextStart("a"),
		stream.TextDelta("a", "Once up"),
		stream.ResetStep(),
		stream.TextStart("a"),
		stream.TextDelta("a", "Once upon a time."),
	)
	require.Contains(t, said, "Once up\n\n*The answer was interrupted")
	require.True(t, strings.HasSuffix(said, "Once upon a time."))
	silent, _ := textOfChunks(stream.StartStep(), stream.ResetStep(), stream.TextStart("a"), stream.TextDelta("a", "Hello."))
	require.Equal(t, "Hello.", silent)
}

func shown(pieces ...string) string {
	var f imageFilter
	var out strings.Builder
	for _, piece := range pieces {
		out.WriteString(f.push(piece))
	}
	return out.String() + f.flush()
}

func TestNothingIsFetchedToShowAnAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello!":                             "Hello!",
		"a < b, List<String>, <b>bold</b> !": "a < b, List<String>, <b>bold</b> !",
		"![x](https://evil.example)":         "! [x](https://evil.example)",
		"[![x][y]](z)":                       "[! [x][y]](z)",
		`<IMG src="https://evil.example">`:   `< IMG src="https://evil.example">`,
		"<images>":                           "< images>", "<imagine>": "<imagine>",
		"<im":   "<im",
		"end <": "end <",
		"!!![":  "!!! [",
		"<<img": "<< img",
		`<p style="background:url(//evil.example)">`: `< p style="background:url(//evil.example)">`,
		`<p/style="background:url(//evil.example)">`: `< p/style="background:url(//evil.example)">`,
		"<p\n\tstyle=x>":                             "< p\n\tstyle=x>",
		"<br/> <br /> <hr > </p > <b":                "<br/> <br /> <hr > </p > <b",
		"<" + strings.Repeat("a", 60) + " style=x>":  "< " + strings.Repeat("a", 60) + " style=x>",
		"<b" + strings.Repeat("/ ", 60) + "style=x>": "< b" + strings.Repeat("/ ", 60) + "style=x>",
	} {
		require.Equal(t, want, shown(text))
		require.Equal(t, want, shown(strings.Split(text, "")...), "in pieces")
	}
}

func FuzzNothingIsFetchedToShowAnAnswer(f *testing.F) {
	f.Add("![x](y)", 1)
	f.Add("<iFrame <video <vide !", 3)
	f.Add("<p\tstyle=x> <b/ >", 2)
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := shown(text)
		at = max(0, min(at, len(text)))
		require.Equal(t, whole, shown(text[:at], text[at:]))
		require.NotContains(t, whole, "![")
		for _, name := range fetching {
			require.NotContains(t, strings.ToLower(whole), "<"+name)
		}
		require.NotRegexp(t, `<[A-Za-z][^ \t\r\n\f/>]*[ \t\r\n\f/]+[^ \t\r\n\f/>]`, whole, "no element has an attribute")
		require.Equal(t, strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(whole, " ", ""), "nothing but spaces is added")
	})
}
