package app_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/chat/assistant"
)

const titleTask = "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### " +
	"Chat History:\n<chat_history>\nUSER: Which systems do we have?\n</chat_history>"

// Requests that chat programs make for their own sake are answered by one small call, of which only the tokens stay.
func TestTasksOfChatProgramsAreNoTurns(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	name := apptest.Header{Name: "X-OpenWebUI-Chat-Id", Value: "owui-1"}
	conversation := program.Post(t, "/v1/chat/completions", streamed(`script: text="One."`), nil,
		name).Header.Get("Countersign-Conversation")
	turns := p.Count(t, `SELECT count(*) FROM ai_turns`)
	user := func(text string) []any { return []any{map[string]any{"role": "user", "content": text}} }
	for _, messages := range [][]any{
		user(titleTask), user("### Task:\nGenerate 1-3 broad tags.\n<chat_history>x</chat_history>"), user("### Task:\nSuggest 3-5 relevant follow-up questions.\n<chat_history>x</chat_history>"),
		user("### Aufgabe:\nErzeuge einen kurzen Titel.\n<chat_history>\nUSER: Hallo\n</chat_history>"), user("Gib dem Gespräch einen Titel.\n\nUser: Hallo\nAI: Guten Tag"),
		{map[string]any{"role": "system", "content": "Please generate a concise, 5-word-or-less title for the conversation.\n\n||>User:\n\"Hi\"\n||>Response:\n\"Hello\""}},
	} {
		for _, headers := range [][]apptest.Header{{name}, nil} {
			provider.Answer(apptest.Whole(`{"content":"Systems ![x](https://evil.example)"}`, "stop", 50, 7))
			answer := program.Post(t, "/v1/chat/completions", map[string]any{
				"model": "countersign", "stream": false,
				"messages": messages, "max_tokens": 1000,
			}, nil, headers...)
			var said struct {
				Object  string
				Choices []struct{ Message struct{ Content string } }
				Usage   struct {
					CompletionTokens int `json:"completion_tokens"`
				}
			}
			require.NoError(t, json.Unmarshal(answer.Body, &said))
			require.Equal(t, "Systems ! [x](https://evil.example)", said.Choices[0].Message.Content)
			require.Equal(t, 7, said.Usage.CompletionTokens)
			requests := provider.Requests()
			last := requests[len(requests)-1]
			require.Empty(t, last.Tools)
			require.Len(t, last.Messages, 2)
			system, _ := assistant.Task("", 0)
			require.Equal(t, system, last.Messages[0].Content)
		}
	}
	require.Equal(t, turns, p.Count(t, `SELECT count(*) FROM ai_turns`))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_conversations`))
	require.Len(t, ada.Known(uuid.MustParse(conversation)).Messages(t), 2)
	require.Equal(
		t,
		12,
		p.Count(
			t,
			`SELECT count(*) FROM ai_spend WHERE purpose = 'task' AND status = 'settled' AND principal_id = $1 AND output_tokens = 7`,
			ada.ID,
		),
	)

	t.Log("a stream, tools of the client or words before it make it a message; who may not chat has none")
	program.Post(t, "/v1/chat/completions", streamed(titleTask+"\nscript: text=\"One.\""), nil)
	require.Equal(t, turns+1, p.Count(t, `SELECT count(*) FROM ai_turns`))
	application := p.Application(t, p.Role(t, "catalog.system.read"))
	body := map[string]any{"model": "countersign", "messages": user(titleTask)}
	require.Equal(t, http.StatusForbidden, application.Call(t, http.MethodPost, "/v1/chat/completions", body).Status)

	t.Log("a cap counts it, and a failure is an error")
	provider.Answer(apptest.Refuse(http.StatusUnauthorized, `{"error":{"message":"wrong key"}}`))
	require.Equal(t, http.StatusBadGateway, program.Call(t, http.MethodPost, "/v1/chat/completions", body).Status)
	limited(t, p, map[string]any{"spendCap": tokens(1)})
	require.Equal(t, http.StatusTooManyRequests, program.Call(t, http.MethodPost, "/v1/chat/completions", body).Status)
}

// The empty answer that some clients put at the end for what comes is no message.
func TestAnEmptyAnswerAtTheEndIsLeftOut(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: apptest.NewProvider(t).Env()})
	ada := p.Person(t)
	program := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	for _, empty := range []any{"", nil, []any{}, []any{map[string]any{"type": "text", "text": " "}}} {
		body := streamed(`script: text="One."`)
		body["stream"] = false
		messages, _ := body["messages"].([]any)
		body["messages"] = append(messages, map[string]any{"role": "assistant", "content": empty})
		require.Contains(t, string(program.Post(t, "/v1/chat/completions", body, nil).Body), "One.")
	}
}
