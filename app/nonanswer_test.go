package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// unanswered is a conversation with a model whose responses come as the protocol has it and do not answer.
type unanswered struct {
	Name    string
	Answers []struct {
		Text, Thoughts, Finish, Round string
		Rounds, Times                 int
		Calls                         []struct{ Tool, Arguments string }
	}
	// Says is a part of the text that the person reads, Fails of the failure.
	Says, Fails string
	// Told is a part of the last message of one of the requests.
	Told string
	// Calls counts the calls that the person sees.
	Calls int
}

// queue makes the provider give the answers in their order, and returns their number.
func (u unanswered) queue(provider *apptest.Provider) int {
	count := 0
	for _, a := range u.Answers {
		for range max(a.Times, 1) {
			var deltas []string
			if a.Thoughts != "" {
				deltas = append(deltas, fmt.Sprintf(`{"reasoning_content":%q}`, a.Thoughts))
			}
			for letter := range strings.SplitSeq(a.Text, "") {
				deltas = append(deltas, apptest.Text(letter))
			}
			for range a.Rounds / 100 {
				deltas = append(deltas, apptest.Text(strings.Repeat(a.Round, 100)))
			}
			count++
			for i, c := range a.Calls {
				deltas = append(deltas, apptest.ToolCall(fmt.Sprintf("call_%d_%d", count, i), c.Tool, c.Arguments))
			}
			provider.Answer(apptest.Events(a.Finish, deltas...))
		}
	}
	return count
}

// A response that answers nothing is corrected at most once, and ends with an answer or with the cause. Nobody reads the
// marks of a call.
func TestResponsesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/answers-without-an-answer.json")
	require.NoError(t, err)
	var all []unanswered
	require.NoError(t, json.Unmarshal(raw, &all))
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	for _, u := range all {
		u.play(t, p, provider)
	}
}

// play lets the administrator ask, and checks what becomes of the responses.
func (u unanswered) play(t *testing.T, p *apptest.Product, provider *apptest.Provider) {
	t.Helper()
	before := len(provider.Requests())
	expected := u.queue(provider)
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Say(t, "Which pages of the documentation are about backups?")
	requests := provider.Requests()[before:]
	require.Len(t, requests, expected, "%s: each attempt is paid for", u.Name)
	shown := turn.Text()
	require.Contains(t, shown, u.Says, u.Name)
	for _, mark := range []string{"<tool", "tool_call>", "court court"} {
		if strings.Contains(u.Says, mark) {
			continue // an example in code
		}
		require.NotContains(t, shown, mark, u.Name)
		for _, m := range chat.Messages(t) {
			require.NotContains(t, apptest.TextOf(m), mark, u.Name)
		}
	}
	require.Len(t, turn.ToolCalls(), u.Calls, u.Name)
	require.Contains(t, lastTexts(requests), u.Told, u.Name)
	if u.Fails == "" {
		require.Nil(t, turn.Metadata.Error, u.Name)
		return
	}
	require.NotNil(t, turn.Metadata.Error, u.Name)
	require.Contains(t, turn.Metadata.Error.Message, u.Fails, u.Name)
	if u.Told == "" && expected > 1 {
		require.Contains(t, lastTexts(requests), "Your last attempt", u.Name)
	}
}

// lastTexts are the texts of the last message of each request, which a correction follows.
func lastTexts(requests []apptest.ModelRequest) string {
	var texts strings.Builder
	for _, r := range requests {
		last := r.Messages[len(r.Messages)-1]
		texts.WriteString(last.Content + "\n" + last.Context + "\n")
	}
	return texts.String()
}
