package app_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/model/demo"
)

// What the assistant did in one turn it knows in the next: its calls with their results, as the provider gave and got them.
func TestTheModelRemembersWhatItDid(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	first := apptest.Scripted(`tool=ai.searchDocs input={"query":"approve"} calls=2 r1.text="Let me look." text="Found it." reasoning=5`)
	chat.Send(t, first).Rest(t)
	chat.Send(t, apptest.Message{Text: "script: text=yes", Model: demo.Scripted}).Rest(t)

	requests := provider.Requests()
	require.Len(t, requests, 3)
	for _, r := range requests {
		require.Equal(t, "Bearer "+apptest.ProviderKey, r.Authorization)
		require.Equal(t, "system", r.Messages[0].Role)
		require.Contains(t, r.Messages[0].Content, "You are Countersign")
		require.NotEmpty(t, r.Tools)
	}
	middle, last := requests[1].Messages[1:], requests[2].Messages[1:]
	require.Equal(t, []string{"user", "assistant", "tool", "tool", "assistant", "user"}, roles(last))
	require.Equal(t, middle, last[:4], "in the next turn as it was within this one")
	require.Equal(t, first.Text, last[0].Content)
	require.Equal(t, "Let me look.", last[1].Content, "without the reasoning")
	require.Len(t, last[1].ToolCalls, 2)
	for i, call := range last[1].ToolCalls {
		require.Equal(t, "ai_searchDocs", call.Function.Name)
		require.JSONEq(t, `{"query":"approve"}`, call.Function.Arguments)
		require.Equal(t, call.ID, last[2+i].ToolCallID)
		require.True(t, json.Valid([]byte(last[2+i].Content)))
	}
	require.Equal(t, "Found it.", last[4].Content)
}

func roles(messages []apptest.ModelMessage) []string {
	all := make([]string, len(messages))
	for i, m := range messages {
		all[i] = m.Role
	}
	return all
}

// A turn that was stopped or failed is part of the conversation, too; a provider must be able to read it.
func TestTheModelRemembersWhatWentWrong(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	chat.Perform(t, "fault=invalid_key")
	chat.Perform(t, `tool=ai.listDocs r1.text="Let me look." fault=content_filter@2`)
	stream := chat.Send(t, apptest.Scripted("tokens=5000 delay_token=10ms"))
	stream.UntilType(t, "text-delta")
	chat.Stop(t)
	stream.Rest(t)
	chat.Perform(t, "text=hi")

	requests := provider.Requests()
	last := requests[len(requests)-1].Messages[1:]
	calls := map[string]bool{}
	for _, m := range last {
		require.True(t, m.Content != "" || len(m.ToolCalls) > 0, "providers refuse empty messages")
		for _, c := range m.ToolCalls {
			calls[c.ID] = true
		}
		if m.Role == "tool" {
			require.True(t, calls[m.ToolCallID])
			delete(calls, m.ToolCallID)
		}
	}
	require.Empty(t, calls, "every call has its result")
	require.Equal(t, 4, len(last)-len(slicesWithout(roles(last), "user")), "each message of the person")
}

func slicesWithout(all []string, one string) []string {
	var rest []string
	for _, s := range all {
		if s != one {
			rest = append(rest, s)
		}
	}
	return rest
}

// The model is told of a decision in words that the server makes; they are not part of the conversation that is kept.
func TestTheModelIsToldOfADecisionOnce(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, `tool=catalog.createSystem input={"name":"Payments API"}`).Card(t, "proposal")
	p.Admin.Apply(t, card.ProposalID)
	chat.Decide(t, card.ProposalID, "apply")
	chat.Perform(t, "text=hi")

	requests := provider.Requests()
	require.Len(t, requests, 3)
	note := requests[1].Messages[len(requests[1].Messages)-1]
	require.Equal(t, "user", note.Role)
	require.Equal(t, "[decision] The person applied the proposal and the change is live. Proposal (catalog.createSystem):\n"+
		"<data>\nCreate the system Payments API\n</data>\nAcknowledge this in one or two sentences and stop; do not propose it again.", note.Content)
	require.NotContains(t, requests[2].Raw, "[decision]")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_messages WHERE ai_messages::text LIKE '%[decision]%'`))
}

// Models write the arguments of tool calls as they like, over several lines for example.
func TestArgumentsOverSeveralLinesStream(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	const arguments = "{\n  \"query\": \"approve\",\r\n  \"limit\": 2\n}\n"
	provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("c1", "ai_searchDocs", arguments)))
	turn := chat.Perform(t, "text=Done. rounds=0")
	finished(t, chat, turn)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Len(t, turn.ToolCalls(), 1)
	require.JSONEq(t, `{"query":"approve","limit":2}`, string(turn.ToolCalls()[0].Input))
}

// NUL and lone surrogates are JSON that the database cannot hold. They must not keep a turn from ending.
func TestCharactersThatCannotBeStoredDoNoHarm(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	for _, bad := range []string{`\u0000`, `\ud800`, `\\u0000`} {
		arguments := encode(t, `{"query":"x`+bad+`y"}`)
		provider.Answer(apptest.Events("tool_calls", `{"content":"a`+bad+`b"}`,
			`{"tool_calls":[{"index":0,"id":"c`+bad+`1","type":"function","function":{"name":"ai_searchDocs`+bad+`","arguments":`+arguments+`}}]}`,
			`{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"ai_searchDocs","arguments":`+arguments+`}}]}`))
		turn := chat.Send(t, apptest.Message{Text: "script: text=Done. \x00 \xff", Model: demo.Scripted}).Rest(t)
		finished(t, chat, turn)
		require.Equal(t, "done", turn.Metadata.Status, bad)
		require.Len(t, turn.ToolCalls(), 2)
	}
}
