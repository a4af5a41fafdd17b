package store_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/store"
	"countersign/store/storetest"
)

// listen runs a listener for the channel "news" and returns what it hears.
func listen(t *testing.T, db *store.DB) (heard <-chan string) {
	t.Helper()
	news := make(chan string, 100)
	l := store.NewListener(db, slog.New(slog.DiscardHandler))
	l.Subscribe("news", store.Subscription{
		Notify: func(payload string) { news <- payload },
		Resync: func() { news <- "resync" },
	})
	l.Subscribe("Other-Channel", store.Subscription{Notify: func(payload string) { news <- "other " + payload }})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	<-l.Ready()
	require.Equal(t, "resync", <-news, "what was said before may have been missed")
	return news
}

func notify(t *testing.T, db *store.DB, channel, payload string) {
	t.Helper()
	exec(t, db, `SELECT pg_notify($1, $2)`, channel, payload)
}

func TestNotificationsArriveInOrder(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	heard := listen(t, db)
	notify(t, db, "news", "a")
	notify(t, db, "Other-Channel", "b")
	notify(t, db, "nobody", "c")
	notify(t, db, "news", "")
	require.Equal(t, "a", <-heard)
	require.Equal(t, "other b", <-heard)
	require.Empty(t, <-heard)
}

func TestANotificationComesWithTheCommit(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	heard := listen(t, db)
	_ = db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := db.Conn(ctx).Exec(ctx, `SELECT pg_notify('news', 'undone')`)
		require.NoError(t, err)
		return errNo
	})
	notify(t, db, "news", "done")
	require.Equal(t, "done", <-heard)
}

// A connection breaks. The listener makes a new one and lets everybody look for what they have missed.
func TestABrokenConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	heard := listen(t, db)
	exec(t, db, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	require.Equal(t, "resync", <-heard)
	notify(t, db, "news", "still here")
	require.Equal(t, "still here", <-heard)
}
