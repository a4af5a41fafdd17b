package chore_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	// statementTimeout is how long a test waits for what has to happen. It measures nothing.
	statementTimeout = time.Minute
	tick             = 10 * time.Millisecond
	// never is the lease or interval of tests in which its end must not be why something happens.
	never = time.Hour
)

// run is one run of a chore.
type run struct {
	who, name    string
	began, ended time.Time
}

// diary is what several runners have done.
type diary struct {
	mu   sync.Mutex
	runs []run
}

// chore is one that is written down. do may be nil.
func (d *diary) chore(who, name string, every time.Duration, do func(ctx context.Context) error) chore.Chore {
	return chore.Chore{Name: name, Every: every, Do: func(ctx context.Context) error {
		d.mu.Lock()
		at := len(d.runs)
		d.runs = append(d.runs, run{who: who, name: name, began: time.Now()})
		d.mu.Unlock()
		defer func() {
			d.mu.Lock()
			d.runs[at].ended = time.Now()
			d.mu.Unlock()
		}()
		if do == nil {
			return nil
		}
		return do(ctx)
	}}
}

// of are the runs of a chore by somebody, "" for anybody.
func (d *diary) of(who, name string) []run {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []run
	for _, r := range d.runs {
		if (who == "" || r.who == who) && r.name == name {
			found = append(found, r)
		}
	}
	return found
}

// wait waits until somebody has done a chore so often.
func (d *diary) wait(t *testing.T, who, name string, times int) []run {
	t.Helper()
	require.Eventually(t, func() bool { return len(d.of(who, name)) >= times }, statementTimeout, tick, "%s by %q", name, who)
	return d.of(who, name)
}

// journal is a log that can be read.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// start runs a runner until the test ends or stop is called; stop waits for it.
func start(t *testing.T, r *chore.Runner) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func runner(db *store.DB, lease time.Duration, chores ...chore.Chore) *chore.Runner {
	return chore.NewRunner(chore.Options{DB: db, Log: slog.New(slog.DiscardHandler), Lease: lease, Chores: chores})
}

func open(t *testing.T, address string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), address, store.Options{MaxConns: 4})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// exhaust takes all connections of a database until the test ends or give is called.
func exhaust(t *testing.T, db *store.DB) (give func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var taken, holding sync.WaitGroup
	for range db.Stat().MaxConns() {
		taken.Add(1)
		holding.Go(func() {
			_ = db.InTx(ctx, func(ctx context.Context) error {
				taken.Done()
				<-ctx.Done()
				return nil
			})
		})
	}
	taken.Wait()
	give = func() {
		cancel()
		holding.Wait()
	}
	t.Cleanup(give)
	return give
}

// wire is a way to the database that can be cut.
type wire struct {
	address string
	server  string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

// newWire is a wire to a new database, whose address without it is direct.
func newWire(t *testing.T) (w *wire, direct string) {
	t.Helper()
	direct = storetest.URL(t)
	u, err := url.Parse(direct)
	require.NoError(t, err)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w = &wire{server: u.Host}
	u.Host = l.Addr().String()
	w.address = u.String()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			running.Go(func() { w.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		w.set(true)
		running.Wait()
	})
	return w, direct
}

func (w *wire) carry(near net.Conn) {
	defer func() { _ = near.Close() }()
	far, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.server)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	w.mu.Lock()
	w.conns = append(w.conns, near, far)
	cut := w.cut
	w.mu.Unlock()
	if cut {
		return
	}
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(near, far)
		_ = near.Close()
	}()
	_, _ = io.Copy(far, near)
	_ = far.Close()
	<-back
}

// set cuts the wire or mends it.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	if !cut {
		return
	}
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}
