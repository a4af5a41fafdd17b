package worker

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/store"
	"countersign/store/storetest"
)

// widow makes a turn whose process is dead, and looks for it.
func widow(t *testing.T) *Takeovers {
	t.Helper()
	db := storetest.New(t)
	conversation := uuid.New()
	for _, statement := range []string{
		`INSERT INTO ai_conversations (id, owner_id) VALUES ($1, gen_random_uuid())`,
		`INSERT INTO ai_turns (id, conversation_id, kind, assistant_message_id, status, principal_kind, principal_id, session_id, connection_id, model,
		                       permission_mode, message_id, request_hash, claim, held_by, held_claim)
		 VALUES (gen_random_uuid(), $1, 'message', 'msg_1', 'running', 'user', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'm', 'approve', 'm1', '', 1, 7, 1)`,
	} {
		_, err := db.Conn(t.Context()).Exec(t.Context(), statement, conversation)
		require.NoError(t, err)
	}
	return &Takeovers{Log: slog.New(slog.DiscardHandler), Turns: turn.NewStore(db), Process: storetest.LiveProcess(t, db)}
}

func (t *Takeovers) mustLook(tb testing.TB, at time.Time) int {
	tb.Helper()
	due, err := t.scan(tb.Context(), at)
	require.NoError(tb, err)
	return len(due)
}

func TestAProcessIsDeadWhenItIsSeenSoForAWhile(t *testing.T) {
	t.Parallel()
	w, now := widow(t), time.Now()
	require.Zero(t, w.mustLook(t, now))
	require.Zero(t, w.mustLook(t, now.Add(scanInterval)))
	require.Zero(t, w.mustLook(t, now.Add(2*scanInterval)))
	require.Equal(t, 1, w.mustLook(t, now.Add(3*scanInterval)))
}

// Who stood still has not seen what was meanwhile.
func TestWhatWasSeenBeforeAPauseDoesNotCount(t *testing.T) {
	t.Parallel()
	w, now := widow(t), time.Now()
	require.Zero(t, w.mustLook(t, now))
	now = now.Add(time.Minute)
	require.Zero(t, w.mustLook(t, now))
	require.Equal(t, 1, w.mustLook(t, now.Add(deathConfirmation)))
}

// All processes lose their locks with the database. They get the time to connect anew.
func TestNobodyIsDeadRightAfterTheDatabaseWasAway(t *testing.T) {
	t.Parallel()
	w, now := widow(t), time.Now()
	db := w.Turns
	require.Zero(t, w.mustLook(t, now))
	gone := storetest.New(t)
	w.Turns = turn.NewStore(gone)
	gone.Close()
	_, err := w.scan(t.Context(), now.Add(scanInterval))
	require.Error(t, err)
	w.Turns = db
	for at := 2 * scanInterval; at < reconnectGrace; at += scanInterval {
		require.Zero(t, w.mustLook(t, now.Add(at)))
	}
	// The look that failed took a moment of its own.
	back := now.Add(2 * reconnectGrace)
	require.Zero(t, w.mustLook(t, back))
	require.Equal(t, 1, w.mustLook(t, back.Add(deathConfirmation)))
}

// Who has lost its own lock cannot know whether others are dead or have lost theirs by the same.
func TestWhoIsNotPresentSeesNobodyDead(t *testing.T) {
	t.Parallel()
	w, now := widow(t), time.Now()
	w.Process = store.NewProcessLease()
	for at := time.Duration(0); at < 2*reconnectGrace; at += scanInterval {
		require.Zero(t, w.mustLook(t, now.Add(at)))
	}
}
