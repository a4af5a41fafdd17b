package activities_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/workflows"
)

const storedSummary = `SELECT coalesce(summary, '') FROM ai_conversations WHERE id = $1`

// answered prepares and makes the only call of a turn, and ends it.
func (p *process) answered(t *testing.T, conversation uuid.UUID, message string) uuid.UUID {
	t.Helper()
	id := p.begin(t, message, inConversation(conversation))
	p.prepare(t, id)
	p.answers(apptest.Text("Fine."))
	p.call(t, id, 1)
	p.end(t, id, workflows.TurnDone)
	return id
}

// A summary that was cut at its length lacks what comes last, so it is none. It is made once more, of fewer messages and with
// more room.
func TestASummaryThatWasCutIsNotStored(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	losses, conversation := p.losses(), uuid.New()
	p.talk(t, conversation, 16, 1_000)
	p.provider.Tell(apptest.Summary, apptest.Whole(`{"content":"They spoke of questions 0 and"}`, "length", 50, 700))
	id := p.answered(t, conversation, "And now?")
	require.Empty(t, p.text(t, storedSummary, conversation))
	asides := p.provider.Asides()
	require.Len(t, asides, 2)
	require.Greater(t, limitOf(t, asides[1].Raw), limitOf(t, asides[0].Raw))
	require.Less(t, len(asides[1].Raw), len(asides[0].Raw))
	require.Equal(t, 1, losses()[turn.SummaryFailed])
	require.Contains(t, p.notices(t, id)[0], "messages_left_out: ")

	// Notes that no server cuts can be too long as well.
	p.provider.Say(apptest.Summary, strings.Repeat("word ", 4*assistant.SummaryTokens(0)))
	p.answered(t, conversation, "And then?")
	require.Empty(t, p.text(t, storedSummary, conversation))
	require.Equal(t, 2, losses()[turn.SummaryFailed])

	// Shorter ones are a summary, and nothing is missing.
	p.provider.Tell(apptest.Summary, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if strings.Contains(string(raw), "at most 400 words") {
			apptest.Whole(`{"content":"They spoke of questions 0 and"}`, "length", 50, 700)(w, r)
			return
		}
		apptest.Whole(`{"content":"They spoke of the first questions."}`, "stop", 50, 20)(w, r)
	})
	id = p.answered(t, conversation, "And after that?")
	require.Equal(t, "They spoke of the first questions.", p.text(t, storedSummary, conversation))
	require.Equal(t, 2, losses()[turn.SummaryFailed])
	for _, notice := range p.notices(t, id) {
		require.NotContains(t, notice, "summary_")
	}
}

func limitOf(t *testing.T, raw string) int {
	t.Helper()
	var sent limited
	require.NoError(t, json.Unmarshal([]byte(raw), &sent))
	return sent.MaxTokens
}

// A message that is too long for one summary loses its middle, which the person reads in the turn where it happens.
func TestASummaryOfAMessageThatIsTooLongIsSaidToLackAPart(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	later := &detached{}
	p.Detach = later.add
	losses, conversation := p.losses(), uuid.New()
	p.connects(windowOf(40_000))
	p.provider.Say(apptest.Summary, "They spoke of a long message.")
	p.answered(t, conversation, strings.Repeat("abcd ", 12_000))
	p.answered(t, conversation, strings.Repeat("abcd ", 12_000))
	later.run(t.Context())
	require.Empty(t, p.text(t, storedSummary, conversation), "no summary that loses something is made behind an answer")
	id := p.begin(t, strings.Repeat("abcd ", 12_000), inConversation(conversation))
	p.prepare(t, id)
	require.Equal(t, "They spoke of a long message.", p.text(t, storedSummary, conversation))

	// Also when the process that made the summary dies before it has answered.
	heir := p.beside(t)
	heir.connects(windowOf(40_000))
	heir.Lost = p.Lost
	p.answers(apptest.Text("Fine."))
	heir.call(t, id, 1)
	heir.end(t, id, workflows.TurnDone)
	require.Contains(t, p.notices(t, id)[0], "summary_clipped: An earlier message of this chat was too long")
	require.Equal(t, 1, losses()[turn.SummaryClipped])
	id = p.answered(t, conversation, "Fine.")
	require.Empty(t, p.notices(t, id), "it is said once")
}

// A model that is known to think for long has room for its thoughts in small calls too, and one that is not gets it after it
// has thought until the end.
func TestSmallCallsLeaveRoomForThoughts(t *testing.T) {
	t.Parallel()
	const needed = 5_000
	for name, known := range map[string]int{"known": needed, "unknown": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcess(t)
			conversation := uuid.New()
			p.connects(func(c *activities.Connection) {
				c.NoClassifier, c.WindowTokens, c.Figures = false, 32_000, model.Figures{ReasoningTokens: known}
			})
			for kind, says := range map[string]string{
				apptest.Title: "Pumps in the cellar", apptest.Classifier: "OFF_TOPIC", apptest.Summary: "They spoke of pumps.",
			} {
				p.provider.Tell(kind, thinksFirst(needed, says))
			}
			id := p.begin(t, "Please tell me a very long poem about pumps in the cellar and about the sea", inConversation(conversation))
			p.answers(apptest.Text("A poem."))
			p.call(t, id, 1)
			p.end(t, id, workflows.TurnDone)
			require.Contains(t, p.messages(t, id)[1], assistant.OffTopicAnswer)
			calls := len(p.provider.Asides())
			if known > 0 {
				require.Equal(t, 1, calls)
			} else {
				require.Equal(t, 2, calls)
			}

			p.connects(func(c *activities.Connection) { c.Figures = model.Figures{ReasoningTokens: known} })
			named, later := p.named(t)
			later.run(t.Context())
			require.Equal(t, "Pumps in the cellar", p.text(t, `SELECT title FROM ai_conversations WHERE id = $1`, named))

			long := uuid.New()
			p.talk(t, long, 16, 1_000)
			id = p.begin(t, "And now?", inConversation(long))
			p.prepare(t, id)
			require.Equal(t, "They spoke of pumps.", p.text(t, storedSummary, long))
		})
	}
}

// thinksFirst is an answer after so many tokens of thoughts, where the request has room for them.
func thinksFirst(tokens int, says string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var sent limited
		raw, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(raw, &sent)
		if thoughts := `"reasoning_content":"` + strings.Repeat("hm ", 200) + `"`; sent.MaxTokens < tokens {
			apptest.Whole(`{"content":"",`+thoughts+`}`, "length", 50, sent.MaxTokens)(w, r)
		} else {
			apptest.Whole(`{"content":"`+says+`",`+thoughts+`}`, "stop", 50, tokens+20)(w, r)
		}
	}
}
