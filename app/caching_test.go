package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// wire is what a provider's cache looks at: it keeps the tools and the messages from the first on as long as they are the same.
type wire struct {
	Tools    []json.RawMessage `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

func wireOf(t *testing.T, r apptest.ModelRequest) wire {
	t.Helper()
	var w wire
	require.NoError(t, json.Unmarshal([]byte(r.Raw), &w))
	return w
}

// requireGrowth holds that the request is the one before with messages added at its end, byte for byte.
func requireGrowth(t *testing.T, before, after apptest.ModelRequest, of string) {
	t.Helper()
	was, is := wireOf(t, before), wireOf(t, after)
	require.Equal(t, texts(was.Tools), texts(is.Tools), of)
	require.Greater(t, len(is.Messages), len(was.Messages), of)
	require.Equal(t, texts(was.Messages), texts(is.Messages[:len(was.Messages)]), of)
}

func texts(raw []json.RawMessage) []string {
	all := make([]string, len(raw))
	for i, r := range raw {
		all[i] = string(r)
	}
	return all
}

// A provider charges a tenth for what it has seen before, if it stands at the beginning. Six turns with tools, with another time
// zone, a memory that comes and goes, a question, and another process in between: each request is the one before with more behind it.
func TestEachRequestOfAConversationBeginsWithTheOneBefore(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	chat := p.Admin.Conversation(t, nil)
	var saved struct {
		ID string `json:"id"`
	}
	for turn := range 6 {
		m := apptest.Scripted(fmt.Sprintf(`tool=ai.searchDocs input={"query":"proposals %d"} rounds=2 text="answer %d"`, turn, turn))
		switch turn {
		case 1:
			m.TimeZone = "Asia/Tokyo"
			p.Admin.Post(t, "/api/ai/memories", map[string]any{
				"scope": "user", "recallHint": "language", "content": "Answer in German.", "alwaysInject": true,
			}, &saved)
		case 2:
			m = apptest.Scripted(`tool=ai.askOperator input={"question":"Which one?","options":[{"label":"A"},{"label":"B"}]}`)
		case 3:
			m.TimeZone = "America/New_York"
			p.Restart(t)
			chat = chat.As(p.Admin.SignInAgain(t, p))
		case 4:
			p.Admin.SignInAgain(t, p).Call(t, "DELETE", "/api/ai/memories/"+saved.ID, nil)
		}
		require.Equal(t, "done", chat.Send(t, m).Rest(t).Metadata.Status)
	}
	requests := provider.Requests()
	require.GreaterOrEqual(t, len(requests), 14)
	told := false
	for i := range requests[1:] {
		if told && !strings.Contains(requests[i+1].Raw, "Answer in German.") {
			// What the person has deleted is not sent again, so this request begins otherwise.
			told = false
			continue
		}
		told = told || strings.Contains(requests[i+1].Raw, "Answer in German.")
		requireGrowth(t, requests[i], requests[i+1], fmt.Sprintf("request %d", i+2))
	}
	last := requests[len(requests)-1].Raw
	for _, kept := range []string{"Asia/Tokyo", "America/New_York", "taken back since"} {
		require.Contains(t, last, kept)
	}
	require.NotContains(t, last, "Answer in German.")
}

// What the model is told of a decision is told once. Only that, and what came after, is read anew.
func TestTheNoteAboutADecisionComesLast(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	p.Admin.Apply(t, card.ProposalID)
	chat.Decide(t, card.ProposalID, "apply")
	chat.Perform(t, "text=hi")
	requests := provider.Requests()
	requireGrowth(t, requests[0], requests[1], "the turn about the decision")
	note := len(requests[1].Messages) - 1
	before, after := wireOf(t, requests[1]), wireOf(t, requests[2])
	require.Equal(t, texts(before.Messages[:note]), texts(after.Messages[:note]), "the note is not kept; all before it is")
}

// What a provider's cache has served is said with the answer and in the ledger, whichever form the provider says it in.
func TestCachedTokensAreShown(t *testing.T) {
	t.Parallel()
	p, provider := withProvider(t)
	chat := p.Admin.Conversation(t, nil)
	for _, usage := range []string{
		`{"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":900}}`, `{"prompt_tokens":1000,"completion_tokens":10,"prompt_cache_hit_tokens":64}`,
	} {
		provider.Answer(func(w http.ResponseWriter, r *http.Request) {
			apptest.Broken(apptest.Text("Hi."))(w, r)
			_, _ = fmt.Fprintf(
				w,
				"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":%s}\n\ndata: [DONE]\n\n",
				usage,
			)
		})
		require.Equal(t, "done", chat.Perform(t, "text=hi").Metadata.Status)
	}
	messages := chat.Messages(t)
	require.Contains(t, string(messages[1].Metadata), `"cachedTokens":900`)
	require.Contains(t, string(messages[3].Metadata), `"cachedTokens":64`)
	var used struct {
		Spend []struct {
			Cached int64 `json:"cached"`
		} `json:"spend"`
	}
	p.Admin.Get(t, "/api/ai/spend", &used)
	var cached int64
	for _, s := range used.Spend {
		cached += s.Cached
	}
	require.Equal(t, int64(964), cached)
}
