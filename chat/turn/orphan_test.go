package turn_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/store"
)

func orphans(t *testing.T, p *process) (ids []uuid.UUID) {
	t.Helper()
	found, err := p.store.Orphans(t.Context(), p.sessions.Process.LockKey())
	require.NoError(t, err)
	for _, o := range found {
		ids = append(ids, o.ID)
	}
	return ids
}

func TestTurnsOfDeadProcessesAreOrphans(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other, dead := newProcess(t, p.db), newProcess(t, p.db)
	newSession(t, p)
	newSession(t, other)
	first, second := newSession(t, dead), newSession(t, dead)
	ended := newSession(t, dead)
	finish(t, dead, ended, turn.Done)
	taken := newSession(t, dead)
	openTurn(t, other, taken.ID)
	// A process of the version before raises the claim and says nothing more.
	older := newSession(t, dead)
	exec(t, p.db, `UPDATE ai_turns SET claim = claim + 1 WHERE id = $1`, older.ID)
	deadly := newSession(t, dead)
	exec(t, p.db, `UPDATE ai_turns SET claim = 4, held_claim = 4 WHERE id = $1`, deadly.ID)
	require.Empty(t, orphans(t, p), "their process lives")
	dead.leave(t)

	require.Equal(t, []uuid.UUID{first.ID, second.ID}, orphans(t, p))
	require.Equal(t, []uuid.UUID{first.ID, second.ID}, orphans(t, other))
	require.Empty(t, orphans(t, dead), "nobody takes over from itself")
}

// Several processes see the same one die: one of them sees to each of its turns, and if that one dies as well, another does.
func TestAnOrphanIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other := newProcess(t, p.db)
	dead := newProcess(t, p.db)
	s := newSession(t, dead)
	dead.leave(t)
	found, err := p.store.Orphans(t.Context(), p.sessions.Process.LockKey())
	require.NoError(t, err)
	require.Len(t, found, 1)

	heir := store.NewProcessLease().LockKey()
	mine, err := p.store.ClaimOrphan(t.Context(), found[0], heir)
	require.NoError(t, err)
	require.True(t, mine)
	mine, err = other.store.ClaimOrphan(t.Context(), found[0], other.sessions.Process.LockKey())
	require.NoError(t, err)
	require.False(t, mine)

	adopted, err := p.store.StillHoldsOrphan(t.Context(), found[0], heir)
	require.NoError(t, err)
	require.True(t, adopted)

	require.Equal(t, []uuid.UUID{s.ID}, orphans(t, other), "who has adopted it is dead, too")
	openTurn(t, other, s.ID)
	require.Empty(t, orphans(t, p))
	require.Equal(t, 2, count(t, p.db, `SELECT claim FROM ai_turns WHERE id = $1`, s.ID))
	adopted, err = p.store.StillHoldsOrphan(t.Context(), found[0], heir)
	require.NoError(t, err)
	require.False(t, adopted, "somebody has gone on with it")
}

// A process that was thought to be dead has but lost its connection.
func TestTheTurnOfAProcessThatIsBackIsNotAdopted(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other := newProcess(t, p.db)
	s := newSession(t, other)
	seen := turn.Orphan{ID: s.ID, Claim: 1, Process: other.sessions.Process.LockKey()}
	mine, err := p.store.ClaimOrphan(t.Context(), seen, p.sessions.Process.LockKey())
	require.NoError(t, err)
	require.False(t, mine)
	other.leave(t)
	require.Equal(t, []uuid.UUID{s.ID}, orphans(t, p))
	mine, err = p.store.ClaimOrphan(t.Context(), seen, p.sessions.Process.LockKey())
	require.NoError(t, err)
	require.True(t, mine)
}

// While a process does not hold its lock it says nothing of itself: its turns are left to Temporal.
func TestWhoIsNotPresentLeavesNoOrphans(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other := newProcess(t, p.db)
	other.leave(t)
	newSession(t, other)
	require.Empty(t, orphans(t, p))
}
