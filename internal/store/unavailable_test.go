package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// bounded is ctx with a time that is no measure of speed: it only keeps a fault from hanging the tests.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestWhatPassesIsToldFromWhatDoesNot(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"08006", "53100", "53300", "55P03", "57014", "57P01", "57P03", "25P03", "40001", "40P01", "58030"} {
		require.True(t, store.Unavailable(fmt.Errorf("load: %w", &pgconn.PgError{Code: code})), code)
	}
	for _, code := range []string{"23505", "22P02", "42P01", "42601", "28P01", "54000", "XX000"} {
		require.False(t, store.Unavailable(fmt.Errorf("load: %w", &pgconn.PgError{Code: code})), code)
	}
	for _, err := range []error{io.ErrUnexpectedEOF, &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}, context.DeadlineExceeded} {
		require.True(t, store.Unavailable(fmt.Errorf("load: %w", err)), err)
	}
	for _, err := range []error{nil, errNo, context.Canceled, io.EOF} {
		require.False(t, store.Unavailable(err), err)
	}
	require.True(t, store.SerializationFailure(&pgconn.PgError{Code: "40P01"}))
	require.False(t, store.SerializationFailure(&pgconn.PgError{Code: "53100"}), "a full disk is not better a moment later")
}

func TestADatabaseThatIsNotThereIsAway(t *testing.T) {
	t.Parallel()
	url, relay := storetest.Through(t, storetest.URL(t))
	db := open(t, url)
	relay.Away()
	_, err := db.Conn(t.Context()).Exec(bounded(t), `SELECT 1`)
	require.True(t, store.Unavailable(err), "%v", err)
	relay.Back()
	require.Eventually(t, func() bool { return db.Ping(t.Context()) == nil }, time.Minute, 10*time.Millisecond)
}

// A server whose machine stands still takes what it is sent and says nothing.
func TestAStatementThatGetsNoAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	url, relay := storetest.Through(t, storetest.URL(t))
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2, StatementTimeout: 200 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	ctx := bounded(t)
	for _, ask := range []func() error{
		func() error { _, err := db.Conn(ctx).Exec(ctx, `SELECT 1`); return err },
		func() error { return db.Conn(ctx).QueryRow(ctx, `SELECT $1::int`, 1).Scan(new(int)) },
		func() error {
			return db.InTx(ctx, func(context.Context) error { return nil })
		},
		func() error { return db.Locked(ctx, "name").QueryRow(ctx, `SELECT 1`).Scan(new(int)) },
	} {
		require.NoError(t, ask())
		relay.Freeze()
		err := ask()
		require.True(t, store.Unavailable(err), "%v", err)
		require.NoError(t, ctx.Err())
		relay.Thaw()
		require.Eventually(t, func() bool { return ask() == nil }, time.Minute, 10*time.Millisecond)
	}
}

func TestAStatementTakesNoLongerThanItMay(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 2, StatementTimeout: 100 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	ctx := bounded(t)
	_, err = db.Conn(ctx).Exec(ctx, `SELECT pg_sleep(1000), 'too long'`)
	require.True(t, store.Unavailable(err), "%v", err)
	watcher := open(t, url)
	require.Eventually(t, func() bool {
		var n int
		require.NoError(
			t,
			watcher.Conn(
				ctx,
			).QueryRow(
				ctx,
				`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%too long%' AND pid <> pg_backend_pid()`,
			).Scan(
				&n,
			),
		)
		return n == 0
	}, time.Minute, 10*time.Millisecond, "the server does not go on with what nobody waits for")

	_, err = db.Conn(ctx).Exec(store.WithStatementTimeout(ctx, time.Minute), `SELECT pg_sleep(0.3)`)
	require.NoError(t, err, "for chores it may")
	_, err = db.Conn(ctx).Exec(store.WithStatementTimeout(ctx, 0), `SELECT pg_sleep(0.3)`)
	require.NoError(t, err)

	var lock, statement string
	require.NoError(
		t,
		open(
			t,
			url,
		).Conn(
			ctx,
		).QueryRow(
			ctx,
			`SELECT current_setting('lock_timeout'), current_setting('statement_timeout')`,
		).Scan(
			&lock,
			&statement,
		),
	)
	require.Equal(t, []string{"15s", "5min"}, []string{lock, statement}, "what the database keeps by itself")
}

func TestALockIsWaitedForOnlySoLong(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	holder := open(t, url)
	exec(t, holder, `CREATE TABLE numbers (n integer)`)
	waiting, err := store.Open(t.Context(), url, store.Options{MaxConns: 2, LockTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(waiting.Close)
	ctx := bounded(t)
	require.NoError(t, holder.InTx(ctx, func(held context.Context) error {
		_, err := holder.Conn(held).Exec(held, `LOCK TABLE numbers`)
		require.NoError(t, err)
		failed := insert(ctx, waiting, 1)
		require.True(t, store.Unavailable(failed), "%v", failed)
		return nil
	}))
	require.NoError(t, insert(ctx, waiting, 1))
}

func TestAConnectionOfThePoolIsWaitedForOnlySoLong(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), storetest.URL(t), store.Options{MaxConns: 1, AcquireTimeout: 3 * time.Second})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	ctx := bounded(t)
	require.NoError(t, db.InTx(ctx, func(context.Context) error {
		_, err := db.Conn(ctx).Exec(ctx, `SELECT 1`)
		require.True(t, store.Unavailable(err), "%v", err)
		require.NoError(t, ctx.Err())
		return nil
	}))
	require.NoError(t, db.Ping(ctx))
}

// Two transactions wait for each other, and the database undoes one of them for the sake of the other.
func TestATransactionThatIsUndoneForAnotherRunsAgain(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	ctx := bounded(t)
	require.NoError(t, insert(ctx, db, 1))
	require.NoError(t, insert(ctx, db, 2))
	var met sync.WaitGroup
	met.Add(2)
	var tries atomic.Int32
	touch := func(ctx context.Context, n int) error {
		_, err := db.Conn(ctx).Exec(ctx, `UPDATE numbers SET n = n WHERE n = $1`, n)
		return err
	}
	results := make(chan error, 2)
	for _, way := range [][2]int{{1, 2}, {2, 1}} {
		go func() {
			first := true
			done, err := store.InTx(ctx, db, func(ctx context.Context) (string, error) {
				tries.Add(1)
				if err := touch(ctx, way[0]); err != nil {
					return "", err
				}
				if first {
					first = false
					met.Done()
					met.Wait()
				}
				return "done", touch(ctx, way[1])
			})
			if err == nil && done != "done" {
				err = errNo
			}
			results <- err
		}()
	}
	require.NoError(t, <-results)
	require.NoError(t, <-results)
	require.Equal(t, int32(3), tries.Load())
}

func TestAnErrorOfATransactionIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	db := newTable(t)
	tries := 0
	_, err := store.InTx(t.Context(), db, func(context.Context) (int, error) {
		tries++
		return 0, errNo
	})
	require.ErrorIs(t, err, errNo)
	require.Equal(t, 1, tries)

	// Inside of another transaction it is for that one to begin again.
	undone := &pgconn.PgError{Code: "40P01"}
	err = db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := store.InTx(ctx, db, func(context.Context) (int, error) {
			tries++
			return 0, undone
		})
		return err
	})
	require.ErrorIs(t, err, undone)
	require.Equal(t, 2, tries)
}
