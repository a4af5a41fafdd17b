package turn_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/chat/stream"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process is one process that accepts and runs turns. Processes on one database hear each other.
type process struct {
	db       *store.DB
	store    *turn.Store
	sessions *turn.Sessions[string]
	hub      *stream.Hub
}

func newProcess(t *testing.T, db *store.DB) *process {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	hub := stream.NewHub(db)
	events := stream.NewLog(stream.LogOptions{DB: db, Hub: hub, Log: log, Interval: time.Millisecond})
	p := &process{
		db:       db,
		store:    turn.NewStore(db),
		sessions: turn.NewSessions[string](turn.SessionsOptions{DB: db, Events: events, Hub: hub, Log: log}),
		hub:      hub,
	}
	listener := store.NewListener(db, log)
	hub.Listen(listener)
	listener.Subscribe(p.sessions.Subscriptions())
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { listener.Run(ctx) })
	running.Go(func() { events.Run(ctx) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	<-listener.Ready()
	return p
}

// newConversation stores a conversation and returns how its turns are to be answered.
func newConversation(t *testing.T, db *store.DB) turn.Settings {
	t.Helper()
	id := uuid.New()
	exec(t, db, `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $2)`, id, uuid.New())
	return turn.Settings{
		ConversationID: id, ConnectionID: uuid.New(), Model: "model", PermissionMode: "approve", TimeZone: "Europe/Berlin",
		Principal: principal.Principal{Kind: principal.User, ID: uuid.New(), SessionID: uuid.New()},
	}
}

// accept stores a message with its turn.
func accept(t *testing.T, p *process, set turn.Settings, id, text string) turn.Turn {
	t.Helper()
	accepted, created, err := p.store.AcceptMessage(t.Context(), set, turn.Message{ID: id, Text: text})
	require.NoError(t, err)
	require.True(t, created)
	return accepted
}

// openTurn opens the session of a turn.
func openTurn(t *testing.T, p *process, id uuid.UUID) *turn.Session {
	t.Helper()
	s, err := p.sessions.Open(t.Context(), id)
	require.NoError(t, err)
	return s.Session
}

// newSession is an open session of a new turn.
func newSession(t *testing.T, p *process) *turn.Session {
	t.Helper()
	return openTurn(t, p, accept(t, p, newConversation(t, p.db), "m1", "Hello").ID)
}

// says is the record of a model call that answers with text and calls.
func says(text string, calls ...turn.Call) turn.ModelResult {
	r := turn.ModelResult{Calls: calls}
	if text != "" {
		r.Segments = append(r.Segments, turn.Segment{Kind: turn.Text, Text: text})
	}
	for i := range calls {
		r.Segments = append(r.Segments, turn.Segment{Kind: turn.ToolCall, Call: i})
	}
	return r
}

// call is a call of ai.getDoc.
func call(id string) turn.Call {
	return turn.Call{ID: id, WireName: "ai_getDoc", Tool: "ai.getDoc", Arguments: `{"id":"` + id + `"}`}
}

func found(text string) turn.ToolResult {
	raw, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return turn.ToolResult{Output: raw}
}

func recordModel(t *testing.T, s *turn.Session, step int, r turn.ModelResult) {
	t.Helper()
	require.NoError(t, s.RecordModel(t.Context(), step, r, nil, r.Chunks(step)...))
}

func recordTool(t *testing.T, s *turn.Session, step, n int, r turn.ToolResult) {
	t.Helper()
	require.NoError(t, s.RecordTool(t.Context(), step, n, r, nil, r.Chunks(s.Step(step).Model.Calls[n-1].ID)...))
}

func finish(t *testing.T, p *process, s *turn.Session, status turn.Status) {
	t.Helper()
	require.NoError(t, p.sessions.Finish(t.Context(), s, turn.Outcome{Status: status}))
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func count(t *testing.T, db *store.DB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func refused(t *testing.T, err error, code problem.Code) *problem.Error {
	t.Helper()
	require.Equal(t, code, problem.CodeOf(err), "%v", err)
	return problem.As(err)
}

// read follows a turn to its end and returns the message that a client has then.
func read(t *testing.T, p *process, id uuid.UUID) stream.Message {
	t.Helper()
	reader := p.hub.Follow(id)
	defer reader.Close()
	var replay stream.Replay
	chunks := []string{stream.Start("m", json.RawMessage(`{}`))}
	for {
		events, ended, err := reader.Next(t.Context())
		require.NoError(t, err)
		for _, e := range events {
			if chunk, ok := replay.Next(e); ok {
				chunks = append(chunks, chunk)
			}
		}
		if ended {
			m, err := stream.Reduce(chunks)
			require.NoError(t, err)
			return m
		}
	}
}

// stored are the parts of the turn's assistant message as they were stored.
func stored(t *testing.T, db *store.DB, id uuid.UUID) string {
	t.Helper()
	var parts string
	require.NoError(
		t,
		db.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT parts::text FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'`,
			id,
		).Scan(
			&parts,
		),
	)
	return parts
}

var newDB = storetest.New
