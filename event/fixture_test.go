package event_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	// patience is how long a test waits for what has to happen. It measures nothing.
	patience = time.Minute
	tick     = 5 * time.Millisecond
)

func registry(t testing.TB) *event.Registry {
	t.Helper()
	r, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	require.NoError(t, err)
	return r
}

// system is the nth system.
func system(n int) uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte{byte(n >> 8), byte(n)}) }

// changed is an event about a system; mark tells it from others.
func changed(n int, mark string) event.New {
	return event.New{
		Type:       health.EventChanged,
		Subject:    health.SubjectOf(system(n)),
		ContextKey: system(n).String(),
		Payload: health.ChangedPayload{
			SystemID:   system(n),
			SystemName: "s",
			Before:     "healthy",
			After:      "degraded",
			Reason:     mark,
			At:         time.Unix(1, 0),
		},
	}
}

// mark is the text by which tests distinguish events.
func mark(t testing.TB, e event.Event) string {
	t.Helper()
	p, err := event.Decode[health.ChangedPayload](e)
	require.NoError(t, err)
	return p.Reason
}

func appendNow(t testing.TB, db *store.DB, events ...event.New) {
	t.Helper()
	outbox := event.NewOutbox(db, registry(t))
	require.NoError(t, db.InTx(t.Context(), func(ctx context.Context) error { return outbox.Append(ctx, events...) }))
}

// began is a transaction that a test goes through step by step.
type began struct {
	t     *testing.T
	steps chan func(ctx context.Context) error
	done  chan error
	close func()
}

func begin(t *testing.T, db *store.DB) *began {
	t.Helper()
	b := &began{t: t, steps: make(chan func(context.Context) error), done: make(chan error, 1)}
	b.close = sync.OnceFunc(func() { close(b.steps) })
	t.Cleanup(b.close)
	go func() {
		b.done <- db.InTx(context.WithoutCancel(t.Context()), func(ctx context.Context) error {
			for step := range b.steps {
				if err := step(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	return b
}

// do runs a step and waits for it.
func (b *began) do(step func(ctx context.Context) error) {
	b.t.Helper()
	require.NoError(b.t, <-b.begin(step))
}

// begin runs a step that may have to wait.
func (b *began) begin(step func(ctx context.Context) error) <-chan error {
	ended := make(chan error, 1)
	b.steps <- func(ctx context.Context) error {
		err := step(ctx)
		ended <- err
		return err
	}
	return ended
}

func (b *began) commit() {
	b.t.Helper()
	b.close()
	require.NoError(b.t, <-b.done)
}

// heard is what a consumer has got.
type heard struct {
	mu    sync.Mutex
	marks []string
}

func (h *heard) add(mark string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.marks = append(h.marks, mark)
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.marks...)
}

func (h *heard) wait(t *testing.T, marks ...string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(h.all()) >= len(marks) }, patience, tick, "%v", marks)
	require.Equal(t, marks, h.all())
}

// waitInAnyOrder is wait for events of several subjects, which lanes bring in any order.
func (h *heard) waitInAnyOrder(t *testing.T, marks ...string) {
	t.Helper()
	require.Eventually(t, func() bool { return len(h.all()) >= len(marks) }, patience, tick, "%v", marks)
	require.ElementsMatch(t, marks, h.all())
}

// consume starts a runner with one consumer of all events until the test ends. handle may be nil.
func consume(t *testing.T, db *store.DB, o event.Options, handle func(ctx context.Context, e event.Event) error) *heard {
	t.Helper()
	return consumeAs(t, db, o, event.Consumer{Name: "test", History: true, Handle: handle})
}

// consumeAs is consume with settings of the consumer.
func consumeAs(t *testing.T, db *store.DB, o event.Options, c event.Consumer) *heard {
	t.Helper()
	h := &heard{}
	o.DB, o.Log, o.Registry, o.Notifier = db, slog.New(slog.DiscardHandler), registry(t), event.NewNotifier()
	if o.Poll == 0 {
		o.Poll = 10 * time.Millisecond
	}
	handle := c.Handle
	o.Consumers = []event.Consumer{
		{Name: c.Name, Types: []string{health.EventChanged}, History: c.History, Handle: func(ctx context.Context, e event.Event) error {
			if handle != nil {
				if err := handle(ctx, e); err != nil {
					return err
				}
			}
			var p health.ChangedPayload
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				return err
			}
			h.add(p.Reason)
			return nil
		}},
	}
	r, err := event.NewRunner(o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return h
}

func open(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), address, store.Options{MaxConns: 8})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func newDB(t testing.TB) *store.DB {
	t.Helper()
	return storetest.New(t)
}
