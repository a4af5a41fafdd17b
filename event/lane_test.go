package event_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/store"
)

func count(t *testing.T, db *store.DB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

func execute(t *testing.T, db *store.DB, query string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), query, args...)
	require.NoError(t, err)
}

func TestANewConsumerBeginsNow(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	appendNow(t, db, changed(1, "old"))
	h := consumeAs(t, db, event.Options{}, event.Consumer{Name: "new"})
	all := consumeAs(t, db, event.Options{}, event.Consumer{Name: "historian", History: true})
	require.Eventually(t, func() bool {
		return count(t, db, `SELECT count(*) FROM event_lanes WHERE consumer = 'new'`) == 16
	}, patience, tick)
	appendNow(t, db, changed(1, "new"))
	h.wait(t, "new")
	all.wait(t, "old", "new")
}

// A version with one cursor for each consumer runs beside this one while the product is replaced.
func TestTheCursorOfAnOlderVersionIsTakenOver(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	appendNow(t, db, changed(1, "dead"), changed(1, "retried"), changed(1, "behind it"), changed(2, "in hand"), changed(3, "next"))
	id := func(mark string) int {
		return count(t, db, `SELECT id FROM events WHERE payload->>'reason' = $1`, mark)
	}
	execute(t, db, `INSERT INTO event_consumers (name, seen) VALUES ('test', $1)`, id("behind it"))
	execute(t, db, `INSERT INTO event_deferrals (consumer, event_id, subject, attempts, error, due_at, parked_at)
		SELECT 'test', id, subject, 3, 'No.', now(), CASE WHEN payload->>'reason' = 'dead' THEN now() END
		FROM events WHERE id <= $1`, id("behind it"))
	older := begin(t, db)
	lock := `SELECT seen FROM event_consumers WHERE name = 'test' FOR UPDATE SKIP LOCKED`
	older.do(func(ctx context.Context) error {
		var seen int
		return db.Conn(ctx).QueryRow(ctx, lock).Scan(&seen)
	})
	h := consume(t, db, event.Options{}, nil)
	waiting := `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
	require.Eventually(t, func() bool { return count(t, db, waiting) == 1 }, patience, tick)
	require.Empty(t, h.all())
	older.do(func(ctx context.Context) error {
		_, err := db.Conn(ctx).Exec(ctx, `UPDATE event_consumers SET seen = $1 WHERE name = 'test'`, id("in hand"))
		return err
	})
	older.commit()
	h.waitInAnyOrder(t, "retried", "behind it", "next")
	require.Less(t, index(h.all(), "retried"), index(h.all(), "behind it"))
	dead, err := event.NewOperator(db).DeadLetters(t.Context(), event.DeadLetter{}, 10)
	require.NoError(t, err)
	require.Len(t, dead, 1)

	// The older version goes on, and finds nothing.
	seen := count(t, db, lock)
	require.Zero(t, count(t, db, `SELECT count(*) FROM events WHERE id > $1`, seen))
	require.Zero(t, count(t, db, `SELECT count(*) FROM event_deferrals`))
	execute(t, db, `INSERT INTO event_consumers (name, seen) VALUES ('test', 0) ON CONFLICT DO NOTHING`)
	require.Equal(t, seen, count(t, db, lock))
}

func index(list []string, one string) int {
	for i, s := range list {
		if s == one {
			return i
		}
	}
	return -1
}

// Each event leaves a row in its transaction, whatever the others of its batch do.
func TestAFailedEventOfABatchLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	const events, subjects = 400, 40
	db := newDB(t)
	execute(t, db, `CREATE TABLE got (n integer); CREATE TABLE checked (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED)`)
	fails := map[int]error{7: errors.New("no"), 103: errors.New("no"), 250: errors.New("no")}
	var batch []event.New
	for n := range events {
		batch = append(batch, changed(n%subjects, strconv.Itoa(n)))
	}
	appendNow(t, db, batch...)
	h := consume(t, db, event.Options{Attempts: 1}, func(ctx context.Context, e event.Event) error {
		n, err := strconv.Atoi(mark(t, e))
		if err != nil {
			return err
		}
		if _, err := db.Conn(ctx).Exec(ctx, `INSERT INTO got VALUES ($1)`, n); err != nil {
			return err
		}
		switch n {
		case 11: // The transaction is broken, and the handler does not say so.
			_, err = db.Conn(ctx).Exec(ctx, `SELECT 1 / 0`)
			_ = err
		case 12: // The transaction cannot be committed.
			_, err := db.Conn(ctx).Exec(ctx, `INSERT INTO checked VALUES (1), (1)`)
			return err
		}
		return fails[n]
	})
	require.Eventually(t, func() bool {
		return count(t, db, `SELECT count(*) FROM got`) == events-5 && count(t, db, `SELECT count(*) FROM event_retries`) == 5
	}, patience, tick, "%d events", len(h.all()))
	require.Equal(t, events-5, count(t, db, `SELECT count(DISTINCT n) FROM got`))
	require.Zero(t, count(t, db, `SELECT count(*) FROM got WHERE n IN (7, 11, 12, 103, 250)`))
}

// A handler that takes its time after it has written holds up neither other subjects nor the watermark of anybody.
func TestASlowHandlerHoldsUpItsLaneAlone(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	execute(t, db, `CREATE TABLE got (mark text)`)
	var blocked atomic.Bool
	let := make(chan struct{})
	h := consume(t, db, event.Options{}, func(ctx context.Context, e event.Event) error {
		if _, err := db.Conn(ctx).Exec(ctx, `INSERT INTO got VALUES ($1)`, mark(t, e)); err != nil {
			return err
		}
		if mark(t, e) != "slow" {
			return nil
		}
		blocked.Store(true)
		<-let
		return nil
	})
	other := other(t, db, 1)
	appendNow(t, db, changed(1, "slow"))
	require.Eventually(t, blocked.Load, patience, tick)
	log := event.NewLog(db, registry(t), event.NewNotifier())
	tail, err := log.Follow(t.Context(), principal.Principal{Rules: []string{principal.Admin}}, event.Query{All: true}, 0)
	require.NoError(t, err)
	appendNow(t, db, changed(other, "other"), changed(1, "same"))
	h.wait(t, "other")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	events, err := tail.Next(ctx)
	require.NoError(t, err)
	require.Equal(t, "other", mark(t, events[0]))
	close(let)
	h.wait(t, "other", "slow", "same")
}

// other is a system in another lane.
func other(t *testing.T, db *store.DB, than int) int {
	t.Helper()
	for n := than + 1; ; n++ {
		if count(t, db, `SELECT event_lane($1) - event_lane($2)`, health.SubjectOf(system(n)), health.SubjectOf(system(than))) != 0 {
			return n
		}
	}
}

// A process that does not know a type must not pass it by for one that does.
func TestAConsumerThatFollowsMoreTypesTakesOver(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	h := consume(t, db, event.Options{}, nil)
	appendNow(t, db, changed(1, "before"))
	h.wait(t, "before")
	execute(t, db, `UPDATE event_consumers SET types = types || '{healthcheck.system_healthy}'`)
	appendNow(t, db, changed(1, "after"))
	require.Never(t, func() bool { return len(h.all()) > 1 }, 200*time.Millisecond, tick)
	execute(t, db, `UPDATE event_consumers SET types = types[:1]`)
	h.wait(t, "before", "after")
}

func TestAnEventCarriesItsCause(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	outbox := event.NewOutbox(db, registry(t))
	got := make(chan event.Event, 3)
	consume(t, db, event.Options{}, func(ctx context.Context, e event.Event) error {
		got <- e
		if mark(t, e) == "second" {
			return nil
		}
		return outbox.Append(ctx, changed(1, "second"))
	})
	next := func() event.Event {
		select {
		case e := <-got:
			return e
		case <-time.After(patience):
			require.FailNow(t, "no event")
		}
		return event.Event{}
	}
	cause := event.Cause{Request: "update-system", Proposal: uuid.New(), Depth: 1}
	turn, run := uuid.New(), uuid.New()
	ctx := principal.NewContext(event.WithCause(t.Context(), cause), principal.Principal{TurnID: turn, Run: &principal.Run{ID: run}})
	require.NoError(t, db.InTx(ctx, func(ctx context.Context) error { return outbox.Append(ctx, changed(1, "first")) }))
	cause.Turn, cause.Run = turn, run.String()
	first := next()
	require.Equal(t, &cause, first.Cause)
	require.Equal(t, &event.Cause{Proposal: cause.Proposal, Turn: turn, Run: cause.Run, Event: first.ID, Depth: 2}, next().Cause)
	appendNow(t, db, changed(2, "second"))
	require.Nil(t, next().Cause)
}
