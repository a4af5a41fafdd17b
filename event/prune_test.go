package event_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/store"
)

// prune does what the chore does in a version with these consumers.
func prune(t *testing.T, db *store.DB, consumers ...string) (log string) {
	t.Helper()
	var written bytes.Buffer
	pruner := event.NewPruner(db, slog.New(slog.NewTextHandler(&written, nil)), func() []string { return consumers })
	for _, c := range pruner.Chores() {
		require.NoError(t, c.Do(t.Context()))
	}
	return written.String()
}

// left are the marks of the events that are there.
func left(t *testing.T, db *store.DB) (marks string) {
	t.Helper()
	const of = `SELECT coalesce(string_agg(payload->>'reason', ' ' ORDER BY id), '') FROM events`
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), of).Scan(&marks))
	return marks
}

// An installation that was off for two months loses nothing that a consumer has not come to, and one that is gone from the product
// keeps nothing for ever.
func TestEventsThatAConsumerHasNotComeToStayUntilItIsGone(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	stop := runFor(t, db, event.Consumer{Name: "test", History: true})
	appendNow(t, db, changed(1, "handled"), changed(2, "handled too"))
	require.Eventually(t, func() bool { return count(t, db, `SELECT count(*) FROM event_lanes WHERE seen > 0`) > 1 }, patience, tick)
	stop()
	appendNow(t, db, changed(1, "unhandled"), changed(2, "unhandled too"))
	execute(t, db, `INSERT INTO events (type, subject, payload) VALUES ('other.type', 'system:1', '{"reason": "of no consumer"}')`)
	require.Empty(t, prune(t, db, "test"))
	execute(t, db, `UPDATE events SET created_at = created_at - interval '61 days'`)
	execute(t, db, `UPDATE event_consumers SET run_at = run_at - interval '61 days'`)
	log := prune(t, db, "test")
	require.Contains(t, log, "consumer=test depth=2")
	require.Contains(t, log, "running=false")
	require.Equal(t, "unhandled unhandled too", left(t, db), "one cursor of sixteen lanes is behind, or two")
	states, err := event.NewOperator(db).States(t.Context())
	require.NoError(t, err)
	require.True(t, states[0].Absent)
	require.True(t, states[0].Overdue())

	h := consume(t, db, event.Options{}, nil)
	h.waitInAnyOrder(t, "unhandled", "unhandled too")
	states, err = event.NewOperator(db).States(t.Context())
	require.NoError(t, err)
	require.False(t, states[0].Absent, "a process has said that it runs it")
	require.Eventually(t, func() bool { return prune(t, db, "test") == "" && left(t, db) == "" }, patience, tick)
}

func TestAConsumerThatIsGoneFromTheProductIsRemoved(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	stop := runFor(t, db, event.Consumer{Name: "gone", History: true, Handle: func(context.Context, event.Event) error {
		return errors.New("no")
	}})
	appendNow(t, db, changed(1, "failed"))
	require.Eventually(t, func() bool { return count(t, db, `SELECT count(*) FROM event_retries`) == 1 }, patience, tick)
	stop()
	appendNow(t, db, changed(1, "unhandled"))
	execute(t, db, `UPDATE events SET created_at = created_at - interval '31 days'`)
	execute(t, db, `UPDATE event_consumers SET run_at = run_at - interval '29 days'`)
	require.Contains(t, prune(t, db, "test"), "consumer=gone", "a process of another version may run it again")
	require.Equal(t, "failed unhandled", left(t, db))
	execute(t, db, `UPDATE event_consumers SET run_at = run_at - interval '2 days'`)
	require.NotContains(t, prune(t, db, "test", "gone"), "removed", "it is in the product")
	require.Contains(t, prune(t, db, "test"), "consumers=[gone]")
	require.Empty(t, left(t, db))
	require.Zero(t, count(t, db, `SELECT count(*) FROM event_consumers`)+count(t, db, `SELECT count(*) FROM event_lanes`)+
		count(t, db, `SELECT count(*) FROM event_retries`))
}

// runFor runs a consumer of changes until stop.
func runFor(t *testing.T, db *store.DB, c event.Consumer) (stop func()) {
	t.Helper()
	if c.Handle == nil {
		c.Handle = func(context.Context, event.Event) error { return nil }
	}
	c.Types = []string{health.EventChanged}
	r, err := event.NewRunner(event.Options{
		DB: db, Log: slog.New(slog.DiscardHandler), Registry: registry(t), Notifier: event.NewNotifier(), Poll: 10 * time.Millisecond,
		Consumers: []event.Consumer{c},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
