package store_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// listen runs a listener for the channel "news" and returns what it hears.
func listen(t *testing.T, db *store.DB) (heard <-chan string) {
	t.Helper()
	return run(t, store.NewListener(db, slog.New(slog.DiscardHandler)))
}

func run(t *testing.T, l *store.Listener) (heard <-chan string) {
	t.Helper()
	news := make(chan string, 100)
	l.Subscribe(store.Subscriptions{
		"news":          {Notify: func(payload string) { news <- payload }, Resync: func() { news <- "resync" }},
		"Other-Channel": {Notify: func(payload string) { news <- "other " + payload }},
	})
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

// The machine of the server is gone, and nothing says so: a connection on which nobody speaks looks as it always does.
func TestAServerThatIsGoneWithoutAWordIsNoticed(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	through, relay := storetest.Through(t, url)
	l := store.NewListener(open(t, through), slog.New(slog.DiscardHandler))
	l.PingAfter, l.PingTimeout = 20*time.Millisecond, 200*time.Millisecond
	news := run(t, l)
	direct := open(t, url)
	notify(t, direct, "news", "a")
	require.Equal(t, "a", <-news)
	relay.Lose()
	for heard := range news {
		if heard == "resync" {
			break
		}
	}
	notify(t, direct, "news", "b")
	require.Equal(t, "b", <-news)
}

// Asking whether the server is there must cost no notification.
func TestASilentListenerHearsWhatComesLater(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	l := store.NewListener(db, slog.New(slog.DiscardHandler))
	l.PingAfter, l.PingTimeout = time.Millisecond, time.Minute
	news := run(t, l)
	for n := range 50 {
		exec(t, db, `SELECT pg_sleep(0.005)`)
		notify(t, db, "news", strconv.Itoa(n))
		require.Equal(t, strconv.Itoa(n), <-news)
	}
}
