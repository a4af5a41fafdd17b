package feed_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/event/feed"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what has to happen. It measures nothing.
const patience = time.Minute

func newFeed(db *store.DB) *feed.Feed {
	return feed.New(feed.Options{DB: db, Log: slog.New(slog.DiscardHandler), Pace: 5 * time.Millisecond})
}

// heard are the events of a reader, in the order in which they came.
type heard struct {
	*feed.Reader
	leave  func()
	events []feed.Event
	lost   bool
}

func listen(t *testing.T, f *feed.Feed, person uuid.UUID) *heard {
	t.Helper()
	r, leave, err := f.Read(t.Context(), person)
	require.NoError(t, err)
	t.Cleanup(leave)
	return &heard{Reader: r, leave: leave}
}

// next waits for something.
func (h *heard) next(t *testing.T) {
	t.Helper()
	select {
	case <-h.Wake():
	case <-time.After(patience):
		t.Fatalf("nothing more is heard after %v", h.events)
	}
	events, lost, _ := h.Take()
	h.events, h.lost = append(h.events, events...), h.lost || lost
}

func (h *heard) until(t *testing.T, ref string) {
	t.Helper()
	for !slices.ContainsFunc(h.events, func(e feed.Event) bool { return e.Ref == ref }) {
		h.next(t)
	}
}

func (h *heard) refs() (all []string) {
	for _, e := range h.events {
		all = append(all, e.Ref)
	}
	return all
}

func exec(t testing.TB, ctx context.Context, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(ctx).Exec(ctx, sql, args...)
	require.NoError(t, err)
}

// happens tells a person of something.
func happens(t testing.TB, ctx context.Context, db *store.DB, person uuid.UUID, ref string) {
	t.Helper()
	exec(t, ctx, db, `INSERT INTO feed_events (person_id, kind, ref) VALUES ($1, 'conversation', $2)`, person, ref)
}

func TestEverybodyHearsWhatIsForThemInEveryProcess(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ada, bob := uuid.New(), uuid.New()
	one, two := newFeed(db), newFeed(db)
	here, there, other := listen(t, one, ada), listen(t, two, ada), listen(t, two, bob)
	happens(t, t.Context(), db, ada, "first")
	exec(t, t.Context(), db, `INSERT INTO feed_events (sight, sight_ref, kind, type, ref) VALUES ('rule', 'x', 'record', 'x', 'everybody')`)
	for _, h := range []*heard{here, there, other} {
		h.until(t, "everybody")
	}
	require.ElementsMatch(t, []string{"first", "everybody"}, here.refs())
	require.ElementsMatch(t, []string{"first", "everybody"}, there.refs())
	require.Equal(t, []string{"everybody"}, other.refs(), "what is for somebody else is not even looked at")
	require.False(t, here.lost)
}

// Transactions end in another order than they have begun, and one of them long after others.
func TestWhatIsCommittedLateIsHeard(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ada := uuid.New()
	h := listen(t, newFeed(db), ada)
	require.NoError(t, db.InTx(t.Context(), func(slow context.Context) error {
		happens(t, slow, db, ada, "slow")
		for _, ref := range []string{"a", "b", "c"} {
			happens(t, context.WithoutCancel(t.Context()), db, ada, ref)
			h.until(t, ref)
		}
		require.NotContains(t, h.refs(), "slow")
		return nil
	}))
	h.until(t, "slow")
	happens(t, t.Context(), db, ada, "last")
	h.until(t, "last")
	require.Equal(t, []string{"a", "b", "c", "slow", "last"}, h.refs(), "each once")
}

func TestWhatWasTakenBackIsNotHeard(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ada := uuid.New()
	h := listen(t, newFeed(db), ada)
	require.ErrorIs(t, db.InTx(t.Context(), func(ctx context.Context) error {
		happens(t, ctx, db, ada, "undone")
		return context.Canceled
	}), context.Canceled)
	happens(t, t.Context(), db, ada, "done")
	h.until(t, "done")
	require.Equal(t, []string{"done"}, h.refs())
}

func TestAReaderThatIsAwayForLongIsToldThatAnythingMayHaveChanged(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ada := uuid.New()
	f := newFeed(db)
	slow, quick := listen(t, f, ada), listen(t, f, ada)
	for range 4 {
		exec(
			t,
			t.Context(),
			db,
			`INSERT INTO feed_events (person_id, kind, ref) SELECT $1, 'conversation', gen_random_uuid()::text FROM generate_series(1, 100)`,
			ada,
		)
		for before := len(quick.events); len(quick.events) < before+100; {
			quick.next(t)
		}
	}
	require.False(t, quick.lost)
	slow.next(t)
	require.True(t, slow.lost)
	require.Empty(t, slow.events, "it is not told what of it as well")
	happens(t, t.Context(), db, ada, "later")
	slow.until(t, "later")
	require.Equal(t, []string{"later"}, slow.refs(), "it goes on from there")
	exec(
		t,
		t.Context(),
		db,
		`INSERT INTO feed_events (person_id, kind, ref) SELECT $1, 'conversation', n::text FROM generate_series(1, 3000) n`,
		ada,
	)
	for !quick.lost {
		quick.next(t)
	}
}

func TestWhoComesBackHearsWhatWasMissed(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ada := uuid.New()
	f := newFeed(db)
	h := listen(t, f, ada)
	happens(t, t.Context(), db, ada, "heard")
	h.until(t, "heard")
	_, _, at := h.Take()
	h.leave()
	happens(t, t.Context(), db, ada, "missed")
	happens(t, t.Context(), db, uuid.New(), "of somebody else")
	since := func(at time.Time) (refs []string, known bool) {
		events, known, err := newFeed(db).Since(t.Context(), ada, at)
		require.NoError(t, err)
		return (&heard{events: events}).refs(), known
	}
	refs, known := since(at)
	require.True(t, known)
	require.Contains(t, refs, "missed")
	require.NotContains(t, refs, "of somebody else")

	for name, at := range map[string]time.Time{
		"in the future": time.Now().Add(time.Hour), "before anything was kept": at.Add(-time.Hour), "never": time.UnixMilli(0),
	} {
		_, known := since(at)
		require.False(t, known, name)
	}
	exec(t, t.Context(), db, `UPDATE feed_state SET since = now() - interval '1 day'`)
	_, known = since(at.Add(-feed.Keep))
	require.False(t, known, "too long ago")
	_, known = since(at.Add(-feed.Keep / 2))
	require.True(t, known)
	exec(
		t,
		t.Context(),
		db,
		`INSERT INTO feed_events (person_id, kind, ref) SELECT $1, 'conversation', n::text FROM generate_series(1, 1000) n`,
		ada,
	)
	_, known = since(at)
	require.False(t, known, "too much")
}

// A crash of the database empties tables that are not logged.
func TestAfterACrashOfTheDatabaseEverybodyReadsAgain(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	ada := uuid.New()
	f := newFeed(db)
	h := listen(t, f, ada)
	_, _, at := h.Take()
	exec(t, t.Context(), db, `TRUNCATE feed_events, feed_state`)
	for !h.lost {
		h.next(t)
	}
	_, known, err := f.Since(t.Context(), ada, at)
	require.NoError(t, err)
	require.False(t, known)
	happens(t, t.Context(), db, ada, "later")
	h.until(t, "later")
}

func TestNothingIsMissedWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	direct, err := store.Open(t.Context(), url, store.Options{MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(direct.Close)
	through, relay := storetest.Through(t, url)
	db, err := store.Open(t.Context(), through, store.Options{MaxConns: 2})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	ada := uuid.New()
	h := listen(t, newFeed(db), ada)
	for _, strike := range []struct{ begin, end func() }{{relay.Away, relay.Back}, {relay.Cut, func() {}}} {
		ref := uuid.NewString()
		strike.begin()
		happens(t, t.Context(), direct, ada, ref)
		strike.end()
		h.until(t, ref)
	}
	require.False(t, h.lost)
	require.Len(t, h.events, 2)
}

func TestEventsAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	f := newFeed(db)
	exec(
		t,
		t.Context(),
		db,
		`INSERT INTO feed_events (at, person_id, kind, ref) SELECT now() - n * interval '1 minute', $1, 'conversation', n::text FROM generate_series(0, 60) n`,
		uuid.New(),
	)
	require.NoError(t, f.Chores()[0].Do(t.Context()))
	var left int
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM feed_events`).Scan(&left))
	require.Equal(t, 15, left)
}

func TestNobodyLooksWhileNobodyReads(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	f := newFeed(db)
	_, leave, err := f.Read(t.Context(), uuid.New())
	require.NoError(t, err)
	leave()
	leave()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	again, leave, err := f.Read(gone, uuid.New())
	if err == nil {
		require.NotNil(t, again)
		leave()
	}
}
