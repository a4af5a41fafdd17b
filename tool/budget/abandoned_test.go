package budget_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/store"
)

// A request with an Idempotency-Key is repeated under the id of its first attempt, whose process may have died.
func TestARepeatGoesOnWithTheRowOfItsFirstAttempt(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 1)
	c := newCall(someone())
	require.Equal(t, c.ID, reserve(t, b, c))
	require.Equal(t, c.ID, reserve(t, b, c), "the one place in the budget is its own")
	require.Equal(t, 1, count(t, db, "principal_id = $1", c.Principal.ID))

	require.NoError(t, b.Finish(t.Context(), c.ID, nil))
	_, err := b.Reserve(t.Context(), c)
	require.Error(t, err, "a call that has ended is not made again")
}

func TestCallsOfDeadProcessesAreReleased(t *testing.T) {
	t.Parallel()
	b, db := newBudget(t, 10)
	p := someone()
	dead, young, ofTurn, done, left := newCall(p), newCall(p), newCall(p), newCall(p), newCall(p)
	running, over := newTurn(t, db, "running"), newTurn(t, db, "stopped")
	ofTurn.Turn, left.Turn = at(running, 1, 1), at(over, 1, 1)
	for _, c := range []struct {
		id  string
		age time.Duration
	}{
		{reserve(t, b, dead).String(), time.Minute},
		{reserve(t, b, young).String(), 0},
		{reserve(t, b, ofTurn).String(), time.Minute},
		{reserve(t, b, done).String(), time.Minute},
		{reserve(t, b, left).String(), time.Minute},
	} {
		_, err := db.Conn(
			t.Context(),
		).Exec(
			t.Context(),
			`UPDATE ai_tool_calls SET created_at = created_at - $2::interval WHERE id = $1`,
			c.id,
			c.age.String(),
		)
		require.NoError(t, err)
	}
	require.NoError(t, b.Finish(t.Context(), done.ID, nil))

	require.NoError(t, b.ReleaseAbandoned(t.Context(), 30*time.Second))

	require.Zero(t, count(t, db, "id = $1", dead.ID), "the id is free for a repeat")
	ended := "status = 'failed' AND error_code = $1 AND finished_at IS NOT NULL AND turn_id IS "
	require.Equal(t, 1, count(t, db, ended+"NULL", problem.Internal), "the call stays on record")
	require.Equal(t, 1, count(t, db, ended+"NOT NULL AND id = $2", problem.Internal, left.ID),
		"nothing repeats the call of a turn that is over")
	require.Equal(t, 2, count(t, db, "status = 'running'"), "a young call may live, and that of a turn is repeated with its step")
	require.Equal(t, 1, count(t, db, "status = 'executed'"))
	require.Equal(t, dead.ID, reserve(t, b, dead))
}

// newTurn is a turn with this status.
func newTurn(t *testing.T, db *store.DB, status string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	_, err := db.Conn(t.Context()).Exec(t.Context(), `WITH c AS (INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $1) RETURNING id)
		INSERT INTO ai_turns (id, conversation_id, kind, message_id, request_hash, assistant_message_id, principal_kind, principal_id,
		                      session_id, connection_id, model, permission_mode, status, finished_at)
		SELECT $1, c.id, 'message', $1::text, '', $1::text, 'user', $1, $1, $1, 'm', 'approve', $2,
		       CASE $2 WHEN 'running' THEN NULL ELSE now() END FROM c`, id, status)
	require.NoError(t, err)
	return id
}
