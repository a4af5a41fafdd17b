package store_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// watched runs a monitor with short times, and returns what it tells.
func watched(t *testing.T, db *store.DB) (m *store.Monitor, told <-chan string) {
	t.Helper()
	news := make(chan string, 100)
	m = store.NewMonitor(db)
	m.Interval, m.ProbeTimeout, m.LostAfter, m.DeadAfter = 20*time.Millisecond, 2*time.Second, 3*time.Second, 4*time.Second
	m.OnLost, m.OnRecovered = func() { news <- "lost" }, func() { news <- "back" }
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return m, news
}

// A database is lost in many ways: the way to it is gone without a word, or it refuses at once.
func TestADatabaseThatIsLostIsNoticedAndSoIsItsReturn(t *testing.T) {
	t.Parallel()
	for name, strike := range map[string]func(*storetest.Relay){"silent": (*storetest.Relay).Freeze, "refused": (*storetest.Relay).Away} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			through, relay := storetest.Through(t, storetest.URL(t))
			m, told := watched(t, open(t, through))
			require.NoError(t, m.Alive())
			strike(relay)
			require.Equal(t, "lost", <-told)
			require.Eventually(t, func() bool { return m.Alive() != nil }, time.Minute, time.Millisecond)
			relay.Thaw()
			relay.Back()
			require.Equal(t, "back", <-told)
			require.NoError(t, m.Alive())
		})
	}
}

// login makes a role that may log in, and the URL with which it does.
func login(t *testing.T) (admin *store.DB, role, url string) {
	t.Helper()
	url = storetest.URL(t)
	admin = open(t, url)
	role = "monitor_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	name := pgx.Identifier{role}.Sanitize()
	exec(t, admin, `CREATE ROLE `+name+` LOGIN PASSWORD 'before'`)
	t.Cleanup(func() {
		_, _ = admin.Conn(context.WithoutCancel(t.Context())).Exec(context.WithoutCancel(t.Context()), `DROP ROLE `+name)
	})
	config, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	return admin, role, "postgres://" + role + ":before@" + config.Host + ":" + strconv.Itoa(
		int(config.Port),
	) + "/" + config.Database + "?sslmode=disable"
}

// Connections that are open go on when credentials change or no more are let in, until they are needed and not there:
// what counts is whether new ones can be opened, as soon as one could not.
func TestARefusedLoginLosesTheDatabase(t *testing.T) {
	t.Parallel()
	admin, role, as := login(t)
	name := pgx.Identifier{role}.Sanitize()
	db := open(t, as)
	_, told := watched(t, db)
	exec(t, admin, `ALTER ROLE `+name+` CONNECTION LIMIT 0`)
	exec(t, admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1`, role)
	require.Equal(t, "lost", <-told)
	exec(t, admin, `ALTER ROLE `+name+` CONNECTION LIMIT -1`)
	require.Equal(t, "back", <-told)
	exec(t, admin, `ALTER ROLE `+name+` NOLOGIN`)
	exec(t, admin, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1`, role)
	require.Equal(t, "lost", <-told)
}

// A pool whose connections are all in use is busy, and nothing is lost.
func TestABusyPoolIsNoLostDatabase(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), storetest.URL(t), store.Options{MaxConns: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	_, told := watched(t, db)
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error {
		_, err := db.Conn(ctx).Exec(ctx, `SELECT pg_sleep(6)`)
		return err
	}))
	require.Empty(t, told)
}

// A pool that fills the limit of its login cannot grow, and still works: it is not lost, and it could never come back, as nothing else
// gives a connection free.
func TestAPoolThatFillsTheConnectionLimitIsNoLostDatabase(t *testing.T) {
	t.Parallel()
	admin, role, as := login(t)
	db := open(t, as)
	exec(t, admin, `ALTER ROLE `+pgx.Identifier{role}.Sanitize()+` CONNECTION LIMIT 2`)
	_, told := watched(t, db)
	refused := 0
	for began := time.Now(); time.Since(began) < 6*time.Second; {
		var group sync.WaitGroup
		failed := make([]bool, 3)
		for i := range failed {
			group.Go(func() {
				_, err := db.Conn(t.Context()).Exec(t.Context(), `SELECT pg_sleep(0.05)`)
				failed[i] = err != nil
			})
		}
		group.Wait()
		for _, f := range failed {
			if f {
				refused++
			}
		}
	}
	require.Positive(t, refused, "the pool has tried to grow")
	require.Empty(t, told)
}
