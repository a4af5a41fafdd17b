package activities_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/turn"
	"countersign/model"
	"countersign/workflows"
)

// losses counts what a process counts for its operator.
func (p *process) losses() func() map[turn.NoticeKind]int {
	var mu sync.Mutex
	counts := map[turn.NoticeKind]int{}
	p.Lost = func(kind turn.NoticeKind) {
		mu.Lock()
		defer mu.Unlock()
		counts[kind]++
	}
	return func() map[turn.NoticeKind]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(counts)
	}
}

// notices are those that stay in a turn's message.
func (p *process) notices(t *testing.T, id uuid.UUID) []string {
	t.Helper()
	return p.texts(t, `SELECT (part -> 'data' ->> 'kind') || ': ' || (part -> 'data' ->> 'message')
		FROM ai_messages m, jsonb_array_elements(m.parts) part
		WHERE m.turn_id = $1 AND m.role = 'assistant' AND part ->> 'type' = 'data-notice'`, id)
}

func (p *process) end(t *testing.T, id uuid.UUID, status workflows.TurnStatus) {
	t.Helper()
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: status})
	require.NoError(t, err)
}

// windowOf declares a context window.
func windowOf(tokens int) func(*activities.Connection) {
	return func(c *activities.Connection) { c.WindowTokens = tokens }
}

// Messages that no longer fit and cannot be summarized are missing for the model: the answer says so.
func TestMessagesThatAreInNoSummaryAreSaidToBeMissing(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	p.talk(t, conversation, 20, 1_000)
	losses := p.losses()
	id := p.begin(t, "And now?", inConversation(conversation))
	p.prepare(t, id)
	p.answers(callsOf("shelf_getBox", "a")...)
	p.call(t, id, 1)
	p.use(t, id, 1, 1)
	p.answers(apptest.Text("Fine."))
	p.call(t, id, 2)
	p.end(t, id, workflows.TurnDone)

	requests := p.provider.Requests()
	require.NotContains(t, requests[len(requests)-1].Raw, "question 0 ")
	said := p.notices(t, id)
	require.Len(t, said, 1, "once in a message")
	require.Regexp(t, `^messages_left_out: The model did not read the oldest \d+ messages of this chat and their answers`, said[0])
	require.Equal(t, 1, losses()[turn.MessagesLeftOut])
	require.Equal(t, 1, losses()[turn.SummaryFailed], "it is tried once a turn")

	// Once the provider summarizes again, nothing is missing, and nothing is said.
	p.provider.Say(apptest.Summary, "They spoke of the first questions.")
	next := p.begin(t, "And then?", inConversation(conversation))
	p.prepare(t, next)
	p.answers(apptest.Text("Fine."))
	p.call(t, next, 1)
	p.end(t, next, workflows.TurnDone)
	require.Empty(t, p.notices(t, next))
}

func TestAMessageThatIsTooLongForTheWindowIsSaidToBeCut(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	losses := p.losses()
	p.connects(windowOf(16_000))
	id := p.begin(t, strings.Repeat("word ", 20_000))
	p.answers(apptest.Text("Fine."))
	p.call(t, id, 1)
	p.end(t, id, workflows.TurnDone)
	require.Contains(t, p.notices(t, id)[0], "message_cut: The model did not read all of this message")
	require.Equal(t, map[turn.NoticeKind]int{turn.MessageCut: 1}, losses())
}

// A server that reads less than it is sent gives no error; its count of tokens gives it away.
func TestAServerThatCutsWithoutAnErrorIsSaidTo(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	losses := p.losses()
	var recorded int
	p.connects(func(c *activities.Connection) {
		c.RecordTruncation = func(_ context.Context, _, read int) error { recorded = read; return nil }
	})
	id := p.begin(t, strings.Repeat("word ", 8_000))
	p.provider.Answer(apptest.EventsUsing(2_048, 5, apptest.Text("Fine.")))
	p.call(t, id, 1)
	p.end(t, id, workflows.TurnDone)
	require.Regexp(t, `^truncated_by_server: The model server read only about 2000 of \d+00 tokens`, p.notices(t, id)[0])
	require.Equal(t, map[turn.NoticeKind]int{turn.TruncatedByServer: 1}, losses())
	require.Equal(t, 2_048, recorded)
}

// Some servers leave out tools that may not be called, and count less: that is no cut, and no measure of other requests.
func TestACountOfALastStepMeasuresNothing(t *testing.T) {
	t.Parallel()
	for _, counted := range []int{2_048, 6_000} {
		p := newProcess(t)
		losses := p.losses()
		var shown []model.Figures
		p.connects(func(c *activities.Connection) {
			c.RecordTruncation = func(context.Context, int, int) error { return errors.New("nothing is cut") }
			c.Learn = func(_ context.Context, _ string, seen model.Figures) error {
				shown = append(shown, seen)
				return nil
			}
		})
		id := p.begin(t, strings.Repeat("word ", 8_000))
		p.provider.Answer(apptest.EventsUsing(counted, 5, apptest.Text("Fine.")))
		_, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: 1, Final: true})
		require.NoError(t, err)
		p.end(t, id, workflows.TurnDone)
		require.Empty(t, p.notices(t, id))
		require.Empty(t, losses())
		require.Len(t, shown, 1)
		require.Zero(t, shown[0].TokensPerEstimate)
	}
}

// The first attempt has written half of an answer, and those after it nothing: the half stays, and is said to be one.
func TestAHalfAnswerStaysWhenNoAttemptCompletesIt(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	losses := p.losses()
	id := p.begin(t, "Hello")
	p.provider.Answer(apptest.Broken(apptest.Text("All three systems "), apptest.Text("are")))
	for range 3 {
		p.provider.Answer(apptest.Refuse(http.StatusServiceUnavailable, `{"error":{"message":"overloaded"}}`))
	}
	for attempt := 1; attempt <= 4; attempt++ {
		out, err := p.CallModel(t.Context(), workflows.CallModelInput{TurnID: id, Step: 1, Attempt: attempt})
		require.NoError(t, err)
		require.Equal(t, attempt == 4, out.Retry == nil)
	}
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{
		TurnID: id, Status: workflows.TurnFailed, Failure: &workflows.Failure{Code: "model_failed", Message: "It is overloaded."},
	})
	require.NoError(t, err)
	require.Equal(t, "All three systems are\n\nIt is overloaded.", p.messages(t, id)[1])
	require.Contains(t, p.notices(t, id)[0], "answer_incomplete: ")
	require.Equal(t, map[turn.NoticeKind]int{turn.AnswerIncomplete: 1}, losses())
	require.NotContains(t, p.text(t, `SELECT string_agg(chunk, ' ' ORDER BY seq) FROM turn_events WHERE turn_id = $1`, id), "reset-step")
}

// A turn that grows over the window in its later steps summarizes what its results leave no room for.
func TestAStepThatNeedsTheRoomOfEarlierMessagesSummarizesThem(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	losses := p.losses()
	p.connects(windowOf(16_000))
	conversation := uuid.New()
	p.talk(t, conversation, 11, 1_000)
	p.provider.Say(apptest.Summary, "They spoke of questions 0 to 6.")
	id := p.begin(t, "And now?", inConversation(conversation))
	p.prepare(t, id)
	require.Empty(t, p.provider.Asides(), "there is room yet")
	p.shelf.onLook(func(context.Context, boxInput) (any, error) { return strings.Repeat("shelf ", 4_000), nil })
	p.answers(callsOf("shelf_getPage", "a", "b", "c", "d", "e")...)
	p.call(t, id, 1)
	for call := range 5 {
		p.use(t, id, 1, call+1)
	}
	p.answers(apptest.Text("Fine."))
	p.call(t, id, 2)
	p.end(t, id, workflows.TurnDone)
	requests := p.provider.Requests()
	require.Contains(t, requests[len(requests)-1].Messages[0].Content, "They spoke of questions 0 to 6.")
	require.Empty(t, p.notices(t, id))
	require.Empty(t, losses())
}
