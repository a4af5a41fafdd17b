package event_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// A transaction that drew the lower id commits after one with a higher id. Which of them got its number first makes no
// difference: the second case is one in which the xmax of a snapshot is not above the transaction that still runs.
func TestAnEventThatCommitsLaterIsNotSkipped(t *testing.T) {
	t.Parallel()
	for name, order := range map[string][2]int{"lower number first": {0, 1}, "higher number first": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDB(t)
			outbox := event.NewOutbox(db, registry(t))
			number := func(ctx context.Context) error {
				_, err := db.Conn(ctx).Exec(ctx, `SELECT pg_current_xact_id()`)
				return err
			}
			slow, quick := begin(t, db), begin(t, db)
			for _, i := range order {
				[]*began{slow, quick}[i].do(number)
			}
			slow.do(func(ctx context.Context) error { return outbox.Append(ctx, changed(1, "slow")) })
			quick.do(func(ctx context.Context) error { return outbox.Append(ctx, changed(2, "quick")) })
			tail, err := event.NewLog(
				db,
				registry(t),
				event.NewNotifier(),
			).Follow(
				t.Context(),
				principal.Principal{Rules: []string{principal.Admin}},
				event.Query{All: true},
				0,
			)
			require.NoError(t, err)
			quick.commit()
			followed := make(chan []event.Event, 1)
			go func() {
				events, err := tail.Next(t.Context())
				_ = err // no events say it
				followed <- events
			}()
			require.Never(t, func() bool { return len(followed) > 0 }, 200*time.Millisecond, tick)
			h := consume(t, db, event.Options{}, nil)
			// A further event, of a transaction that has come and gone, moves what has ended beyond both.
			appendNow(t, db, changed(3, "later"))
			seen := func() (n int) {
				require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM event_consumers`).Scan(&n))
				return n
			}
			require.Eventually(t, func() bool { return seen() == 1 }, patience, tick)
			require.Never(t, func() bool { return len(h.all()) > 0 }, 300*time.Millisecond, tick)
			slow.commit()
			h.waitInAnyOrder(t, "slow", "quick", "later")
			require.Equal(t, "slow", mark(t, (<-followed)[0]))
		})
	}
}

// Two transactions about one subject take its lock in an order that is not that of their numbers.
func TestEventsOfASubjectComeInTheOrderOfItsLock(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	_, err := db.Conn(t.Context()).Exec(t.Context(), `CREATE TABLE things (id integer PRIMARY KEY); INSERT INTO things VALUES (1)`)
	require.NoError(t, err)
	outbox := event.NewOutbox(db, registry(t))
	lock := func(ctx context.Context) error {
		_, err := db.Conn(ctx).Exec(ctx, `SELECT pg_current_xact_id() FROM (SELECT FROM things WHERE id = 1 FOR UPDATE) locked`)
		return err
	}
	h := consume(t, db, event.Options{}, nil)
	second, first := begin(t, db), begin(t, db)
	second.do(func(ctx context.Context) error {
		_, err := db.Conn(ctx).Exec(ctx, `SELECT pg_current_xact_id()`)
		return err
	})
	first.do(lock)
	waiting := second.begin(lock)
	first.do(func(ctx context.Context) error { return outbox.Append(ctx, changed(1, "first")) })
	first.commit()
	require.NoError(t, <-waiting)
	second.do(func(ctx context.Context) error { return outbox.Append(ctx, changed(1, "second")) })
	second.commit()
	h.wait(t, "first", "second")
}

func TestAnEventThatFailsHoldsUpItsSubjectAlone(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	var healed atomic.Bool
	var tries atomic.Int32
	appendNow(t, db, changed(1, "bad"), changed(2, "b1"), changed(1, "after bad"), changed(2, "b2"))
	h := consume(t, db, event.Options{FirstWait: time.Millisecond, Attempts: 1000}, func(_ context.Context, e event.Event) error {
		if mark(t, e) != "bad" || healed.Load() {
			return nil
		}
		if tries.Add(1)%2 == 0 {
			panic("a bad handler")
		}
		return errors.New("not yet")
	})
	h.wait(t, "b1", "b2")
	require.Eventually(t, func() bool { return tries.Load() > 3 }, patience, tick)
	appendNow(t, db, changed(2, "b3"))
	h.wait(t, "b1", "b2", "b3")
	healed.Store(true)
	h.wait(t, "b1", "b2", "b3", "bad", "after bad")
}

func TestAnEventThatFailsTooOftenIsParked(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	operator := event.NewOperator(db)
	var healed atomic.Bool
	appendNow(t, db, changed(1, "bad"), changed(1, "next"))
	h := consume(t, db, event.Options{FirstWait: time.Millisecond, Attempts: 3}, func(ctx context.Context, e event.Event) error {
		if _, err := db.Conn(ctx).Exec(ctx, `CREATE TABLE IF NOT EXISTS traces (n integer)`); err != nil {
			return err
		}
		if mark(t, e) == "bad" && !healed.Load() {
			return errors.New("it never works\x00")
		}
		return nil
	})
	h.wait(t, "next")
	parked, err := operator.DeadLetters(t.Context(), event.DeadLetter{}, 10)
	require.NoError(t, err)
	require.Len(t, parked, 1)
	require.EqualValues(t, 3, parked[0].Attempts)
	require.Equal(t, "it never works", parked[0].Error)
	require.Eventually(t, func() bool {
		states, err := operator.States(t.Context())
		require.NoError(t, err)
		require.Len(t, states, 1)
		require.EqualValues(t, 1, states[0].DeadLetters)
		return states[0].Waiting == 0
	}, patience, tick, "what was handled is on record soon after")

	healed.Store(true)
	for _, want := range []bool{true, false} {
		did, err := operator.Retry(t.Context(), parked[0].Consumer, parked[0].EventID)
		require.NoError(t, err)
		if !want {
			continue // it may have been handled already
		}
		require.True(t, did)
		h.wait(t, "next", "bad")
	}
}

func TestOldEventsAreForgottenUnlessSomebodyWaitsForThem(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	appendNow(t, db, changed(1, "parked"), changed(2, "done"))
	h := consume(t, db, event.Options{Attempts: 1}, func(_ context.Context, e event.Event) error {
		if mark(t, e) == "parked" {
			return errors.New("no")
		}
		return nil
	})
	h.wait(t, "done")
	appendNow(t, db, changed(2, "young"))
	h.wait(t, "done", "young")
	// Another lane may still work on the event of the other subject.
	require.Eventually(t, func() bool {
		return count(t, db, `SELECT count(*) FROM event_retries WHERE dead_at IS NOT NULL`) == 1
	}, patience, tick)
	execute(t, db, `UPDATE events SET created_at = created_at - interval '31 days' WHERE payload->>'reason' <> 'young'`)
	prune(t, db, "test")
	require.Equal(t, "parked young", left(t, db))
}

// Processes that append and consume are killed at any moment. Every event that was committed is handled exactly once, since the
// handler works in its transaction, and in the order of its subject.
func TestNothingIsLostOrDoubledWhenProcessesAreKilled(t *testing.T) {
	t.Parallel()
	const subjects, rounds = 8, 12
	url, processes := storetest.Processes(t, storetest.URL, rounds, serve(t))
	db := open(t, url)
	_, err := db.Conn(t.Context()).Exec(t.Context(), `CREATE TABLE counters (subject integer PRIMARY KEY, n integer NOT NULL);
		INSERT INTO counters SELECT g, 0 FROM generate_series(0, 7) g;
		CREATE TABLE got (place bigserial, subject text, n integer)`)
	require.NoError(t, err)
	count := func() (n int) {
		require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM got`).Scan(&n))
		return n
	}
	// Two work at any time; the older one of them is killed when some more events have come through.
	storetest.Ask(t, processes[:1], "work")
	for i := 1; i < rounds; i++ {
		storetest.Ask(t, processes[i:i+1], "work")
		before := count()
		require.Eventually(t, func() bool { return count() > before+20+rand.IntN(20) }, patience, tick)
		processes[i-1].Signal(t, syscall.SIGKILL)
	}
	storetest.Ask(t, processes[rounds-1:], "stop appending")
	var missing int
	require.Eventually(t, func() bool {
		require.NoError(
			t,
			db.Conn(t.Context()).QueryRow(t.Context(), `SELECT (SELECT sum(n) FROM counters) - (SELECT count(*) FROM got)`).Scan(&missing),
		)
		return missing == 0
	}, patience, tick, "%d are missing", &missing)
	rows, err := db.Conn(t.Context()).Query(t.Context(), `SELECT subject, n FROM got ORDER BY place`)
	require.NoError(t, err)
	next := map[string]int{}
	for rows.Next() {
		var subject string
		var n int
		require.NoError(t, rows.Scan(&subject, &n))
		next[subject]++
		require.Equal(t, next[subject], n, "order of %s", subject)
	}
	require.NoError(t, rows.Err())
	require.Len(t, next, subjects)
	t.Logf("%d events, %d kills", count(), rounds-1)
}

// mostAhead is how many events may wait to be handled: those who append are many and do it at once, and one consumer handles them one by
// one, so that there is no end of it on a busy machine.
const mostAhead = 200

// serve is a process that appends about eight subjects, each with a counter whose row is the lock, and consumes.
func serve(t *testing.T) func(db *store.DB, request string) string {
	t.Helper()
	var stopped atomic.Bool
	return func(db *store.DB, request string) string {
		if request != "work" {
			stopped.Store(true)
			return "stops"
		}
		consume(t, db, event.Options{}, func(ctx context.Context, e event.Event) error {
			n, err := strconv.Atoi(mark(t, e))
			if err != nil {
				return err
			}
			_, err = db.Conn(ctx).Exec(ctx, `INSERT INTO got (subject, n) VALUES ($1, $2)`, strings.TrimPrefix(e.Subject, "system:"), n)
			return err
		})
		outbox := event.NewOutbox(db, registry(t))
		for range 3 {
			go func() {
				for !stopped.Load() && t.Context().Err() == nil {
					err := db.InTx(t.Context(), func(ctx context.Context) error {
						s, n := rand.IntN(8), 0
						err := db.Conn(ctx).QueryRow(ctx, `UPDATE counters SET n = n + 1 WHERE subject = $1
							AND (SELECT sum(n) FROM counters) - (SELECT count(*) FROM got) < $2 RETURNING n`, s, mostAhead).Scan(&n)
						if err != nil {
							return fmt.Errorf("count: %w", err)
						}
						return outbox.Append(ctx, changed(s, strconv.Itoa(n)))
					})
					if err != nil { // the consumer has to come along
						<-time.After(tick)
					}
				}
			}()
		}
		return "works"
	}
}
