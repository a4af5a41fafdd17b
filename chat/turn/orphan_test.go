package turn_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/store"
)

// newDead is a process that has claimed what it is given, and of which nothing is left.
func newDead(t *testing.T, of *process) *process {
	t.Helper()
	dead := newProcess(t, of.db)
	dead.sessions.Process = store.NewPresence()
	return dead
}

func orphans(t *testing.T, p *process) (ids []uuid.UUID) {
	t.Helper()
	found, err := p.store.Orphans(t.Context(), p.sessions.Process)
	require.NoError(t, err)
	for _, o := range found {
		ids = append(ids, o.ID)
	}
	return ids
}

func TestTurnsOfDeadProcessesAreOrphans(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other, dead := newProcess(t, p.db), newDead(t, p)
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

	require.Equal(t, []uuid.UUID{first.ID, second.ID}, orphans(t, p))
	require.Equal(t, []uuid.UUID{first.ID, second.ID}, orphans(t, other))
	require.Empty(t, orphans(t, dead), "nobody takes over from itself")
}

// Several processes see the same one die: one of them sees to each of its turns, and if that one dies as well, another does.
func TestAnOrphanIsAdoptedOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t, newDB(t))
	other := newProcess(t, p.db)
	s := newSession(t, newDead(t, p))
	found, err := p.store.Orphans(t.Context(), p.sessions.Process)
	require.NoError(t, err)
	require.Len(t, found, 1)

	heir := store.NewPresence()
	mine, err := p.store.Adopt(t.Context(), found[0], heir)
	require.NoError(t, err)
	require.True(t, mine)
	mine, err = other.store.Adopt(t.Context(), found[0], other.sessions.Process)
	require.NoError(t, err)
	require.False(t, mine)

	require.Equal(t, []uuid.UUID{s.ID}, orphans(t, other), "who has adopted it is dead, too")
	openTurn(t, other, s.ID)
	require.Empty(t, orphans(t, p))
	require.Equal(t, 2, count(t, p.db, `SELECT claim FROM ai_turns WHERE id = $1`, s.ID))
}
