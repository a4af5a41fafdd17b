package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/internal/problem"
)

// system is the system prompt of the last model call of a turn.
func system(t *testing.T, p *apptest.Provider) string {
	t.Helper()
	requests := p.Requests()
	require.NotEmpty(t, requests)
	return requests[len(requests)-1].Messages[0].Content
}

func withProvider(t *testing.T) (*apptest.Product, *apptest.Provider) {
	t.Helper()
	provider := apptest.NewProvider(t)
	return apptest.Start(t, apptest.Options{Env: provider.Env()}), provider
}

// A message about something else is answered by the product, and its answer looks like any other.
func TestAnOffTopicMessageIsAnsweredByTheProduct(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	provider.Say(apptest.Classifier, "OFF_TOPIC")
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Say(t, "Write a poem about the sea and the moon")
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, assistant.OffTopicAnswer, turn.Text())
	require.JSONEq(t, encode(t, turn.Message), encode(t, chat.Last(t)))
	require.Equal(t, 52, p.Count(t, `SELECT sum(tokens) FROM ai_spend WHERE purpose = 'classifier'`))

	provider.Say(apptest.Classifier, "ON_TOPIC")
	require.Equal(t, "hi", chat.Perform(t, "text=hi").Text(), "the conversation goes on")
	requests := provider.Requests()
	require.Contains(t, requests[len(requests)-1].Raw, "I help with operating your systems", "and the model sees what was said")
}

func TestAConversationGetsATitleFromTheModel(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	provider.Say(apptest.Title, "**Owner of Payments.**")
	chat := p.Admin.Conversation(t, nil)
	chat.Say(t, "Please look up who owns the payments system these days")
	apptest.Eventually(t, "the title is stored", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_conversations WHERE title = 'Owner of Payments'`) == 1
	})
}

// "hi" says nothing: the conversation is named after what comes next, by the model too.
func TestAConversationIsNamedAfterTheFirstMessageThatSaysSomething(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	provider.Say(apptest.Title, "Titel: Owner of Payments")
	chat := p.Admin.Conversation(t, nil)
	chat.Say(t, "Hallo")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_conversations WHERE title IS NULL`))
	chat.Say(t, "Please look up who owns the payments system these days")
	apptest.Eventually(t, "the title is stored", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_conversations WHERE title = 'Owner of Payments'`) == 1
	})
	provider.Say(apptest.Title, "Something else")
	chat.Say(t, "And then please tell me who owns the catalog of systems")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_spend WHERE purpose = 'title'`), "it is named once")
}

// What the person wants remembered and the skill they chose reach the model, behind what all turns share.
func TestMemoriesAndTheActiveSkillReachTheModel(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	p.Admin.Post(t, "/api/ai/memories", map[string]any{
		"scope": "user", "recallHint": "language", "content": "Answer in German.", "alwaysInject": true,
	}, nil)
	chat := p.Admin.Conversation(t, nil)
	chat.Send(t, apptest.Message{Text: "script: text=hi", SkillID: "incident-commander"}).Rest(t)
	prompt := system(t, provider)
	require.Contains(t, prompt, "## Active skill: ")
	require.Less(t, strings.Index(prompt, "## Permission mode"), strings.Index(prompt, "## Active skill: "))
	require.Contains(t, provider.Requests()[0].Messages[1].Context, "Answer in German.")

	chat.Perform(t, "text=hi")
	require.NotContains(t, system(t, provider), "## Active skill: ", "a skill is active as long as it is sent")
	require.Equal(t, 1, strings.Count(provider.Requests()[1].Raw, "Answer in German."), "it is told once")
	person := p.Person(t)
	person.Conversation(t, nil).Perform(t, "text=hi")
	require.NotContains(t, provider.Requests()[2].Raw, "Answer in German.", "a memory is its owner's")

	require.Equal(t, problem.NotFound, chat.Refused(t, apptest.Message{Text: "Hello", SkillID: "no-such-skill"}).Problem(t).Code)
}

// A conversation that outgrows the model's window goes on with a summary, also after every process was replaced.
func TestALongConversationGoesOnWithASummary(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	provider.Say(apptest.Summary, "They counted up.")
	var list struct {
		Connections []struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		} `json:"connections"`
	}
	p.Admin.Get(t, "/api/ai/connections", &list)
	for _, c := range list.Connections {
		if c.Kind != "demo" {
			p.Admin.Patch(t, "/api/ai/connections/"+c.ID, map[string]any{"contextWindowTokens": 16_000}, nil)
		}
	}
	chat := p.Admin.Conversation(t, nil)
	for i := range 8 {
		chat.Perform(t, fmt.Sprintf("text=%q", fmt.Sprintf("number %d %s", i, strings.Repeat("x", 4_000))))
	}
	p.Restart(t)
	chat = chat.As(p.Admin.SignInAgain(t, p))
	require.Equal(t, "hi", chat.Perform(t, "text=hi").Text())
	require.Contains(t, system(t, provider), "They counted up.")
	requests := provider.Requests()
	require.NotContains(t, requests[len(requests)-1].Raw, "number 0 ")
	require.Contains(t, requests[len(requests)-1].Raw, "number 7 ")
	require.Len(t, chat.Messages(t), 18, "the person still sees all of it")
}

// The question ends the turn; the person's next message is its answer.
func TestAQuestionIsAnsweredByTheNextMessage(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(
		t,
		`tool=ai.askOperator input={"question":"Which system?","options":[{"label":"Payments"},{"label":"Search"}]} text=never`,
	)
	require.Equal(t, "done", turn.Metadata.Status)
	require.NotContains(t, turn.Text(), "never")
	require.Len(t, provider.Requests(), 1)
	require.Contains(t, encode(t, turn.Message), `"data-question"`)
	require.JSONEq(t, encode(t, turn.Message), encode(t, chat.Last(t)))

	require.Equal(t, "hi", chat.Perform(t, "text=hi").Text())
	require.Contains(t, provider.Requests()[1].Raw, "Which system?")

	// It is a tool of conversations only.
	p.Admin.Refused(
		t,
		problem.Invalid,
		"POST",
		"/api/ai/tools/ai.askOperator/call",
		map[string]any{"input": map[string]any{"question": "Which?", "options": []any{map[string]any{"label": "A"}}}},
	)
}

// The model is chosen from the connection's list again at each call: one that has left it since is never called.
func TestAModelThatHasLeftTheListIsNotCalled(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, `tool=catalog.createSystem input={"name":"A"}`)
	var list struct {
		Connections []struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		} `json:"connections"`
	}
	p.Admin.Get(t, "/api/ai/connections", &list)
	for _, c := range list.Connections {
		if c.Kind != "demo" {
			p.Admin.Patch(t, "/api/ai/connections/"+c.ID, map[string]any{"defaultModel": "another", "availableModels": []string{"another"}}, nil)
		}
	}
	card := turn.Card(t, "proposal")
	p.Admin.Apply(t, card.ProposalID)
	chat.Decide(t, card.ProposalID, "apply")
	requests := provider.Requests()
	require.Equal(t, "another", requests[len(requests)-1].Model)
}
