package quota_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/quota"
	"countersign/internal/store/storetest"
)

var streams = quota.Kind{Name: "streams", Plural: "streams", Max: 1, TTL: time.Hour, RetryAfter: time.Second}

func open(t *testing.T, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, err = db.Migrate(t.Context())
	require.NoError(t, err)
	return db
}

func count(t *testing.T, db *store.DB, sql string) (n int) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), sql).Scan(&n))
	return n
}

// The end of a stream comes while its place is being kept: the statement ends before the place is given back.
func TestAPlaceIsNotKeptBehindItsEnd(t *testing.T) {
	t.Parallel()
	db := open(t, storetest.URL(t))
	places, who := quota.New(db), principal.Principal{Kind: principal.User, ID: uuid.New()}
	place, err := places.Acquire(t.Context(), who, streams)
	require.NoError(t, err)

	ctx, leave := context.WithCancel(t.Context())
	kept := make(chan error, 1)
	require.NoError(t, db.InTx(t.Context(), func(locking context.Context) error {
		_, err := db.Conn(locking).Exec(locking, `SELECT FROM held_places FOR UPDATE`)
		require.NoError(t, err)
		go func() { kept <- place.Renew(ctx) }()
		require.Eventually(t, func() bool {
			return count(t, db, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
		}, time.Minute, time.Millisecond, "the statement waits for the row")
		leave()
		return nil
	}))
	require.NoError(t, <-kept)
	place.Release(ctx)
	require.Zero(t, count(t, db, `SELECT count(*) FROM held_places`))
	_, err = places.Acquire(t.Context(), who, streams)
	require.NoError(t, err)
	_, err = places.Acquire(t.Context(), who, streams)
	require.True(t, problem.Is(err, problem.Throttled), "%v", err)
}

// The place is taken in the database, and the answer is lost on the way back.
func TestAPlaceWhoseAnswerIsLostIsGivenBack(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	direct := open(t, url)
	through, relay := storetest.Through(t, url)
	db := open(t, through)
	places, who := quota.New(db), principal.Principal{Kind: principal.User, ID: uuid.New()}
	first, err := places.Acquire(t.Context(), who, streams)
	require.NoError(t, err)
	first.Release(t.Context())
	relay.Swallow()
	taken := make(chan error, 1)
	go func() {
		_, err := places.Acquire(t.Context(), who, streams)
		taken <- err
	}()
	require.Eventually(t, func() bool { return count(t, direct, `SELECT count(*) FROM held_places`) == 1 }, time.Minute, time.Millisecond)
	relay.Cut()
	require.Error(t, <-taken)
	require.Zero(t, count(t, direct, `SELECT count(*) FROM held_places`))
}
