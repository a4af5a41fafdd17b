package turn_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/crash"
)

// The process that Temporal has given the turn takes it back from one whose workflow code is stale.
func TestATurnIsTakenBackFromAStaleProcess(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, stale := newProcess(t, db), newProcess(t, db)
	s := newSession(t, p)
	recordModel(t, s, 1, says("Let me look.", call("a")))
	taken := openTurn(t, stale, s.ID)
	require.ErrorIs(t, s.RecordTool(t.Context(), 1, 1, found("a"), nil), stream.ErrFenced)
	p.sessions.MarkLost(s)
	_, err := p.sessions.Open(t.Context(), s.ID)
	require.ErrorIs(t, err, turn.ErrElsewhere, "the workflow code that has lost the turn may be the stale one")

	p.sessions.LostPause = 0
	again := openTurn(t, p, s.ID)
	recordTool(t, again, 1, 1, found("a"))
	require.ErrorIs(t, taken.RecordTool(t.Context(), 1, 1, found("b"), nil), stream.ErrFenced)
	finish(t, p, again, turn.Done)
	require.Equal(t, 1, count(t, db, `SELECT count(*) FROM turn_steps WHERE step = 1 AND call = 1 AND result::text LIKE '%"a"%'`))
}

// A turn that went to another process and came back is read again: what that one has recorded is a part of it.
func TestASessionComparesItsClaimWhenItIsEntered(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	p.sessions.LostPause, p.sessions.ClaimTTL = 0, 0
	s := newSession(t, p)
	require.Same(t, s, openTurn(t, p, s.ID), "nobody has taken it")
	recordModel(t, openTurn(t, other, s.ID), 1, says("Let me look.", call("a")))

	back := openTurn(t, p, s.ID)
	require.NotSame(t, s, back)
	require.Equal(t, "Let me look.", back.Step(1).Model.Text())
}

// With the pause of every day, a process that finds its turn with another one leaves it alone before it has done anything.
func TestASessionThatIsOutdatedIsNotEntered(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	p.sessions.ClaimTTL = 0
	s := newSession(t, p)
	openTurn(t, other, s.ID)
	_, err := p.sessions.Open(t.Context(), s.ID)
	require.ErrorIs(t, err, turn.ErrElsewhere)
	require.Equal(t, 2, count(t, db, `SELECT claim FROM ai_turns WHERE id = $1`, s.ID))
}

func TestASessionOfATurnThatIsOverIsNotEntered(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	p.sessions.ClaimTTL = 0
	s := newSession(t, p)
	finish(t, other, openTurn(t, other, s.ID), turn.Failed)
	_, err := p.sessions.Open(t.Context(), s.ID)
	require.ErrorIs(t, err, turn.ErrFinal)
	require.False(t, p.sessions.Busy())
}

// A step of an old session that ends late says that it was fenced when the process has the turn again.
func TestAnOldSessionTakesTheTurnFromNobody(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	p.sessions.LostPause = 0
	old := newSession(t, p)
	openTurn(t, other, old.ID)
	p.sessions.MarkLost(old)
	current := openTurn(t, p, old.ID)
	p.sessions.LostPause = time.Hour
	p.sessions.MarkLost(old)
	p.sessions.Evict(old)
	require.False(t, p.sessions.IsCurrent(old))
	require.True(t, p.sessions.IsCurrent(current))
	require.Same(t, current, openTurn(t, p, old.ID))
	require.ErrorIs(t, p.sessions.Finish(t.Context(), old, turn.Outcome{Status: turn.Done}), stream.ErrFenced)
	require.Same(t, current, openTurn(t, p, old.ID))
}

func TestWhoRunsAheadTakesOnlyWhatNobodyHas(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	taken := newSession(t, other)
	_, err := p.sessions.OpenUnclaimed(t.Context(), taken.ID)
	require.ErrorIs(t, err, turn.ErrElsewhere)
	require.False(t, p.sessions.Busy())
	recordModel(t, taken, 1, says("mine"))

	free := accept(t, p, newConversation(t, db), "m1", "Hello").ID
	first, err := p.sessions.OpenUnclaimed(t.Context(), free)
	require.NoError(t, err)
	require.Same(t, first.Session, openTurn(t, p, free))
	again, err := p.sessions.OpenUnclaimed(t.Context(), free)
	require.NoError(t, err)
	require.Same(t, first, again)
	_, err = p.sessions.OpenUnclaimed(t.Context(), uuid.New())
	require.Error(t, err)
}

// Between the look at a free turn and its claim, another process takes it.
func TestWhoRunsAheadAndIsOvertakenHasNothing(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	id := accept(t, p, newConversation(t, db), "m1", "Hello").ID
	var owner *turn.Session
	crash.On(t, "turn.before-claim", id, func() { owner = openTurn(t, other, id) })
	_, err := p.sessions.OpenUnclaimed(t.Context(), id)
	require.ErrorIs(t, err, turn.ErrElsewhere)
	recordModel(t, owner, 1, says("mine"))
	require.Equal(t, 1, count(t, db, `SELECT claim FROM ai_turns WHERE id = $1`, id))
}

// The workflow's own first step does not fail because Begin came too late in the same process.
func TestAnOpenDoesNotShareTheRefusalOfOneThatRunsAhead(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	id := accept(t, p, newConversation(t, db), "m1", "Hello").ID
	opened := make(chan error, 1)
	crash.On(t, "turn.before-claim", id, func() {
		openTurn(t, other, id)
		go func() {
			_, err := p.sessions.Open(t.Context(), id)
			opened <- err
		}()
	})
	_, err := p.sessions.OpenUnclaimed(t.Context(), id)
	require.ErrorIs(t, err, turn.ErrElsewhere)
	require.NoError(t, <-opened)
}

// The request to stop comes when the claim has read the turn, and before the process knows that it has it.
func TestAStopWhileATurnIsClaimedIsHeard(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	set := newConversation(t, p.db)
	id := accept(t, p, set, "m1", "Hello").ID
	crash.On(t, "turn.after-claim", id, func() {
		stopped, ok, err := p.store.RequestStop(t.Context(), set.ConversationID)
		if err == nil && ok {
			p.sessions.Subscriptions()[turn.StopChannel].Notify(stopped.String())
		}
	})
	require.True(t, openTurn(t, p, id).IsStopped())
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM ai_turns WHERE id = $1 AND stop_requested_at IS NOT NULL`, id))
}

// A message is accepted as claimed by the process that goes on with its turn: nothing is left to claim.
func TestATurnIsAcceptedAsClaimed(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other := newProcess(t, p.db)
	set := newConversation(t, p.db)
	set.Claimed = true
	accepted := accept(t, p, set, "m1", "Hello")
	require.Equal(t, turn.Running, accepted.Status)
	p.sessions.RegisterAccepted(accepted.ID)
	s, err := p.sessions.OpenUnclaimed(t.Context(), accepted.ID)
	require.NoError(t, err)
	require.False(t, s.IsTakeover())
	require.Same(t, s.Session, openTurn(t, p, accepted.ID))
	require.Equal(t, 1, count(t, p.db, `SELECT claim FROM ai_turns WHERE id = $1`, accepted.ID))

	_, err = other.sessions.OpenUnclaimed(t.Context(), accepted.ID)
	require.ErrorIs(t, err, turn.ErrElsewhere)
	require.True(t, openTurn(t, other, accepted.ID).IsTakeover())
}

// The workflow may come to a turn before the process that has accepted it does, in that process or in another one.
func TestATurnThatWasAcceptedAsClaimedIsTakenByItsWorkflow(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other := newProcess(t, p.db)
	claimed := func() turn.Turn {
		set := newConversation(t, p.db)
		set.Claimed = true
		a := accept(t, p, set, "m1", "Hello")
		p.sessions.RegisterAccepted(a.ID)
		return a
	}
	here := claimed()
	require.False(t, openTurn(t, p, here.ID).IsTakeover(), "it is this process's own")

	there := claimed()
	theirs := openTurn(t, other, there.ID)
	_, err := p.sessions.OpenUnclaimed(t.Context(), there.ID)
	require.ErrorIs(t, err, turn.ErrElsewhere, "who runs ahead takes it from nobody")
	recordModel(t, theirs, 1, says("mine"))
	require.Equal(t, 2, count(t, p.db, `SELECT claim FROM ai_turns WHERE id = $1`, there.ID))
}
