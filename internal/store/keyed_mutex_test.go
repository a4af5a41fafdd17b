package store_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestThoseOfANameGoOneAfterTheOther(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	var inside, most atomic.Int32
	var going sync.WaitGroup
	for range 50 {
		going.Go(func() {
			leave, err := db.LockLocally(t.Context(), "a")
			if err != nil {
				return
			}
			defer leave()
			most.Store(max(most.Load(), inside.Add(1)))
			for range 100 {
				runtime.Gosched()
			}
			inside.Add(-1)
		})
	}
	going.Wait()
	require.Equal(t, int32(1), most.Load())

	leave, err := db.LockLocally(t.Context(), "a")
	require.NoError(t, err)
	other, err := db.LockLocally(t.Context(), "b")
	require.NoError(t, err, "others do not wait")
	other()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = db.LockLocally(ctx, "a")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	leave()
	leave, err = db.LockLocally(t.Context(), "a")
	require.NoError(t, err, "who has given up keeps nobody waiting")
	leave()
}

// Waiting in line has an end, as waiting for a lock has.
func TestWaitingInLineHasAnEnd(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), storetest.URL(t), store.Options{MaxConns: 2, LockTimeout: 20 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	leave, err := db.LockLocally(t.Context(), "a")
	require.NoError(t, err)
	_, err = db.LockLocally(t.Context(), "a")
	require.True(t, store.Unavailable(err))
	leave()
	leave, err = db.LockLocally(t.Context(), "a")
	require.NoError(t, err)
	leave()
}

// Whoever is in a transaction may hold what the head of the line waits for.
func TestATransactionDoesNotStandInLine(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	leave, err := db.LockLocally(t.Context(), "a")
	require.NoError(t, err)
	defer leave()
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		leave, err := db.LockLocally(ctx, "a")
		if err == nil {
			leave()
		}
		return err
	}))
}

// However many wait for a lock that another process holds, the others of this process have their connections.
func TestWhoWaitsForALockHoldsNoConnection(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	elsewhere := open(t, url)
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 3, LockTimeout: 5 * time.Minute})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	var waiting sync.WaitGroup
	var done atomic.Int32
	const callers = 30
	require.NoError(t, elsewhere.InTx(t.Context(), func(ctx context.Context) error {
		var one int
		if err := elsewhere.Locked(ctx, "held").QueryRow(ctx, `SELECT 1`).Scan(&one); err != nil {
			return err
		}
		for range callers {
			waiting.Go(func() {
				var one int
				if db.Locked(t.Context(), "held").QueryRow(t.Context(), `SELECT 1`).Scan(&one) == nil {
					done.Add(1)
				}
			})
		}
		require.Eventually(t, func() bool {
			var n int
			err := elsewhere.Conn(t.Context()).QueryRow(t.Context(), `SELECT count(*) FROM pg_locks
				WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&n)
			return err == nil && n > 0
		}, time.Minute, 5*time.Millisecond)
		for range 50 {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			_, err := db.Conn(ctx).Exec(ctx, `SELECT 1`)
			cancel()
			require.NoError(t, err)
		}
		require.Equal(t, int32(1), db.Stat().AcquiredConns())
		require.Zero(t, done.Load())
		return nil
	}))
	waiting.Wait()
	require.Equal(t, int32(callers), done.Load())
}
