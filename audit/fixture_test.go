package audit_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/storetest"
	"countersign/tool"
	"countersign/tool/budget"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = 2 * time.Minute
	tick     = 10 * time.Millisecond
)

var key = sha256.New().Sum([]byte("a key of tests"))

// world is an audit log: app acts as the product's processes, owner may do everything.
type world struct {
	app, owner *store.DB
	chain      *audit.Chain
	budget     *budget.Budget
	person     principal.Principal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	app, owner := storetest.Restricted(t)
	return &world{
		app: app, owner: owner, chain: audit.NewChain(app, key),
		budget: budget.New(app, budget.Limits{Calls: 1_000_000, Window: time.Minute}),
		person: newPerson(),
	}
}

func newPerson() principal.Principal {
	return principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: []string{audit.Read}}
}

func newCall(p principal.Principal, name string) budget.Call {
	return budget.Call{
		ID: store.NewID(), Principal: p, Transport: budget.API, Tool: name, Effect: tool.Read, Arguments: json.RawMessage(`{"a":1}`),
	}
}

// call makes a call and ends it: two entries.
func (w *world) call(t *testing.T, name string) uuid.UUID {
	t.Helper()
	id, err := w.budget.Reserve(t.Context(), newCall(w.person, name))
	require.NoError(t, err)
	require.NoError(t, w.budget.Finish(t.Context(), id, nil))
	return id
}

func (w *world) extend(t *testing.T) {
	t.Helper()
	_, err := w.chain.NewExtender().Extend(t.Context())
	require.NoError(t, err)
}

func (w *world) verify(t *testing.T, expect audit.Head) audit.Report {
	t.Helper()
	report, err := w.chain.Verify(t.Context(), expect)
	require.NoError(t, err)
	return report
}

func (w *world) sound(t *testing.T) audit.Head {
	t.Helper()
	report := w.verify(t, audit.Head{})
	require.Nil(t, report.Break, "%v", report.Break)
	return report.Head
}

func exec(t *testing.T, db *store.DB, sql string, args ...any) {
	t.Helper()
	_, err := db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

func count(t *testing.T, db *store.DB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, db.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// ear is a subscriber that remembers what it hears, and fails while told to.
type ear struct {
	name string

	mu     sync.Mutex
	heard  []audit.ToolCalled
	broken bool
	calls  int
	news   chan struct{}
}

func newEar(name string) *ear { return &ear{name: name, news: make(chan struct{}, 10_000)} }

func (e *ear) Name() string { return e.name }

func (e *ear) Handle(_ context.Context, events []audit.ToolCalled) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	e.heard = append(e.heard, events...)
	e.news <- struct{}{}
	if e.broken {
		return errors.New("not now")
	}
	return nil
}

// wait returns what was heard once it is enough.
func (e *ear) wait(t *testing.T, enough func([]audit.ToolCalled) bool) []audit.ToolCalled {
	t.Helper()
	deadline := time.After(patience)
	for {
		e.mu.Lock()
		heard := append([]audit.ToolCalled{}, e.heard...)
		e.mu.Unlock()
		if enough(heard) {
			return heard
		}
		select {
		case <-e.news:
		case <-deadline:
			require.FailNow(t, "not heard", "%d events", len(heard))
		}
	}
}

func refusal() error { return problem.Errorf(problem.Forbidden, "no") }

// run works for the log as a worker process does, until the test ends or stop is called.
func (w *world) run(t *testing.T, subscribers ...audit.Subscriber) (stop func()) {
	t.Helper()
	r := &audit.Runner{
		Chain: w.chain, Log: slog.New(slog.DiscardHandler), Subscribers: subscribers,
		Every: 20 * time.Millisecond, VerifyEvery: 50 * time.Millisecond,
	}
	chores := chore.NewRunner(chore.Options{DB: w.app, Log: r.Log, Chores: r.Chores()})
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		chores.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func statements(sql string) []string { return strings.Split(sql, "; ") }

// refused is the SQLSTATE with which a statement fails.
func refused(ctx context.Context, db *store.DB, sql string) string {
	_, err := db.Conn(ctx).Exec(ctx, sql)
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return fmt.Sprint(err)
}

// sight lets those see proposals who hold the rules "manage" or "chat".
type sight struct{}

// Sees implements audit.Proposals.
func (sight) Sees(_ context.Context, p principal.Principal, _ uuid.UUID) (bool, error) {
	return p.Has("manage") || p.Has("chat"), nil
}
