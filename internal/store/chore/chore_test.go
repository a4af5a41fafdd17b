package chore_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/storetest"
)

// However many processes there are, a chore is done once in its interval.
func TestAChoreIsDoneOnceInItsInterval(t *testing.T) {
	t.Parallel()
	const every = 100 * time.Millisecond
	db := storetest.New(t)
	var d diary
	stop := start(t, runner(db, 2*time.Second, d.chore("a", "often", every, nil), d.chore("a", "seldom", never, nil)))
	start(t, runner(db, 2*time.Second, d.chore("b", "often", every, nil), d.chore("b", "seldom", never, nil)))
	d.wait(t, "", "seldom", 1)
	d.wait(t, "", "often", 20)
	stop()
	d.wait(t, "b", "often", 10)
	require.Len(t, d.of("", "seldom"), 1, "who takes over goes on and does not begin anew")
	runs := d.of("", "often")
	slices.SortFunc(runs, func(a, b run) int { return a.began.Compare(b.began) })
	for i := range runs[1:] {
		// The first of two may begin a little after it is due.
		require.Greater(t, runs[i+1].began.Sub(runs[i].began), every-5*time.Millisecond, "%s, then %s", runs[i].who, runs[i+1].who)
	}
}

// A process that stops waits for its chores and hands over at once.
func TestAProcessThatStopsHandsOverAtOnce(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	listener := store.NewListener(db, slog.New(slog.DiscardHandler))
	var d diary
	cleaned := make(chan struct{})
	stop := start(t, runner(db, never, d.chore("a", "long", never, func(ctx context.Context) error {
		<-ctx.Done()
		<-cleaned
		return ctx.Err()
	})))
	d.wait(t, "a", "long", 1)
	next := runner(db, never, d.chore("b", "long", never, nil))
	listener.Subscribe(next.Subscriptions())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		listener.Run(ctx)
	}()
	<-listener.Ready()
	start(t, next)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	require.False(t, next.State().Holding)
	close(cleaned)
	<-stopped
	second := d.wait(t, "b", "long", 1)[0]
	require.False(t, second.began.Before(d.of("a", "long")[0].ended), "a run that was broken off is done again, and not beside the first")
	require.Equal(t, int64(2), next.State().Term)
	cancel()
	<-listening
}

// A process without its database stops before another one starts, and is ready again when the database is back.
func TestAProcessWithoutItsDatabaseStopsBeforeAnotherStarts(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	w, direct := newWire(t)
	near, far := open(t, direct), open(t, w.address)
	var d diary
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	log := &journal{}
	cut := chore.NewRunner(chore.Options{
		DB: far, Log: slog.New(slog.NewTextHandler(log, nil)), Lease: lease,
		Chores: []chore.Chore{d.chore("a", "hang", tick, hang), d.chore("a", "short", tick, nil)},
	})
	start(t, cut)
	d.wait(t, "a", "hang", 1)
	stop := start(t, runner(near, lease, d.chore("b", "hang", tick, hang), d.chore("b", "short", tick, nil)))
	w.set(true)
	first := d.wait(t, "b", "hang", 1)[0]
	for _, name := range []string{"hang", "short"} {
		runs := d.of("a", name)
		last := runs[len(runs)-1]
		require.False(t, last.ended.IsZero(), name)
		require.True(t, last.ended.Before(first.began), name)
	}
	require.Eventually(t, func() bool { return !cut.State().Holding }, statementTimeout, tick)
	w.set(false)
	before := len(d.of("a", "short"))
	d.wait(t, "b", "short", len(d.of("b", "short"))+10)
	require.Len(t, d.of("a", "short"), before, "the other one has them now")
	stop()
	d.wait(t, "a", "short", before+1)
	require.Contains(t, log.String(), "Chore lease lost")
}

// A connection that breaks is no reason to stop: the lease is a row.
func TestAConnectionThatBreaksIsReplaced(t *testing.T) {
	t.Parallel()
	w, _ := newWire(t)
	var d diary
	r := runner(open(t, w.address), never, d.chore("a", "short", tick, nil))
	start(t, r)
	d.wait(t, "a", "short", 1)
	w.set(true)
	w.set(false)
	d.wait(t, "a", "short", len(d.of("a", "short"))+10)
	require.Equal(t, int64(1), r.State().Term)
}

// A process whose connections are all in use keeps the chores: what is slow would not be better elsewhere, and a run that
// is broken off again and again never ends.
func TestTheLeaseNeedsNoConnectionOfOthers(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	db := open(t, storetest.URL(t))
	var d diary
	r := runner(db, lease, d.chore("a", "short", tick, nil), d.chore("a", "long", never, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}))
	start(t, r)
	d.wait(t, "a", "long", 1)
	give := exhaust(t, db)
	require.Eventually(t, func() bool {
		return !r.State().Holding || time.Since(d.of("a", "long")[0].began) > 2*lease
	}, statementTimeout, tick)
	give()
	d.wait(t, "a", "short", len(d.of("a", "short"))+10)
	require.Equal(t, int64(1), r.State().Term)
	require.True(t, d.of("a", "long")[0].ended.IsZero())
}

func TestAChoreThatFailsStopsNoOther(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var d diary
	log := &journal{}
	r := chore.NewRunner(chore.Options{DB: db, Log: slog.New(slog.NewTextHandler(log, nil)), Holder: "this one", Chores: []chore.Chore{
		d.chore("a", "fails", tick, func(context.Context) error { return errors.New("no broom") }),
		d.chore("a", "panics", tick, func(context.Context) error { panic("a spider") }),
		d.chore("a", "hangs", tick, func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}),
		d.chore("a", "works", tick, nil),
	}})
	start(t, r)
	for _, name := range []string{"fails", "panics", "works"} {
		d.wait(t, "a", name, 3)
	}
	require.Contains(t, log.String(), `chore=fails error="no broom"`)
	require.Contains(t, log.String(), "a spider")
	require.True(t, r.State().Holding)
	require.WithinDuration(t, time.Now(), r.State().Began["works"], statementTimeout)
	var holder string
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT holder FROM leases`).Scan(&holder))
	require.Equal(t, "this one", holder)
}

func TestAChoreCanBeWoken(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var d diary
	wake := make(chan struct{}, 1)
	c := d.chore("a", "listen", never, nil)
	c.Wake = wake
	start(t, runner(db, never, c))
	d.wait(t, "a", "listen", 1)
	wake <- struct{}{}
	d.wait(t, "a", "listen", 2)
}
