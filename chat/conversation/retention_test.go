package conversation_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// engine remembers what it was asked for.
type engine struct {
	mu       sync.Mutex
	enabled  []bool
	erasures []uuid.UUID
	away     bool
}

func (e *engine) ScheduleRetention(_ context.Context, enabled bool, _ int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.enabled = append(e.enabled, enabled)
	return nil
}

func (e *engine) StartErasure(_ context.Context, id uuid.UUID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.away {
		return errors.New("the engine is away")
	}
	e.erasures = append(e.erasures, id)
	return nil
}

// content is a conversation with everything that can be in one.
type content struct {
	conversation, turn, proposal uuid.UUID
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

func count(t *testing.T, db *store.DB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// fill makes a conversation of p with a finished turn, and a proposal in this status.
func fill(t *testing.T, s *conversation.Service, db *store.DB, p principal.Principal, status string) content {
	t.Helper()
	c := content{create(t, s, p, conversation.Settings{Title: new("Secret")}).ID, uuid.New(), uuid.New()}
	exec(t, db, `INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, principal_kind, principal_id, session_id,
		connection_id, model, permission_mode, status, finished_at) VALUES ($1, $2, 'message', 'm', 'a', 'user', $3, $1, $1, 'small', 'approve', 'done', now())`,
		c.turn, c.conversation, p.ID)
	exec(t, db, `INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
		VALUES ($1, 'm', $2, 'user', 'secret', '[]', '{}'), ($1, 'a', $2, 'assistant', 'secret', '[]', '{}')`, c.conversation, c.turn)
	exec(t, db, `INSERT INTO turn_steps (turn_id, step, call, result) VALUES ($1, 1, 0, '"secret"')`, c.turn)
	exec(t, db, `INSERT INTO turn_events (turn_id, seq, step, chunk) VALUES ($1, 1, 1, 'secret')`, c.turn)
	propose(t, db, p, c.proposal, &c.conversation, status)
	return c
}

func propose(t *testing.T, db *store.DB, p principal.Principal, id uuid.UUID, of *uuid.UUID, status string) {
	t.Helper()
	exec(t, db, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status)
		VALUES ($1, 'user', $2, 'chat', 'x', 'mutate', 'h', $3)`, id, p.ID, status)
	var finished *time.Time
	if status != "proposed" && status != "applying" {
		finished = new(time.Now())
	}
	exec(
		t,
		db,
		`INSERT INTO ai_proposals (id, conversation_id, principal_kind, principal_id, principal_name, tool_name, effect, summary, payload,
		nonce_salt, status, expires_at, finished_at) VALUES ($1, $2, 'user', $3, 'Ada', 'x', 'mutate', 'secret', '{"a":"secret"}', 's', $4, now() + interval '10 min', $5)`,
		id,
		of,
		p.ID,
		status,
		finished,
	)
}

// kept counts the rows that hold what a person wrote, and the audit rows, which do not.
func kept(t *testing.T, db *store.DB) (content, audit int) {
	t.Helper()
	for _, table := range []string{"ai_conversations", "ai_messages", "ai_turns", "turn_steps", "turn_events", "ai_proposals"} {
		content += count(t, db, "SELECT count(*) FROM "+table)
	}
	return content, count(t, db, "SELECT count(*) FROM ai_tool_calls")
}

const rowsOfOne = 1 + 2 + 1 + 1 + 1 + 1

func TestNothingIsDeletedUntilAnAdministratorSaysSo(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	sweeper := conversation.NewSweeper(db, &engine{}, nil)
	p := person()
	fill(t, s, db, p, "applied")
	exec(t, db, `UPDATE ai_conversations SET archived_at = now() - interval '9 years', updated_at = now() - interval '9 years'`)
	deleted, more, err := sweeper.Sweep(t.Context(), 10)
	require.NoError(t, err)
	require.Zero(t, deleted)
	require.False(t, more)
	set, err := sweeper.Setting(t.Context())
	require.NoError(t, err)
	require.False(t, set.Enabled)
	require.Nil(t, set.ArchivedDays)
}

func TestASweepDeletesWhatIsDueAndNothingElse(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	sweeper := conversation.NewSweeper(db, &engine{}, nil)
	p := person()
	aged := func(archived, updated string) uuid.UUID {
		c := fill(t, s, db, p, "applied")
		exec(t, db, `UPDATE ai_conversations SET archived_at = now() - $2::text::interval, updated_at = now() - $3::text::interval WHERE id = $1`,
			c.conversation, nullable(archived), updated)
		return c.conversation
	}
	due, idle := aged("31 days", "1 day"), aged("", "401 days")
	archivedLately, open := aged("29 days", "300 days"), aged("", "399 days")
	busy, waiting := aged("99 days", "99 days"), aged("99 days", "99 days")
	exec(t, db, `UPDATE ai_turns SET status = 'running', finished_at = NULL WHERE conversation_id = $1`, busy)
	exec(t, db, `UPDATE ai_proposals SET status = 'applying', finished_at = NULL WHERE conversation_id = $1`, waiting)

	_, err := sweeper.Set(
		t.Context(),
		p,
		conversation.RetentionSetting{Enabled: true, ArchivedDays: new(int32(30)), IdleDays: new(int32(400))},
		nil,
	)
	require.NoError(t, err)
	deleted, more, err := sweeper.Sweep(t.Context(), 1)
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, conversation.Deleted{Conversations: 1, Messages: 2, Turns: 1, Proposals: 1}, deleted)
	_, _, err = sweeper.Sweep(t.Context(), 10)
	require.NoError(t, err)
	again, more, err := sweeper.Sweep(t.Context(), 10)
	require.NoError(t, err)
	require.Zero(t, again, "a repeat has nothing to do")
	require.False(t, more)

	for _, id := range []uuid.UUID{due, idle} {
		_, err := s.Get(t.Context(), p, id)
		refused(t, err, problem.NotFound)
	}
	for _, id := range []uuid.UUID{archivedLately, open, busy, waiting} {
		_, err := s.Get(t.Context(), p, id)
		require.NoError(t, err)
	}
	content, audit := kept(t, db)
	require.Equal(t, 4*rowsOfOne, content)
	require.Equal(t, 6, audit, "the audit rows stay")
	set, err := sweeper.Setting(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(2), set.Deleted)
	require.NotNil(t, set.SweptAt)
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func TestTheRetentionSettingIsCheckedAndFenced(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	sweeper := conversation.NewSweeper(db, &engine{}, nil)
	for _, bad := range []conversation.RetentionSetting{
		{Enabled: true}, {ArchivedDays: new(int32(0))}, {Enabled: true, IdleDays: new(int32(3651))},
	} {
		_, err := sweeper.Set(t.Context(), person(), bad, nil)
		require.Len(t, refused(t, err, problem.Invalid).Issues, 1)
	}
	want := conversation.RetentionSetting{Enabled: true, ArchivedDays: new(int32(30))}
	p := person()
	set, err := sweeper.Set(t.Context(), p, want, new(int64(1)))
	require.NoError(t, err)
	require.Equal(t, int64(2), set.Revision)
	require.Equal(t, p.ID, *set.UpdatedBy)
	again, err := sweeper.Set(t.Context(), person(), want, new(int64(1)))
	require.NoError(t, err, "a repeat of a change that is in place succeeds")
	require.Equal(t, set, again)
	_, err = sweeper.Set(t.Context(), p, conversation.RetentionSetting{}, new(int64(1)))
	refused(t, err, problem.Precondition)
}

func TestTheScheduleFollowsTheRow(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	e := &engine{}
	sweeper := conversation.NewSweeper(db, e, nil)
	require.NoError(t, sweeper.Schedule(t.Context()))
	_, err := sweeper.Set(t.Context(), person(), conversation.RetentionSetting{Enabled: true, ArchivedDays: new(int32(30))}, nil)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { require.NoError(t, sweeper.Schedule(t.Context())) })
	}
	wg.Wait()
	require.Equal(t, []bool{false, true, true, true, true}, e.enabled)
}

// What nothing was said in goes after a day, whatever became of who made it; all else stays, without any setting.
func TestEmptyConversationsAreDeletedAfterADay(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	p := person()
	sweeper := conversation.NewSweeper(db, &engine{}, nil)
	title := "Named"
	old, recent, said, named := create(
		t,
		s,
		p,
		conversation.Settings{},
	), create(
		t,
		s,
		p,
		conversation.Settings{},
	), create(
		t,
		s,
		p,
		conversation.Settings{},
	), create(
		t,
		s,
		p,
		conversation.Settings{Title: &title},
	)
	_, err := db.Conn(t.Context()).Exec(t.Context(), `INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata)
		VALUES ($1, 'm', gen_random_uuid(), 'user', '', '[]', '{}')`, said.ID)
	require.NoError(t, err)
	_, err = db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		`UPDATE ai_conversations SET updated_at = now() - interval '25 hours' WHERE id <> $1`,
		recent.ID,
	)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, sweeper.Tidy(t.Context()))
		_, err = s.Get(t.Context(), p, old.ID)
		refused(t, err, problem.NotFound)
		for _, kept := range []conversation.Conversation{recent, said, named} {
			_, err := s.Get(t.Context(), p, kept.ID)
			require.NoError(t, err)
		}
	}
}
