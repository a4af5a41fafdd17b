package activities_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/app/apptest"
	"countersign/chat/assistant"
	"countersign/chat/turn"
	"countersign/internal/problem"
	"countersign/workflows"
)

func classifying(c *activities.Connection) { c.NoClassifier = false }

func (p *process) prepare(t *testing.T, id uuid.UUID) {
	t.Helper()
	out, err := p.PrepareTurn(t.Context(), workflows.PrepareTurnInput{TurnID: id})
	require.NoError(t, err)
	require.Equal(t, workflows.PrepareTurnOutput{}, out)
}

func TestAnAnsweredTurnIsNotClassifiedAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(classifying)
	id := p.begin(t, "Who owns the payments system now?")
	p.answers(callsOf("shelf_getBox", "a")...)
	p.prepare(t, id)
	p.call(t, id, 1)
	other := p.beside(t)
	other.connects(classifying)
	p.provider.Say(apptest.Classifier, "OFF_TOPIC")
	other.prepare(t, id)
	require.Len(t, other.call(t, id, 1).Calls, 1)
	require.Len(t, p.provider.Asides(), 1)
}

// Whatever is wrong with the classifier, the person gets an answer.
func TestTheClassifierFailsToThePersonsSide(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.connects(classifying)
	for _, verdict := range []string{"", "maybe", "ON_TOPIC"} {
		p.provider.Say(apptest.Classifier, verdict)
		id := p.begin(t, "Write a poem about the sea")
		p.answers(apptest.Text("Hi."))
		p.prepare(t, id)
		p.call(t, id, 1)
		_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
		require.NoError(t, err)
		require.Equal(t, "Hi.", p.messages(t, id)[1], verdict)
	}
}

func TestAConnectionCanLeaveTheClassifierOut(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.provider.Say(apptest.Classifier, "OFF_TOPIC")
	id := p.begin(t, "Write a poem about the sea")
	p.prepare(t, id)
	require.Empty(t, p.provider.Asides())
}

// detached runs what was detached when the test says so.
type detached struct {
	mu   sync.Mutex
	work []func(context.Context)
}

func (d *detached) add(work func(context.Context)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work = append(d.work, work)
}

func (d *detached) run(ctx context.Context) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, work := range d.work {
		work(ctx)
	}
	d.work = nil
}

const longMessage = "Please look up who owns the payments system these days"

func (p *process) named(t *testing.T, tune ...func(*turn.Settings)) (conversation uuid.UUID, later *detached) {
	t.Helper()
	later = &detached{}
	p.Detach = later.add
	conversation = uuid.New()
	id := p.begin(t, longMessage, append(tune, inConversation(conversation))...)
	p.exec(t, `UPDATE ai_conversations SET title = $1 WHERE id = $2`, assistant.HeuristicTitle(longMessage), conversation)
	p.prepare(t, id)
	return conversation, later
}

func TestANewConversationIsNamedByTheModel(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.provider.Say(apptest.Title, `"Owner of Payments."`)
	conversation, later := p.named(t)
	require.Empty(t, p.provider.Asides(), "a name delays nothing")
	later.run(t.Context())
	require.Equal(t, "Owner of Payments", p.text(t, `SELECT title FROM ai_conversations WHERE id = $1`, conversation))
}

func TestAnUnusableNameLeavesTheFirstWords(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	for _, said := range []string{"", `""`} {
		p.provider.Say(apptest.Title, said)
		conversation, later := p.named(t)
		later.run(t.Context())
		require.Equal(t, assistant.HeuristicTitle(longMessage), p.text(t, `SELECT title FROM ai_conversations WHERE id = $1`, conversation))
	}
}

func TestAPersonsOwnNameIsKept(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.provider.Say(apptest.Title, "Owner of Payments")
	conversation, later := p.named(t)
	p.exec(t, `UPDATE ai_conversations SET title = 'Mine' WHERE id = $1`, conversation)
	later.run(t.Context())
	require.Equal(t, "Mine", p.text(t, `SELECT title FROM ai_conversations WHERE id = $1`, conversation))
}

// talk adds exchanges to a conversation, each of about so many tokens.
func (p *process) talk(t *testing.T, conversation uuid.UUID, exchanges, tokens int) {
	t.Helper()
	for i := range exchanges {
		id := p.begin(t, fmt.Sprintf("question %d %s", i, strings.Repeat("abc ", tokens/2)), inConversation(conversation))
		p.answers(apptest.Text(fmt.Sprintf("answer %d %s", i, strings.Repeat("abc ", tokens/2))))
		p.call(t, id, 1)
		_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
		require.NoError(t, err)
	}
}

// A conversation that no longer fits goes on with a summary of its beginning, on any process and after any restart.
func TestALongConversationIsCompacted(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.provider.Say(apptest.Summary, "They spoke of questions 0 to 6.")
	conversation := uuid.New()
	p.talk(t, conversation, 16, 1_000)
	id := p.begin(t, "And now?", inConversation(conversation))
	p.prepare(t, id)
	require.NotEmpty(t, p.provider.Asides())
	require.Equal(t, "They spoke of questions 0 to 6.", p.text(t, `SELECT summary FROM ai_conversations WHERE id = $1`, conversation))

	other := p.beside(t)
	p.answers(apptest.Text("Fine."))
	other.prepare(t, id)
	other.call(t, id, 1)
	requests := p.provider.Requests()
	sent := requests[len(requests)-1]
	require.Contains(t, sent.Messages[0].Content, "They spoke of questions 0 to 6.")
	require.Equal(t, "user", sent.Messages[1].Role)
	require.NotContains(t, sent.Raw, "question 0 ")
	require.Contains(t, sent.Raw, "question 15 ")
	require.Contains(t, sent.Messages[len(sent.Messages)-1].Content, "And now?")
}

// The summary is made once an answer is written, and the next one does not wait for it.
func TestALongConversationIsCompactedBehindAnAnswer(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	later := &detached{}
	p.Detach = later.add
	p.provider.Say(apptest.Summary, "They spoke of the first questions.")
	conversation := uuid.New()
	talks := 0
	for ; len(p.provider.Asides()) == 0; talks++ {
		p.talk(t, conversation, 1, 1_000)
		require.Empty(t, p.provider.Asides(), "no answer waits")
		later.run(t.Context())
	}
	require.Equal(t, "They spoke of the first questions.", p.text(t, `SELECT summary FROM ai_conversations WHERE id = $1`, conversation))

	made := len(p.provider.Asides())
	other := p.beside(t)
	id := p.begin(t, "And now?", inConversation(conversation))
	p.answers(apptest.Text("Fine."))
	other.prepare(t, id)
	other.call(t, id, 1)
	require.Len(t, p.provider.Asides(), made, "there is room for this one")
	requests := p.provider.Requests()
	sent := requests[len(requests)-1]
	require.Contains(t, sent.Messages[0].Content, "They spoke of the first questions.")
	require.Less(t, strings.Count(sent.Raw, "question 0 "), talks)
}

// A summary that is made behind an answer tells nothing of messages that the person has written anew meanwhile.
func TestWhatWasReplacedMeanwhileIsNotSummarized(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	later := &detached{}
	p.Detach = later.add
	p.provider.Say(apptest.Summary, "They spoke of what is gone.")
	conversation := uuid.New()
	p.talk(t, conversation, 16, 1_000)
	p.exec(t, `UPDATE ai_messages SET replaced_at = now() WHERE conversation_id = $1`, conversation)
	later.run(t.Context())
	require.NotEmpty(t, p.provider.Asides())
	require.Empty(t, p.text(t, `SELECT coalesce(summary, '') FROM ai_conversations WHERE id = $1`, conversation))
}

// When the summary fails, the oldest messages are left out and the turn goes on.
func TestASummaryThatFailsLeavesMessagesOut(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.provider.Say(apptest.Summary, "")
	conversation := uuid.New()
	p.talk(t, conversation, 16, 1_000)
	id := p.begin(t, "And now?", inConversation(conversation))
	p.answers(apptest.Text("Fine."))
	p.prepare(t, id)
	p.call(t, id, 1)
	requests := p.provider.Requests()
	sent := requests[len(requests)-1].Raw
	require.NotContains(t, sent, "question 0 ")
	require.Contains(t, sent, "question 15 ")
	require.Empty(t, p.text(t, `SELECT coalesce(summary, '') FROM ai_conversations WHERE id = $1`, conversation))
}

// A request that a provider finds too long although it should have fit is made shorter, a few times at most.
func TestAConversationTooLongForTheProviderIsShortened(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	conversation := uuid.New()
	p.talk(t, conversation, 4, 1_000)
	id := p.begin(t, "And now?", inConversation(conversation))
	tooLong := apptest.Refuse(
		400,
		`{"error":{"message":"This model's maximum context length is 12000 tokens.","code":"context_length_exceeded"}}`,
	)
	p.provider.Answer(tooLong)
	p.answers(apptest.Text("Fine."))
	before := len(p.provider.Requests())
	require.Equal(t, workflows.CallModelOutput{}, p.call(t, id, 1))
	requests := p.provider.Requests()[before:]
	require.Len(t, requests, 2)
	require.Less(t, len(requests[1].Messages), len(requests[0].Messages))
	require.Equal(t, "And now?", requests[1].Messages[len(requests[1].Messages)-1].Content)

	for range 4 {
		p.provider.Answer(tooLong)
	}
	_, err := p.FinishTurn(t.Context(), workflows.FinishTurnInput{TurnID: id, Status: "done"})
	require.NoError(t, err)
	again := p.begin(t, "And now again?", inConversation(conversation))
	require.Equal(t, problem.ModelContext, p.call(t, again, 1).Failure.Code)
}
