package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/sashabaranov/go-openai"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

func saidBySystem(text string) openai.ChatCompletionMessage {
	return openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: text}
}

// each returns a history with every message changed.
func each(history []openai.ChatCompletionMessage, change func(m *openai.ChatCompletionMessage)) []openai.ChatCompletionMessage {
	changed := slices.Clone(history)
	for i := range changed {
		change(&changed[i])
	}
	return changed
}

// A client changes its history in many ways. What is known of it leads to the conversation, and what is not known is told as data.
func TestAHistoryThatAClientHasChangedGoesOnInItsConversation(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	const answer = "Größe %d."
	question := func(n int) string { return fmt.Sprintf(`script: text="`+answer+`"`, n) }
	type messages = []openai.ChatCompletionMessage
	elsewhere := answers(asks(nil, "Asked elsewhere"), "Said elsewhere.")
	for name, c := range map[string]struct {
		change func(h messages) messages
		// told are what the model is told as data.
		told []string
	}{
		"instructions in the middle": {change: func(h messages) messages { return slices.Concat(h[:4], messages{saidBySystem("Obey.")}, h[4:]) }},
		"instructions at the end":    {change: func(h messages) messages { return h }},
		"another order":              {change: func(h messages) messages { return slices.Concat(h[2:4], h[:2], h[4:]) }},
		"the middle left out":        {change: func(h messages) messages { return slices.Concat(h[:2], h[8:]) }},
		"from an answer on":          {change: func(h messages) messages { return h[7:] }},
		"questions alone": {change: func(h messages) messages {
			return slices.DeleteFunc(slices.Clone(h), func(m openai.ChatCompletionMessage) bool { return m.Role != openai.ChatMessageRoleUser })
		}},
		"answers that were cut": {change: func(h messages) messages {
			return each(h[4:], func(m *openai.ChatCompletionMessage) {
				if m.Role == openai.ChatMessageRoleAssistant {
					m.Content = "Gr…"
				}
			})
		}},
		"parts and other spaces": {change: func(h messages) messages {
			return each(h, func(m *openai.ChatCompletionMessage) {
				m.MultiContent, m.Content = []openai.ChatMessagePart{{Type: openai.ChatMessagePartTypeText, Text: "\r\n" + m.Content + " "}}, ""
			})
		}},
		"decomposed characters": {change: func(h messages) messages {
			return each(h[9:], func(m *openai.ChatCompletionMessage) { m.Content = strings.ReplaceAll(m.Content, "ö", "o\u0308") })
		}},
		"questions sent twice, empty answers": {change: func(h messages) (changed messages) {
			for _, m := range h {
				if changed = append(changed, m); m.Role == openai.ChatMessageRoleUser {
					changed = append(answers(changed, ""), m)
				}
			}
			return changed
		}},
		"a summary as a message": {
			change: func(h messages) messages {
				return slices.Concat(answers(asks(nil, "Summary: three sizes."), "Understood."), h[6:])
			},
			told: []string{"three sizes", "Understood."},
		},
		"another model before":  {change: func(h messages) messages { return slices.Concat(elsewhere, h) }, told: []string{"Asked elsewhere", "Said elsewhere."}},
		"another model between": {change: func(h messages) messages { return slices.Concat(h[:8], elsewhere, h[8:]) }, told: []string{"Asked elsewhere", "Said elsewhere."}},
		"another model behind":  {change: func(h messages) messages { return slices.Concat(h, elsewhere) }, told: []string{"Asked elsewhere", "Said elsewhere."}},
		"a question asked of another model too": {
			change: func(h messages) messages { return slices.Concat(h[:4], answers(h[4:5], "Said elsewhere."), h[4:]) },
			told:   []string{"Said elsewhere."},
		},
		"the client's own tool between": {
			change: func(h messages) messages {
				call := openai.ChatCompletionMessage{
					Role: openai.ChatMessageRoleAssistant, ToolCalls: []openai.ToolCall{{ID: "c", Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: "x"}}},
				}
				result := openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: "c", Content: "The result is 77."}
				return slices.Concat(h[:8], asks(nil, "Look it up"), messages{call, result}, answers(nil, "It is 77."), h[8:])
			},
			told: []string{"Look it up", "The result is 77.", "It is 77."},
		},
		"a picture between": {
			change: func(h messages) messages {
				picture := openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: "data:image/png;base64,iVBORw0KGgo="}}
				return slices.Concat(h[:8], messages{{Role: openai.ChatMessageRoleUser, MultiContent: []openai.ChatMessagePart{picture}}}, answers(nil, "A red door."), h[8:])
			},
			told: []string{"something else than text", "A red door."},
		},
		"an earlier question edited": {
			change: func(h messages) messages {
				return slices.Concat(h[:4], asks(nil, "The pager is 4711"), h[5:])
			},
			told: []string{"The pager is 4711"},
		},
	} {
		ada := p.Person(t)
		client := goClient(p, newChatToken(t, ada).Token)
		var history messages
		var chat uuid.UUID
		for n := range 5 {
			_, chat = completed(t, client, asks(history, question(n)))
			history = answers(asks(history, question(n)), fmt.Sprintf(answer, n))
		}
		sent := asks(c.change(history), question(5))
		if name == "instructions at the end" {
			sent = append(sent, saidBySystem("Answer in German."))
		}
		reply, same := completed(t, client, sent)
		require.Equal(t, chat, same, name)
		require.Equal(t, fmt.Sprintf(answer, 5), reply.Choices[0].Message.Content, name)
		require.Len(t, ada.Known(chat).Messages(t), 12, name)
		if len(c.told) == 0 {
			require.NotContains(t, told(provider), "<untrusted>", name)
			continue
		}
		data := fencedIn(t, told(provider))
		for _, text := range c.told {
			require.Contains(t, data, text, name)
		}
		require.NotContains(t, data, fmt.Sprintf(answer, 4), name)

		t.Log("it is known when it comes again")
		_, same = completed(t, client, asks(answers(asks(c.change(history), question(5)), fmt.Sprintf(answer, 5)), question(6)))
		require.Equal(t, chat, same, name)
		require.NotContains(t, told(provider), "<untrusted>", name)
	}
}

// What a client has of an answer whose stream it has closed leads to the conversation.
func TestTheBeginningOfAnAnswerThatAClientStoppedIsKnown(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	client := goClient(p, newChatToken(t, p.Person(t)).Token)
	_, chat := completed(t, client, asks(nil, `script: text="One."`))
	history := answers(asks(nil, `script: text="One."`), "One.")
	provider.Pause(apptest.Text("The beginning "))
	stream, err := client.CreateChatCompletionStream(
		t.Context(),
		openai.ChatCompletionRequest{Model: "countersign", Messages: asks(history, "Tell me"), Stream: true},
	)
	require.NoError(t, err)
	got := ""
	for !strings.Contains(got, "beginning") {
		chunk, err := stream.Recv()
		require.NoError(t, err)
		got += chunk.Choices[0].Delta.Content
	}
	require.NoError(t, stream.Close())
	apptest.Eventually(
		t,
		"the turn is stopped",
		func() bool { return p.Count(t, `SELECT count(*) FROM ai_turns WHERE status = 'stopped'`) == 1 },
	)
	_, same := completed(t, client, asks(answers(asks(nil, "Tell me"), got), `script: text="Two."`))
	require.Equal(t, chat, same)
}
