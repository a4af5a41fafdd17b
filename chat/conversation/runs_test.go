package conversation_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/internal/store/storetest"
	"countersign/tool/disposition"
)

// The conversations of a run are its own: in no list of its application, out of reach of the retention setting and of
// erasures, and deleted when the run is not kept any more.
func TestConversationsOfARunAreKeptWithTheRun(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	s, sweeper := conversation.New(db, nil, nil), conversation.NewSweeper(db, &engine{}, nil)
	p := principal.Principal{Kind: principal.Application, ID: uuid.New(), Run: &principal.Run{ID: uuid.New()}}
	exec(t, db, `INSERT INTO runs (id, application_id, definition_kind, definition_id, revision, policy)
		VALUES ($1, $2, 'test', gen_random_uuid(), 1, '{}')`, p.Run.ID, p.ID)
	c := conversation.RunConversation{ID: uuid.New(), ConnectionID: uuid.New(), Model: "small", Mode: disposition.Approve}
	require.NoError(t, s.CreateInRun(t.Context(), p, c))
	require.NoError(t, s.CreateInRun(t.Context(), p, c), "a repeat finds it")
	const chats = `SELECT count(*) FROM ai_conversations`
	require.Equal(t, 1, count(t, db, chats))
	exec(t, db, `INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, principal_kind, principal_id, session_id,
		connection_id, model, permission_mode, status) VALUES ($1, $2, 'message', 'm', 'a', 'application', $3, $4, $1, 'small', 'approve', 'running')`,
		uuid.New(), c.ID, p.ID, p.Run.ID)

	list, _, err := s.List(t.Context(), p, rest.Page{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, list)
	ids, err := s.IDs(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, ids)
	_, err = s.Get(t.Context(), p, c.ID)
	require.Error(t, err)
	require.Equal(t, 0, count(t, db, `SELECT count(*) FROM ai_conversations WHERE owner_id = $1`, p.ID))

	// Years of idleness do not matter while the run is open.
	exec(t, db, `UPDATE ai_conversations SET updated_at = now() - interval '9 years'`)
	_, err = sweeper.Set(t.Context(), p, conversation.RetentionSetting{Enabled: true, IdleDays: new(int32(1))}, nil)
	require.NoError(t, err)
	sweep := func() int {
		t.Helper()
		_, _, err := sweeper.Sweep(t.Context(), 10)
		require.NoError(t, err)
		require.NoError(t, sweeper.SweepRuns(t.Context()))
		return count(t, db, chats)
	}
	require.Equal(t, 1, sweep())
	exec(t, db, `UPDATE runs SET ended_at = now(), kept_until = now() + interval '1 day'`)
	require.Equal(t, 1, sweep())
	exec(t, db, `UPDATE runs SET kept_until = now() - interval '1 day'`)
	require.Equal(t, 1, sweep(), "its turn still runs")
	exec(t, db, `UPDATE ai_turns SET status = 'done', finished_at = now()`)
	require.Equal(t, 0, sweep())
	require.Equal(
		t,
		1,
		count(t, db, `SELECT count(*) FROM ai_audit_entries WHERE summary LIKE 'Deleted permanently by the retention of runs%'`),
	)
}
