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
	"countersign/internal/crash"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestARecordAndItsEventsBecomeDurableTogether(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)

	require.NoError(t, p.log.Submit(modelRecord(turn, 1, 1))(t.Context()))

	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM turn_steps WHERE turn_id = $1 AND step = 1 AND call = 0`, turn))
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM turn_events WHERE turn_id = $1`, turn))
}

// What all turns of a process have said since the last flush is one transaction, so that streaming costs one commit for
// an interval and not one for a token.
func TestTheTurnsOfAProcessShareACommit(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	const turns = 5
	for range turns - 1 {
		p.log.Append(newTurn(t, p.db), false, delta(1, 1, "a"), delta(1, 2, "b"))
	}
	last := newTurn(t, p.db)
	p.log.Append(last, false, delta(1, 1, "a"), delta(1, 2, "b"))
	require.Zero(t, count(t, p.db, `SELECT count(*) FROM turn_events`), "nothing is flushed before the interval")

	require.NoError(t, p.log.Submit(modelRecord(last, 1, 3))(t.Context()))

	require.Equal(t, turns+1, count(t, p.db, `SELECT count(*) FROM turn_events`), "the words of a turn are one row")
	require.Equal(t, 1, count(t, p.db, `SELECT count(DISTINCT xmin::text) FROM turn_events`), "transactions")
}

func TestAnUrgentEventDoesNotWaitForTheInterval(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	turn := newTurn(t, p.db)
	reader := p.hub.Follow(turn)
	defer reader.Close()
	p.log.Append(turn, true, delta(1, 1, "first"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(read(t, reader)))
}

func TestAProcessThatLostTheTurnRecordsNothing(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	lost, kept := newTurn(t, p.db), newTurn(t, p.db)
	takeOver(t, p.db, lost)

	waitLost, waitKept := p.log.Submit(modelRecord(lost, 1, 1)), p.log.Submit(modelRecord(kept, 1, 1))
	require.ErrorIs(t, waitLost(t.Context()), stream.ErrFenced)
	require.NoError(t, waitKept(t.Context()), "the turns of one flush are judged one by one")

	require.Zero(t, count(t, p.db, `SELECT count(*) FROM turn_steps WHERE turn_id = $1`, lost))
	require.Zero(t, count(t, p.db, `SELECT count(*) FROM turn_events WHERE turn_id = $1`, lost), "events go with their record")
}

func TestAStepHasOneRecord(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	require.NoError(t, p.log.Submit(modelRecord(turn, 1, 1))(t.Context()))

	second := modelRecord(turn, 1, 2)
	second.Result = json.RawMessage(`{"segments":[{"kind":"text","text":"other"}]}`)
	require.ErrorIs(t, p.log.Submit(second)(t.Context()), stream.ErrFenced)

	var kept string
	require.NoError(
		t,
		p.db.Conn(t.Context()).QueryRow(t.Context(), `SELECT result::text FROM turn_steps WHERE turn_id = $1`, turn).Scan(&kept),
	)
	require.JSONEq(t, `{"segments":[]}`, kept)
}

func TestAToolRecordSettlesItsAuditRowOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	running, proposed := auditRow(t, p, turn, 1, "running"), auditRow(t, p, turn, 2, "proposed")
	for call, id := range map[int]uuid.UUID{1: running, 2: proposed} {
		r := modelRecord(turn, 1, uint32(call))
		r.Call, r.Outcome = call, &stream.Outcome{CallID: id, Status: "failed", ErrorCode: "not_found"}
		require.NoError(t, p.log.Submit(r)(t.Context()))
	}
	require.Equal(
		t,
		1,
		count(
			t,
			p.db,
			`SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND status = 'failed' AND error_code = 'not_found' AND finished_at IS NOT NULL`,
			running,
		),
	)
	require.Equal(
		t,
		1,
		count(t, p.db, `SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND status = 'proposed'`, proposed),
		"a proposal has its own way from here",
	)
}

func auditRow(t *testing.T, p *process, turn uuid.UUID, call int, status string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	exec(
		t,
		p.db,
		`INSERT INTO ai_tool_calls (id, principal_kind, principal_id, transport, tool_name, effect, args_hash, status, turn_id, step, call)
		VALUES ($1, 'user', $1, 'chat', 'ai.getDoc', 'read', '', $2, $3, 1, $4)`,
		id,
		status,
		turn,
		call,
	)
	return id
}

// Data that PostgreSQL refuses, here a NUL in a record, costs its own turn its record and nobody else anything.
func TestBadDataFailsItsOwnTurnOnly(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	good, bad, silent := newTurn(t, p.db), newTurn(t, p.db), newTurn(t, p.db)
	spoiled := modelRecord(bad, 1, 1)
	spoiled.Result = json.RawMessage(`{"text":"\u0000"}`)
	p.log.Append(silent, false, delta(1, 1, "kept"))

	waitBad, waitGood := p.log.Submit(spoiled), p.log.Submit(modelRecord(good, 1, 1))
	err := waitBad(t.Context())
	require.Error(t, err)
	require.NotErrorIs(t, err, stream.ErrFenced, "the turn is still this process's")
	require.NoError(t, waitGood(t.Context()))
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM turn_events WHERE turn_id = $1`, silent))

	require.NoError(t, p.log.Submit(modelRecord(bad, 1, 2))(t.Context()), "the turn can go on with better data")
}

// The connection breaks after the commit and before its answer. The listener of the process has another one, so nothing
// tells readers to look again: what was written has to be handed to them all the same, and the record is the step's.
func TestWhatWasWrittenWithoutAnAnswerIsOurs(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	direct := open(t, address)
	through, relay := storetest.Through(t, address)
	hub := stream.NewHub(direct)
	log := stream.NewLog(stream.LogOptions{DB: open(t, through), Hub: hub, Log: slog.New(slog.DiscardHandler), Interval: never})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { log.Run(ctx) })
	t.Cleanup(running.Wait)
	t.Cleanup(cancel)

	turn, lost := newTurn(t, direct), newTurn(t, direct)
	reader := hub.Follow(turn)
	defer reader.Close()
	log.Append(turn, true, delta(1, 1, "a"))
	require.Equal(t, []int64{stream.Seq(1, 1)}, seqs(read(t, reader)))
	takeOver(t, direct, lost)

	relay.Swallow()
	wait, waitLost := log.Submit(modelRecord(turn, 1, 2)), log.Submit(modelRecord(lost, 1, 1))
	require.Eventually(t, func() bool { return count(t, direct, `SELECT count(*) FROM turn_steps`) == 1 }, time.Minute, 5*time.Millisecond)
	relay.Cut()
	require.NoError(t, wait(t.Context()), "it was written, and by this process")
	require.Equal(t, []int64{stream.Seq(1, 2)}, seqs(read(t, reader)))
	require.ErrorIs(t, waitLost(t.Context()), stream.ErrFenced, "another process has that one")
}

// A record that somebody else has written is not ours, whatever became of the connection.
func TestARecordOfAnotherProcessIsNotOursAfterABreak(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t)
	direct := open(t, address)
	through, relay := storetest.Through(t, address)
	failed := make(bell, 1)
	log := stream.NewLog(
		stream.LogOptions{DB: open(t, through), Hub: stream.NewHub(direct), Log: slog.New(slog.NewTextHandler(failed, nil)), Interval: never},
	)
	turn := newTurn(t, direct)
	exec(t, direct, `INSERT INTO turn_steps (turn_id, step, call, result) VALUES ($1, 1, 0, '{"segments":[]}')`, turn)
	exec(t, direct, `INSERT INTO turn_events (turn_id, seq, step, chunk) VALUES ($1, $2, 1, '{}')`, turn, stream.Seq(1, 1))
	wait := log.Submit(modelRecord(turn, 1, 2))
	relay.Away()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { log.Run(ctx) })
	t.Cleanup(running.Wait)
	t.Cleanup(cancel)
	<-failed
	relay.Back()
	require.ErrorIs(t, wait(t.Context()), stream.ErrFenced)
}

// bell rings when something is logged.
type bell chan struct{}

func (b bell) Write(p []byte) (int, error) {
	select {
	case b <- struct{}{}:
	default:
	}
	return len(p), nil
}

func open(t *testing.T, address string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), address, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// What is bad costs nothing beside it, in its own turn neither.
func TestBadDataCostsItsTurnNothingElse(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	turn := newTurn(t, p.db)
	reader := p.hub.Follow(turn)
	defer reader.Close()
	p.log.Append(turn, false, delta(1, 1, "a"), stream.Event{Seq: stream.Seq(1, 2), Step: 1, Chunk: "\x00"}, delta(1, 3, "b"))
	spoiled := modelRecord(turn, 1, 4)
	spoiled.Call, spoiled.Result = 1, json.RawMessage(`{"text":"\u0000"}`)
	waitBad := p.log.Submit(spoiled)
	p.log.Append(turn, false, delta(1, 5, "c"))
	waitGood := p.log.Submit(modelRecord(turn, 1, 6))
	require.Error(t, waitBad(t.Context()))
	require.NoError(t, waitGood(t.Context()))
	want := []int64{stream.Seq(1, 1), stream.Seq(1, 3), stream.Seq(1, 5), stream.Seq(1, 6)}
	require.Equal(t, want, seqs(readUntil(t, reader, stream.Seq(1, 6))))
	again := p.hub.Follow(turn)
	defer again.Close()
	require.Equal(t, want, seqs(readUntil(t, again, stream.Seq(1, 6))), "it is stored as it was sent")
}

// While bad data is looked for, the connection breaks: what is good is written all the same.
func TestWhatIsGoodSurvivesABrokenConnectionBesideBadData(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	bad, good := newTurn(t, p.db), newTurn(t, p.db)
	spoiled := modelRecord(bad, 1, 1)
	spoiled.Result = json.RawMessage(`{"text":"\u0000"}`)
	crash.On(t, "stream.before-commit", good, func() {
		// Several connections are open, and all of them break.
		_ = p.db.InTx(t.Context(), func(ctx context.Context) error {
			_, _ = p.db.Conn(t.Context()).Exec(t.Context(), `SELECT 1`)
			_, err := p.db.Conn(
				ctx,
			).Exec(
				ctx,
				`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() ORDER BY pid = pg_backend_pid()`,
			)
			return err
		})
	})
	waitBad := p.log.Submit(spoiled)
	waitGood := p.log.Submit(modelRecord(good, 1, 1))
	require.Error(t, waitBad(t.Context()))
	require.NoError(t, waitGood(t.Context()))
}

func TestALogThatStopsWritesWhatIsLeft(t *testing.T) {
	t.Parallel()
	p := startProcess(t, storetest.New(t), never)
	turn := newTurn(t, p.db)
	p.log.Append(turn, false, delta(1, 1, "last words"))
	p.stop()
	require.Equal(t, 1, count(t, p.db, `SELECT count(*) FROM turn_events WHERE turn_id = $1`, turn))

	err := p.log.Submit(modelRecord(turn, 1, 2))(t.Context())
	require.ErrorContains(t, err, "stopped", "a record that comes later is refused, not forgotten")
}

func TestWaitingForARecordEndsWithTheCaller(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	hub := stream.NewHub(db)
	log := stream.NewLog(stream.LogOptions{DB: db, Hub: hub, Interval: never}) // nobody runs it
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, log.Submit(modelRecord(uuid.New(), 1, 1))(ctx), context.Canceled)
}

func TestPruningKeepsTheEventsOfTurnsThatMayStillBeRead(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	running, fresh, old := newTurn(t, p.db), newTurn(t, p.db), newTurn(t, p.db)
	for _, turn := range []uuid.UUID{running, fresh, old} {
		require.NoError(t, p.log.Submit(modelRecord(turn, 1, 1))(t.Context()))
	}
	exec(t, p.db, `UPDATE ai_turns SET status = 'done', finished_at = now() WHERE id = $1`, fresh)
	exec(t, p.db, `UPDATE ai_turns SET status = 'done', finished_at = now() - interval '11 minutes' WHERE id = $1`, old)

	require.NoError(t, p.log.Prune(t.Context(), 10*time.Minute))

	for turn, want := range map[uuid.UUID]int{running: 1, fresh: 1, old: 0} {
		require.Equal(t, want, count(t, p.db, `SELECT count(*) FROM turn_events WHERE turn_id = $1`, turn))
	}
	require.Equal(t, 2, count(t, p.db, `SELECT count(*) FROM turn_steps`), "records go with the events")

	// The next time it goes on from there, and does not look at all turns that have ever been.
	exec(t, p.db, `UPDATE ai_turns SET finished_at = finished_at - interval '11 minutes' WHERE id = $1`, fresh)
	require.NoError(t, p.log.Prune(t.Context(), 10*time.Minute))
	require.Zero(t, count(t, p.db, `SELECT count(*) FROM turn_events WHERE turn_id = $1`, fresh))
	require.Equal(
		t,
		1,
		count(
			t,
			p.db,
			`SELECT count(*) FROM sweeps WHERE name = 'finished turns' AND through BETWEEN now() - interval '11 minutes' AND now() - interval '10 minutes'`,
		),
	)
}
