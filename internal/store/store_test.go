package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTable makes a table of numbers.
func newTable(t *testing.T) *store.DB {
	t.Helper()
	db := storetest.New(t)
	exec(t, db, `CREATE TABLE numbers (n integer CONSTRAINT one_of_each UNIQUE CHECK (n < 100))`)
	return db
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

func insert(ctx context.Context, db *store.DB, n int) error {
	_, err := db.Conn(ctx).Exec(ctx, `INSERT INTO numbers VALUES ($1)`, n)
	return err
}

func count(t *testing.T, db *store.DB) int {
	t.Helper()
	var n int
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM numbers`).Scan(&n))
	return n
}

var errNo = errors.New("no")

func TestATransactionTravelsInTheContext(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		require.NoError(t, insert(ctx, db, 1))
		require.Zero(t, count(t, db), "others do not see it yet")
		return db.InTx(ctx, func(ctx context.Context) error { return insert(ctx, db, 2) })
	})
	require.NoError(t, err)
	require.Equal(t, 2, count(t, db))
}

func TestTheOutermostCallDecides(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	committed := false
	err := db.InTx(t.Context(), func(ctx context.Context) error {
		db.AfterCommit(ctx, func() { committed = true })
		require.NoError(t, db.InTx(ctx, func(ctx context.Context) error { return insert(ctx, db, 1) }))
		return errNo
	})
	require.ErrorIs(t, err, errNo)
	require.Zero(t, count(t, db))
	require.False(t, committed)
}

func TestAPanicUndoesATransaction(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	require.Panics(t, func() {
		_ = db.InTx(t.Context(), func(ctx context.Context) error {
			require.NoError(t, insert(ctx, db, 1))
			panic("no")
		})
	})
	require.Zero(t, count(t, db))
	require.Zero(t, db.Stat().AcquiredConns(), "its connection is free")
}

func TestWhatHasToWaitForTheCommitDoes(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	var seen []int
	note := func() { seen = append(seen, count(t, db)) }
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		db.AfterCommit(ctx, note)
		return insert(ctx, db, 1)
	}))
	db.AfterCommit(t.Context(), note)
	require.Equal(t, []int{1, 1}, seen, "after the commit, or at once without a transaction")
}

func open(t *testing.T, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 3})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func TestErrorsOfTheDatabaseAreToldApart(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	require.NoError(t, insert(t.Context(), db, 1))
	taken := insert(t.Context(), db, 1)
	require.True(t, store.Violates(taken, "one_of_each"))
	require.False(t, store.Violates(taken, "another"))
	require.True(t, store.InvalidData(taken))
	_, tooLong := db.Conn(t.Context()).Exec(t.Context(), `SELECT '{"a":"\u0000"}'::jsonb`)
	require.True(t, store.InvalidData(tooLong))
	require.False(t, store.InvalidData(context.DeadlineExceeded))
	_, syntax := db.Conn(t.Context()).Exec(t.Context(), `SELEC`)
	require.False(t, store.InvalidData(syntax), "a fault of the program is not one of the data")
	require.True(t, store.NoRows(db.Conn(t.Context()).QueryRow(t.Context(), `SELECT 1 WHERE false`).Scan(new(int))))
	require.True(t, store.NoRows(pgx.ErrNoRows))
	require.False(t, store.NoRows(nil))
}

func TestAnIntervalIsExact(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var seconds float64
	err := db.Conn(
		t.Context(),
	).QueryRow(
		t.Context(),
		`SELECT extract(epoch FROM $1::interval)::float8`,
		store.Interval(90*time.Minute+1500*time.Millisecond),
	).Scan(
		&seconds,
	)
	require.NoError(t, err)
	require.InDelta(t, 5401.5, seconds, 1e-9)
}

// The zone of a process is that of its machine. Two processes must not answer in two zones.
func TestTimesAreInUTC(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var one time.Time
	var null *time.Time
	var list []time.Time
	err := db.Conn(t.Context()).QueryRow(t.Context(), `SELECT now(), now(), ARRAY[now()]`).Scan(&one, &null, &list)
	require.NoError(t, err)
	for _, at := range []time.Time{one, *null, list[0]} {
		require.Same(t, time.UTC, at.Location())
	}
}

// An address holds a password, which must not get into a log with the error.
func TestNowIsTheTimeOfTheDatabase(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	// Also in a transaction, where now() is the time of its beginning.
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		var before, began time.Time
		require.NoError(t, db.Conn(ctx).QueryRow(ctx, "SELECT clock_timestamp(), now()").Scan(&before, &began))
		now, err := db.Now(ctx)
		require.NoError(t, err)
		var after time.Time
		require.NoError(t, db.Conn(ctx).QueryRow(ctx, "SELECT clock_timestamp()").Scan(&after))
		require.True(t, now.After(began) && now.After(before) && now.Before(after), "%s, %s, %s, %s", began, before, now, after)
		return nil
	}))
}

func TestABadAddressIsNotShown(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://user:hunter2@%zz/db", "postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=1", "hunter2 = ="} {
		_, err := store.Open(t.Context(), url, store.Options{})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestMigrationsGoUpAndDown(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	tables := func() (n int) {
		require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM information_schema.tables
			WHERE table_schema = 'public' AND table_name <> 'goose_db_version'`).Scan(&n))
		return n
	}
	before := tables()
	require.Greater(t, before, 10)
	n, err := db.Migrate(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "there is nothing left to do")

	require.NoError(t, db.MigrateDown(t.Context()))
	require.Zero(t, tables())
	n, err = db.Migrate(t.Context())
	require.NoError(t, err)
	require.Positive(t, n)
	require.Equal(t, before, tables())
}

// Processes that start together migrate together; one of them does it.
func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	require.NoError(t, open(t, url).MigrateDown(t.Context()))
	type result struct {
		n   int
		err error
	}
	results := make(chan result)
	for range 3 {
		db := open(t, url)
		go func() {
			n, err := db.Migrate(t.Context())
			results <- result{n, err}
		}()
	}
	total, most := 0, 0
	for range 3 {
		r := <-results
		require.NoError(t, r.err)
		total, most = total+r.n, max(most, r.n)
	}
	require.Positive(t, total)
	require.Equal(t, most, total)
}

// A transaction that somebody forgot gives its locks back.
func TestATransactionInWhichNothingHappensIsEnded(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	open := func(idle time.Duration) *store.DB {
		db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2, IdleInTransaction: idle})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		return db
	}
	var bound string
	require.NoError(t, open(0).Conn(t.Context()).QueryRow(t.Context(), "SHOW idle_in_transaction_session_timeout").Scan(&bound))
	require.Equal(t, "5min", bound)

	forgetful, waiting := open(20*time.Millisecond), open(0)
	exec(t, waiting, `CREATE TABLE numbers (n integer)`)
	err := forgetful.InTx(t.Context(), func(ctx context.Context) error {
		if _, err := forgetful.Conn(ctx).Exec(ctx, `LOCK TABLE numbers`); err != nil {
			return err
		}
		// It gets the lock once the database has ended the other transaction.
		require.NoError(t, insert(t.Context(), waiting, 1))
		_, err := forgetful.Conn(ctx).Exec(ctx, `SELECT 1`)
		return err
	})
	require.Error(t, err)
}
