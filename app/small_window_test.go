package app_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/model"
)

// narrow gives the product's connection a small window.
func narrow(t *testing.T, p *apptest.Product, tokens int) {
	t.Helper()
	p.Exec(t, `UPDATE ai_connections SET context_window_tokens = $1`, tokens)
}

// requireWithin makes sure that a request and its answer fit into the window, by the assistant's own estimate.
func requireWithin(t *testing.T, window int, r apptest.ModelRequest) {
	t.Helper()
	var sent struct {
		Messages []struct {
			Content   string `json:"content"`
			ToolCalls []struct {
				Function struct{ Name, Arguments string } `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name, Description string
				Parameters        json.RawMessage
			} `json:"function"`
		} `json:"tools"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.Raw), &sent))
	var estimated model.Request
	for _, m := range sent.Messages {
		message := model.Message{Content: m.Content}
		for _, c := range m.ToolCalls {
			message.ToolCalls = append(message.ToolCalls, model.ToolCall{Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		estimated.Messages = append(estimated.Messages, message)
	}
	for _, f := range sent.Tools {
		estimated.Tools = append(
			estimated.Tools,
			model.Tool{Name: f.Function.Name, Description: f.Function.Description, Parameters: f.Function.Parameters},
		)
	}
	require.LessOrEqual(t, assistant.RequestTokens(estimated)+assistant.ReplyTokens(window), window)
}

func namesOf(r apptest.ModelRequest) []string {
	var names []string
	for _, known := range r.Tools {
		names = append(names, known.Function.Name)
	}
	return names
}

// In a small window a turn reads the documentation, finds the tool that it needs, and ends with a proposal. Every request is
// within the window, nothing that was just read is missing, and the prompt begins alike from step to step.
func TestATurnInASmallWindow(t *testing.T) {
	t.Parallel()
	for _, window := range []int{assistant.LeastWindow, 8_192, 13_000} {
		p, provider := withProvider(t)
		narrow(t, p, window)
		say := func(deltas ...string) { provider.Answer(apptest.Events("tool_calls", deltas...)) }
		say(apptest.ToolCall("a", "ai_searchDocs", `{"query":"environments"}`), apptest.ToolCall("b", "ai_listDocs", `{}`))
		say(apptest.ToolCall("c", "ai_getDoc", `{"slug":"reference/http-api"}`))
		say(
			apptest.ToolCall("d", "ai_getDoc", `{"slug":"concepts/audit-log"}`),
			apptest.ToolCall("e", "ai_getDoc", `{"slug":"operations/limits"}`),
		)
		say(apptest.ToolCall("f", "tools_search", `{"query":"set up a new stage called preprod"}`))
		say(apptest.ToolCall("g", "catalog_createEnvironment", `{"name":"preprod"}`))
		chat := p.Admin.Conversation(t, nil)
		turn := chat.Say(t, "Read how environments work, then set up a new stage called preprod")
		require.Equal(t, "done", turn.Metadata.Status, turn.Text())
		require.Equal(t, "Create the environment preprod", turn.Card(t, "proposal").Summary)

		requests := provider.Requests()
		require.Len(t, requests, 5)
		for i, r := range requests {
			requireWithin(t, window, r)
			require.Equal(t, requests[0].Messages[0], r.Messages[0], "the system prompt stays")
			require.Equal(t, namesOf(requests[0]), namesOf(r)[:len(requests[0].Tools)], "tools are appended")
			require.NotContains(t, r.Messages[len(r.Messages)-1].Content, `"_elided"`, "request %d: what the model has just read stays", i+1)
		}
		require.Contains(t, requests[0].Messages[0].Content, "tools_search")
		require.NotContains(t, namesOf(requests[3]), "catalog_createEnvironment")
		require.Contains(t, namesOf(requests[4]), "catalog_createEnvironment", "what was found is offered")

		// Another process goes on with what the conversation has found.
		p.Restart(t)
		chat = chat.As(p.Admin.SignInAgain(t, p))
		provider.Answer(apptest.Events("stop", apptest.Text("Fine.")))
		require.Equal(t, "Fine.", chat.Say(t, "Thank you for that").Text())
		last := provider.Requests()[5]
		requireWithin(t, window, last)
		require.Equal(t, namesOf(requests[4]), namesOf(last))
	}
}

// A person who may not use a tool does not find it, also not one that is switched off.
func TestWhatMayNotBeCalledIsNotFound(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	narrow(t, p, 8_192)
	finds := func(who *apptest.Client) bool {
		before := len(provider.Requests())
		provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("a", "tools_search", `{"query":"get rid of an environment"}`)))
		provider.Answer(apptest.Events("stop", apptest.Text("Done.")))
		require.Equal(t, "Done.", who.Conversation(t, nil).Say(t, "Get rid of the QA stage").Text())
		requests := provider.Requests()[before:]
		require.Len(t, requests, 2)
		require.Equal(
			t,
			strings.Contains(requests[1].Messages[len(requests[1].Messages)-1].Content, "catalog_deleteEnvironment"),
			slices.Contains(namesOf(requests[1]), "catalog_deleteEnvironment"),
		)
		return slices.Contains(namesOf(requests[1]), "catalog_deleteEnvironment")
	}
	require.True(t, finds(p.Admin))
	require.False(t, finds(p.Person(t)))
}

// A window that nothing can be done in is said to be one, and no model is called.
func TestAWindowThatIsTooSmallEndsTheTurnWithWords(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	narrow(t, p, 2_048)
	turn := p.Admin.Conversation(t, nil).Say(t, "Which systems are there? "+uuid.NewString())
	require.Equal(t, "failed", turn.Metadata.Status)
	require.True(t, strings.HasPrefix(turn.Text(), "A context window of 2048 tokens is too small"), turn.Text())
	require.Empty(t, provider.Requests())
}
