package conversation_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/tool/disposition"
)

// Each way on which a conversation ends tells of it in its transaction, and an error rolls that back.
func TestTheEndOfAConversationIsFollowed(t *testing.T) {
	t.Parallel()
	made, db := newService(t)
	var told []uuid.UUID
	var fails error
	removed := func(ctx context.Context, kind string, id uuid.UUID) error {
		require.Equal(t, "ai.conversation", kind)
		require.True(t, db.InTransaction(ctx))
		told = append(told, id)
		return fails
	}
	sweeper := conversation.NewSweeper(db, &engine{}, removed)
	service := conversation.New(db, connections{}, removed)
	p := person()
	erasures := conversation.NewErasures(conversation.ErasuresOptions{
		DB: db, People: accounts{p.ID: {Name: "Ada", Email: "ada@example.org"}}, Driver: &engine{}, Erasers: erasers(), Removed: removed,
	})
	ends := func(t *testing.T, id uuid.UUID, do func(ctx context.Context) error) {
		t.Helper()
		told, fails = nil, errors.New("away")
		require.ErrorIs(t, do(t.Context()), fails)
		require.Equal(t, 1, count(t, db, `SELECT count(*) FROM ai_conversations WHERE id = $1`, id))
		told, fails = nil, nil
		require.NoError(t, do(t.Context()))
		require.Equal(t, []uuid.UUID{id}, told)
		require.Zero(t, count(t, db, `SELECT count(*) FROM ai_conversations WHERE id = $1`, id))
	}

	old := fill(t, made, db, p, "applied").conversation
	exec(t, db, `UPDATE ai_conversations SET archived_at = now() - interval '31 days' WHERE id = $1`, old)
	_, err := sweeper.Set(t.Context(), p, conversation.RetentionSetting{Enabled: true, ArchivedDays: new(int32(30))}, nil)
	require.NoError(t, err)
	ends(t, old, func(ctx context.Context) error {
		_, _, err := sweeper.Sweep(ctx, 10)
		return err
	})

	empty, err := made.Create(t.Context(), p, conversation.Settings{})
	require.NoError(t, err)
	exec(t, db, `UPDATE ai_conversations SET updated_at = now() - interval '2 days' WHERE id = $1`, empty.ID)
	ends(t, empty.ID, sweeper.Tidy)

	started, err := service.ForMessage(t.Context(), p)
	require.NoError(t, err)
	ends(t, started.ID, func(ctx context.Context) error { return service.Withdraw(ctx, p, started) })

	run := principal.Principal{Kind: principal.Application, ID: uuid.New(), Run: &principal.Run{ID: uuid.New()}}
	exec(t, db, `INSERT INTO runs (id, application_id, definition_kind, definition_id, revision, policy, ended_at, kept_until)
		VALUES ($1, $2, 'test', gen_random_uuid(), 1, '{}', now(), now() - interval '1 day')`, run.Run.ID, run.ID)
	ofRun := conversation.RunConversation{ID: uuid.New(), ConnectionID: uuid.New(), Model: "small", Mode: disposition.Approve}
	require.NoError(t, made.CreateInRun(t.Context(), run, ofRun))
	ends(t, ofRun.ID, sweeper.SweepRuns)

	erased := fill(t, made, db, p, "applied").conversation
	requested, err := erasures.Request(t.Context(), person(), p.ID, "ada@example.org")
	require.NoError(t, err)
	ends(t, erased, func(ctx context.Context) error {
		_, err := erasures.Erase(ctx, requested.ID, 10)
		return err
	})
}
