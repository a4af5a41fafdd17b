package turn_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/internal/problem"
)

func TestAMessageAndItsTurnAreAcceptedTogether(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)

	accepted, created, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: "m1", Text: "Hello", Title: "Greeting"})
	require.NoError(t, err)
	require.True(t, created)
	require.Equal(t, turn.Pending, accepted.Status)
	require.Equal(
		t,
		1,
		count(t, p.db, `SELECT count(*) FROM ai_messages WHERE turn_id = $1 AND role = 'user' AND id = 'm1' AND content = 'Hello'`, accepted.ID),
	)
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM ai_conversations WHERE id = $1 AND title = 'Greeting'`, set.ConversationID))

	active, ok, err := p.store.Active(t.Context(), set.ConversationID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, accepted.ID, active.ID)
	settings, err := p.store.SettingsOf(t.Context(), accepted.ID)
	require.NoError(t, err)
	require.Equal(t, set, settings)
}

func TestATitleThatAPersonChoseStays(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	exec(t, p.db, `UPDATE ai_conversations SET title = 'Mine' WHERE id = $1`, set.ConversationID)
	_, _, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: "m1", Text: "Hello", Title: "Greeting"})
	require.NoError(t, err)
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM ai_conversations WHERE title = 'Mine'`))
}

func TestTheSameMessageIsTheSameTurn(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	first := accept(t, p, set, "m1", "Hello")

	again, created, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: "m1", Text: "Hello"})
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first.ID, again.ID)

	_, _, err = p.store.AcceptMessage(t.Context(), set, turn.Message{ID: "m1", Text: "Something else"})
	refused(t, err, problem.KeyReused)

	// After the answer it still is: a client that lost it gets it again.
	finish(t, p, openTurn(t, p, first.ID), turn.Done)
	done, created, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: "m1", Text: "Hello"})
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first.ID, done.ID)
	require.Equal(t, turn.Done, done.Status)
}

// A turn that ends between a refusal and the search for its reason was what kept the conversation busy: the next attempt is accepted.
func TestARefusalForATurnThatHasEndedIsNoLimit(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	p.store.MaxRunning = 1
	set := newConversation(t, p.db)
	require.True(t, problem.Is(p.store.Refusal(t.Context(), set), problem.Busy))
	accept(t, p, set, "m1", "Hello")
	require.True(t, problem.Is(p.store.Refusal(t.Context(), set), problem.Busy))
	other := set
	other.ConversationID = newConversation(t, p.db).ConversationID
	require.True(t, problem.Is(p.store.Refusal(t.Context(), other), problem.Throttled))
}

func TestAMessageIDIsUniqueInItsConversationOnly(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	first := accept(t, p, newConversation(t, p.db), "m1", "Hello")
	second := accept(t, p, newConversation(t, p.db), "m1", "Hello")
	require.NotEqual(t, first.ID, second.ID)
}

// The id of an answer cannot be used for a message, whatever a client tries.
func TestAMessageCannotTakeTheIDOfAnAnswer(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	first := accept(t, p, set, "m1", "Hello")
	finish(t, p, openTurn(t, p, first.ID), turn.Done)

	_, _, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: first.AssistantMessageID, Text: "Hello"})
	refused(t, err, problem.KeyReused)
}

func TestAConversationAnswersOneMessageAtATime(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	first := accept(t, p, set, "m1", "Hello")

	_, _, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: "m2", Text: "And?"})
	e := refused(t, err, problem.Busy)
	require.Equal(t, first.ID, e.Extra["turnId"])
	_, _, err = p.store.AcceptDecision(t.Context(), set, uuid.New(), turn.Apply)
	refused(t, err, problem.Busy)
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM ai_messages`), "nothing of a refused message is kept")

	finish(t, p, openTurn(t, p, first.ID), turn.Done)
	accept(t, p, set, "m2", "And?")
}

// Many browsers send one message and others at the same moment: one turn starts, and who sent its message gets it.
func TestConcurrentMessagesStartOneTurn(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	const senders = 24
	var created, same, busy atomic.Int32
	ids := make(chan uuid.UUID, senders)
	var sending sync.WaitGroup
	for i := range senders {
		sending.Go(func() {
			id := fmt.Sprintf("m%d", i%4)
			accepted, made, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: id, Text: "Hello " + id})
			switch {
			case problem.Is(err, problem.Busy):
				busy.Add(1)
			case err == nil:
				same.Add(1)
				ids <- accepted.ID
				if made {
					created.Add(1)
				}
			}
		})
	}
	sending.Wait()
	close(ids)
	require.Equal(t, int32(1), created.Load())
	require.Equal(t, int32(senders/4), same.Load(), "each sender of the message that won")
	require.Equal(t, int32(senders), same.Load()+busy.Load())
	first := <-ids
	for id := range ids {
		require.Equal(t, first, id)
	}
}

func TestADecisionHasOneFollowUpTurn(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set, proposal := newConversation(t, p.db), uuid.New()
	first, created, err := p.store.AcceptDecision(t.Context(), set, proposal, turn.Apply)
	require.NoError(t, err)
	require.True(t, created)
	again, created, err := p.store.AcceptDecision(t.Context(), set, proposal, turn.Apply)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first.ID, again.ID)
	require.Zero(t, count(t, p.db, `SELECT count(*) FROM ai_messages`), "a decision is no message")

	s := openTurn(t, p, first.ID)
	require.Equal(t, proposal, *s.Proposal)
	require.Equal(t, turn.Apply, s.Decision)
}

func TestAStopIsRememberedAndAnnounced(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	here, there := newProcess(t, db), newProcess(t, db)
	set := newConversation(t, db)
	_, ok, err := here.store.RequestStop(t.Context(), set.ConversationID)
	require.NoError(t, err)
	require.False(t, ok, "nothing runs")

	running := accept(t, here, set, "m1", "Hello")
	s := openTurn(t, there, running.ID)
	ctx, cancel := s.Context(t.Context())
	defer cancel()
	id, ok, err := here.store.RequestStop(t.Context(), set.ConversationID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, running.ID, id)

	<-ctx.Done()
	require.ErrorIs(t, contextCause(ctx), turn.ErrStopped)
	require.True(t, s.IsStopped())

	// A process that opens the turn later knows as well.
	require.True(t, openTurn(t, here, running.ID).IsStopped())
}

func TestUnfinishedTurnsAreListedOldestFirst(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	old, fresh, done := accept(
		t,
		p,
		newConversation(t, p.db),
		"m",
		"a",
	), accept(
		t,
		p,
		newConversation(t, p.db),
		"m",
		"b",
	), accept(
		t,
		p,
		newConversation(t, p.db),
		"m",
		"c",
	)
	older := accept(t, p, newConversation(t, p.db), "m", "d")
	openTurn(t, p, older.ID)
	finish(t, p, openTurn(t, p, done.ID), turn.Done)
	exec(t, p.db, `UPDATE ai_turns SET created_at = now() - interval '1 minute' WHERE id <> $1`, fresh.ID)
	exec(t, p.db, `UPDATE ai_turns SET created_at = now() - interval '2 minutes' WHERE id = $1`, older.ID)

	unfinished, err := p.store.Unfinished(t.Context(), 30*time.Second, turn.Turn{}, turn.Pending, turn.Running)
	require.NoError(t, err)
	require.Len(t, unfinished, 2)
	require.Equal(t, older.ID, unfinished[0].ID)
	require.Equal(t, turn.Running, unfinished[0].Status)
	require.Equal(t, old.ID, unfinished[1].ID)
	require.Equal(t, turn.Pending, unfinished[1].Status)
}

// However many turns run, those that were never started are found, and page by page all are.
func TestNoUnfinishedTurnHidesAnother(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	const running = turn.UnfinishedPage + 50
	exec(
		t,
		p.db,
		`WITH c AS (INSERT INTO ai_conversations (id, owner_id) SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, $1::int) RETURNING id)
		INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, status, principal_kind,
			principal_id, session_id, connection_id, model, permission_mode, created_at)
		SELECT c.id, c.id, 'message', 'm', 'a', 'running', 'user', c.id, c.id, c.id, 'model', 'approve', now() - interval '1 hour' FROM c`,
		running,
	)
	waiting := accept(t, p, newConversation(t, p.db), "m", "a")
	exec(t, p.db, `UPDATE ai_turns SET created_at = now() - interval '1 minute' WHERE id = $1`, waiting.ID)

	pending, err := p.store.Unfinished(t.Context(), time.Second, turn.Turn{}, turn.Pending)
	require.NoError(t, err)
	require.Len(t, pending, 1)
	require.Equal(t, waiting.ID, pending[0].ID)

	seen := map[uuid.UUID]bool{}
	for last := (turn.Turn{}); ; {
		page, err := p.store.Unfinished(t.Context(), time.Second, last, turn.Pending, turn.Running)
		require.NoError(t, err)
		for _, found := range page {
			require.False(t, seen[found.ID])
			seen[found.ID], last = true, found
		}
		if len(page) < turn.UnfinishedPage {
			break
		}
	}
	require.Len(t, seen, running+1)
}

func TestProgressIsWhatWasRecordedAndSaid(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	s := newSession(t, p)
	before, err := p.store.Progress(t.Context(), s.ID)
	require.NoError(t, err)
	require.Equal(t, turn.Progress{}, before)
	recordModel(t, s, 1, says("Let me look.", call("a")))
	recorded, err := p.store.Progress(t.Context(), s.ID)
	require.NoError(t, err)
	require.Equal(t, 1, recorded.Records)
	require.Positive(t, recorded.LastEvent)
	recordTool(t, s, 1, 1, found("a"))
	further, err := p.store.Progress(t.Context(), s.ID)
	require.NoError(t, err)
	require.Equal(t, 2, further.Records)
	require.Greater(t, further.LastEvent, recorded.LastEvent)
}

func TestAnUnknownTurnIsAClearError(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	_, err := p.store.Find(t.Context(), uuid.New())
	require.True(t, strings.HasSuffix(refused(t, err, problem.NotFound).Detail, "."))
}
