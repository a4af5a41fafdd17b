package stream_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// never is an interval at which a log does not flush by itself while a test runs.
const never = time.Hour

// process is what one process of the product has for streams.
type process struct {
	db  *store.DB
	hub *stream.Hub
	log *stream.Log

	stop func()
}

// startProcess runs a log and listens to notifications. Processes on one database hear each other. One that has elsewhere runs no turns.
func startProcess(t *testing.T, db *store.DB, interval time.Duration, elsewhere ...bool) *process {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	hub := stream.NewHub(db)
	hub.Elsewhere = len(elsewhere) > 0 && elsewhere[0]
	p := &process{db: db, hub: hub, log: stream.NewLog(stream.LogOptions{DB: db, Hub: hub, Log: log, Interval: interval})}
	listener := store.NewListener(db, log)
	hub.Listen(listener)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { listener.Run(ctx) })
	running.Go(func() { p.log.Run(ctx) })
	p.stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	t.Cleanup(p.stop)
	<-listener.Ready()
	return p
}

func newProcess(t *testing.T) *process {
	t.Helper()
	return startProcess(t, storetest.New(t), time.Millisecond)
}

// newTurn stores a running turn that claim 1 holds.
func newTurn(t *testing.T, db *store.DB) uuid.UUID {
	t.Helper()
	id, conversation := uuid.New(), uuid.New()
	exec(t, db, `INSERT INTO ai_conversations (id, owner_id) VALUES ($1, $2)`, conversation, uuid.New())
	exec(t, db, `INSERT INTO ai_turns (id, conversation_id, kind, message_id, assistant_message_id, status, principal_kind, principal_id,
		session_id, connection_id, model, permission_mode, claim)
		VALUES ($1, $2, 'message', 'm', 'a', 'running', 'user', $1, $1, $1, 'model', 'approve', 1)`, id, conversation)
	return id
}

// takeOver gives the turn to another claim.
func takeOver(t *testing.T, db *store.DB, turn uuid.UUID) {
	t.Helper()
	exec(t, db, `UPDATE ai_turns SET claim = claim + 1 WHERE id = $1`, turn)
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// count is the number that a query returns.
func count(t *testing.T, db *store.DB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// delta is an event whose text tells it apart.
func delta(claim int, n uint32, text string) stream.Event {
	return stream.Event{Seq: stream.Seq(claim, n), Step: 1, Chunk: stream.TextDelta("s1.0", text)}
}

// modelRecord is the record of a turn's first model call, with one event that ends it.
func modelRecord(turn uuid.UUID, claim int, n uint32) stream.Record {
	return stream.Record{
		Turn: turn, Claim: claim, Step: 1, Result: json.RawMessage(`{"segments":[]}`),
		Events: []stream.Event{{Seq: stream.Seq(claim, n), Step: 1, Chunk: stream.TextEnd("s1.0")}},
	}
}

// read returns the reader's next events.
func read(t *testing.T, r *stream.Reader) []stream.Event {
	t.Helper()
	events, _, err := r.Next(t.Context())
	require.NoError(t, err)
	return events
}

// readUntil collects events up to the one with this seq.
func readUntil(t *testing.T, r *stream.Reader, last int64) []stream.Event {
	t.Helper()
	var all []stream.Event
	for len(all) == 0 || all[len(all)-1].Seq < last {
		all = append(all, read(t, r)...)
	}
	return all
}

func seqs(events []stream.Event) []int64 {
	all := make([]int64, len(events))
	for i, e := range events {
		all[i] = e.Seq
	}
	return all
}

// words is what the deltas among events say, in their order.
func words(t *testing.T, events []stream.Event) string {
	t.Helper()
	said := ""
	for _, e := range events {
		var chunk struct{ Delta string }
		require.NoError(t, json.Unmarshal([]byte(e.Chunk), &chunk))
		said += chunk.Delta
	}
	return said
}
