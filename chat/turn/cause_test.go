package turn_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// causeOf is the cause of the newest event of a type.
func causeOf(t *testing.T, db *store.DB, kind string) (id int64, c event.Cause) {
	t.Helper()
	var stored json.RawMessage
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(),
		`SELECT id, coalesce(cause, '{}') FROM events WHERE type = $1 ORDER BY id DESC LIMIT 1`, kind).Scan(&id, &stored))
	require.NoError(t, json.Unmarshal(stored, &c))
	return id, c
}

// Events of a turn that an event led to are one event deeper, those of triggers too, so that loops can be bounded.
func TestWhatATurnOfARunDoesHasItsDepth(t *testing.T) {
	t.Parallel()
	p := newProcess(t, storetest.New(t))
	types, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	outbox := event.NewOutbox(p.db, types)
	system := uuid.New()
	changes := func(ctx context.Context) (int64, event.Cause) {
		t.Helper()
		payload := health.ChangedPayload{
			SystemID:   system,
			SystemName: "s",
			Before:     "healthy",
			After:      "degraded",
			Reason:     "r",
			At:         time.Unix(1, 0),
		}
		require.NoError(t, p.db.InTx(ctx, func(ctx context.Context) error {
			return outbox.Append(ctx, event.New{Type: health.EventChanged, Subject: health.SubjectOf(system), Payload: payload})
		}))
		return causeOf(t, p.db, health.EventChanged)
	}
	first, c := changes(t.Context())
	require.Zero(t, c, "nothing led to it")
	for depth := 1; depth <= 3; depth++ {
		// The consumer of the event dispatches a run, a step of which begins a turn.
		run := event.RunID("automations", event.Event{ID: first}, "")
		set := newConversation(t, p.db)
		set.Principal.Kind = principal.Application
		accepted, _, err := p.store.AcceptMessage(event.ForWorkflow(t.Context(), run), set, turn.Message{ID: "m1", Text: "Hello"})
		require.NoError(t, err)
		want := event.Cause{Turn: accepted.ID, Run: run, Event: first, Depth: depth}

		call := uuid.New()
		exec(t, p.db, `INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, turn_id)
			VALUES ($1, 'application', $1, 'chat', 'x.y', 'read', sha256(''), 'running', $2)`, call, accepted.ID)
		exec(t, p.db, `UPDATE ai_tool_calls SET status = 'executed', finished_at = now() WHERE id = $1`, call)
		_, got := causeOf(t, p.db, "ai.toolCalled")
		require.Equal(t, want, got)
		exec(t, p.db, `INSERT INTO ai_proposals (id, conversation_id, turn_id, tool_call_ref, principal_kind, principal_id, principal_name,
				tool_name, effect, summary, payload, nonce_salt, status, expires_at, two_person, call_order)
			VALUES ($1, $2, $3, 'ref', 'application', $1, 'App', 'x.z', 'mutate', 'Changes something', '{}', '', 'proposed', now(), false, 1)`,
			call, set.ConversationID, accepted.ID)
		_, got = causeOf(t, p.db, "ai.proposalWaiting")
		require.Equal(t, want, got)
		exec(t, p.db, `UPDATE ai_proposals SET status = 'expired', finished_at = now() WHERE id = $1`, call)
		_, got = causeOf(t, p.db, "ai.proposalExpired")
		require.Equal(t, want, got)

		who := set.Principal
		who.TurnID = accepted.ID
		first, got = changes(principal.NewContext(t.Context(), who))
		require.Equal(t, want, got, "a tool of the turn changes a system")
	}
	theirs := accept(t, p, newConversation(t, p.db), "m1", "Hello")
	_, c = changes(principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, TurnID: theirs.ID}))
	require.Equal(t, event.Cause{Turn: theirs.ID}, c, "a person began it")
}
