package activities_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/store"
	"countersign/workflows"
)

// What a model thought goes back with the next step and with the next turn, the same each time. It is no part of the answer.
func TestThoughtsGoBackWithTheNextStepAndTheNextTurn(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	in := inConversation(store.NewID())
	id := p.begin(t, "Hello", in)
	p.answers(append([]string{`{"reasoning_content":"I look "}`, `{"reasoning_content":"first."}`}, callsOf("shelf_getBox", "a")...)...)
	p.call(t, id, 1)
	p.use(t, id, 1, 1)
	p.answers(`{"reasoning_content":"Now I know."}`, apptest.Text("It is red."))
	p.call(t, id, 2)
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	require.NoError(t, err)
	require.Equal(t, []string{"Hello", "It is red."}, p.messages(t, id), "thoughts are not said")

	next := p.begin(t, "Thanks", in)
	p.answers(apptest.Text("You are welcome."))
	p.call(t, next, 1)
	sent := p.sent()
	require.Len(t, sent, 3)
	require.Contains(t, sent[1], `"reasoning_content":"I look first."`)
	require.Contains(t, sent[2], `"reasoning_content":"I look first."`)
	require.Contains(t, sent[2], `"reasoning_content":"Now I know."`)
	require.Contains(t, sent[2], assistantOf(t, sent[1]), "the same bytes as in the turn itself")
}

// Credentials are taken out of thoughts as of answers, before anything is stored. What was signed with one in it is dropped, and
// so is what came with a call that had one.
func TestThoughtsAreScrubbed(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	key := "sk-" + strings.Repeat("a1B2", 8)
	p.answers(
		`{"thinking_blocks":[{"type":"thinking","thinking":"The key is `+key+`.","signature":"one"},{"type":"thinking","thinking":"I use it.","signature":"two"}]}`,
		`{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"shelf_getBox<|channel|>commentary","arguments":"{\"name\":\"`+key+`\"}"},"extra_content":{"google":{"thought_signature":"three"}}}]}`,
	)
	p.call(t, id, 1)
	record := p.text(t, `SELECT result::text FROM turn_steps WHERE turn_id = $1 AND call = 0`, id)
	require.NotContains(t, record, key)
	require.NotContains(t, record, `\"one\"`)
	require.Contains(t, record, `\"two\"`)
	require.NotContains(t, record, "three")
	require.NotContains(t, record, "channel", "a name that nobody takes back is not stored as it came")
	require.Contains(t, record, `"wireName": "shelf_getBox"`)
}

// The last step keeps its tools and forbids calls: gateways refuse a history with calls when the tools are gone.
func TestTheLastStepForbidsCalls(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	p.answers(callsOf("shelf_getBox", "a")...)
	p.call(t, id, 1)
	p.use(t, id, 1, 1)
	p.answers(apptest.Text("It is red."))
	_, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 2, Attempt: 1, Final: true})
	require.NoError(t, err)
	sent := p.sent()
	require.NotContains(t, sent[0], "tool_choice")
	require.Contains(t, sent[1], `"tool_choice":"none"`)
	var first, last struct{ Tools json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(sent[0]), &first))
	require.NoError(t, json.Unmarshal([]byte(sent[1]), &last))
	require.Equal(t, string(first.Tools), string(last.Tools))
}

// sent are the bodies that the provider was sent.
func (p *process) sent() []string {
	var bodies []string
	for _, r := range p.provider.Requests() {
		bodies = append(bodies, r.Raw)
	}
	return bodies
}

// assistantOf is the assistant's message of a request, as it was sent.
func assistantOf(t *testing.T, body string) string {
	t.Helper()
	var request struct{ Messages []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(body), &request))
	for _, m := range request.Messages {
		if strings.HasPrefix(string(m), `{"role":"assistant"`) {
			return string(m)
		}
	}
	t.Fatal("no answer was sent")
	return ""
}
