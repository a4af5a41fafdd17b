package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/store"
)

// Consumer follows events of some types with cursors of its own, from its first start on. Events that it has not come to are
// kept until it does, or until the product no longer has it (Pruner).
//
// It gets each event at least once, and those of one subject in order, in one process at a time. Handle runs in a
// transaction that also moves the cursor: its writes through store.DB with its ctx happen exactly once, and so does a
// workflow that it starts by Dispatch. A transaction holds many events, and is repeated for some of them when one fails
// or a process dies: effects elsewhere can repeat.
//
// An event whose handling fails is retried with backoff. Meanwhile later events of its subject wait behind it and those
// of other subjects continue. After its last attempt it becomes a dead letter with its error, for operators, and its
// subject continues without it.
type Consumer struct {
	// Name is stable: the cursors are stored under it. It holds no slash.
	Name  string
	Types []string
	// Handle returns soon after its ctx ends.
	Handle func(ctx context.Context, e Event) error
	// History lets a new consumer begin with the oldest event that is kept, in place of those that come from then on.
	History bool
	// Timeout bounds one handling; 30 s when zero.
	Timeout time.Duration
}

func (c Consumer) timeout() time.Duration { return cmp.Or(c.Timeout, 30*time.Second) }

// Options configure a Runner.
type Options struct {
	DB        *store.DB
	Log       *slog.Logger
	Registry  *Registry
	Notifier  *Notifier
	Consumers []Consumer
	// Starter starts the workflows of Dispatch; without it, another process does.
	Starter Starter
	// Poll is the fallback polling interval; a second when zero.
	Poll time.Duration
	// FirstWait is the backoff before the second attempt at a failed event, doubled before each further one, up to five
	// minutes; a second when zero. Attempts is their number before it becomes a dead letter; 10 when zero.
	FirstWait time.Duration
	Attempts  int
}

// Runner runs consumers. Each process has one; processes share the lanes of each consumer.
type Runner struct {
	Options

	watermark watermark
	// reached is the watermark, for all consumers.
	reached atomic.Int64
	// settled is closed when reached is first known.
	settled    chan struct{}
	dispatched *Notifier
}

const (
	longestWait = 5 * time.Minute
	maxError    = 2000
	// parallel is the number of lanes of one consumer in which a process works at a time.
	parallel = 2
	// minPass is the minimum time between two reads of the watermark, which makes batches of single events.
	minPass = 20 * time.Millisecond
)

// NewRunner makes a runner. A consumer of a type that does not exist is an error.
func NewRunner(o Options) (*Runner, error) {
	o.Poll, o.FirstWait, o.Attempts = cmp.Or(o.Poll, time.Second), cmp.Or(o.FirstWait, time.Second), cmp.Or(o.Attempts, 10)
	var failed []error
	names := map[string]bool{}
	for _, c := range o.Consumers {
		if c.Name == "" || strings.Contains(c.Name, "/") || names[c.Name] || len(c.Types) == 0 || c.Handle == nil {
			const message = "consumer of events %q is there twice, has a slash in its name, or lacks a name, types or a handler"
			failed = append(failed, fmt.Errorf(message, c.Name))
		}
		names[c.Name] = true
		for _, id := range c.Types {
			if _, ok := o.Registry.Type(id); !ok {
				failed = append(failed, fmt.Errorf("consumer %q follows %q, which is no type of events", c.Name, id))
			}
		}
	}
	r := &Runner{Options: o, watermark: watermark{db: o.DB}, settled: make(chan struct{}), dispatched: NewNotifier()}
	return r, errors.Join(failed...)
}

// Run handles events of all consumers, and starts the workflows that they dispatch, until ctx ends.
func (r *Runner) Run(ctx context.Context) {
	if len(r.Consumers) == 0 {
		return
	}
	var running sync.WaitGroup
	defer running.Wait()
	moved := make([]chan struct{}, len(r.Consumers))
	for i, c := range r.Consumers {
		moved[i] = make(chan struct{}, 1)
		f := follower{runner: r, consumer: c, moved: moved[i], slots: make(chan struct{}, parallel), busy: map[int16]bool{}}
		running.Go(func() { f.run(ctx) })
	}
	if r.Starter != nil {
		running.Go(func() { r.startDispatched(ctx) })
	}
	r.advance(ctx, moved)
}

// advance keeps the watermark and wakes the consumers when it has moved.
func (r *Runner) advance(ctx context.Context, moved []chan struct{}) {
	known, failing := false, false
	var pace pace
	for ctx.Err() == nil {
		changed, began := r.Notifier.Changed(), time.Now()
		reached, pending, err := r.watermark.advance(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			r.Log.Warn("Events cannot be followed", "error", err)
		}
		failing = err != nil
		if before := r.reached.Load(); reached > before {
			r.reached.Store(reached)
			pace.active()
			r.wake(ctx, moved, before, reached)
		}
		// A watermark that was never reached is no place to begin at.
		if !known && err == nil && (reached > 0 || !pending) {
			known = true
			close(r.settled)
		}
		waitFor(ctx, nil, minPass-time.Since(began))
		pace.wait(ctx, changed, pending, r.Poll)
	}
}

// wake wakes the consumers of the events between two watermarks, and all of them where their cursors may be far behind.
func (r *Runner) wake(ctx context.Context, moved []chan struct{}, before, reached int64) {
	var types []string
	all := before == 0 || before/idleStep != reached/idleStep
	if !all {
		var err error
		types, err = eventdb.New(r.DB.Conn(ctx)).TypesBetween(ctx, eventdb.TypesBetweenParams{After: before, Upto: reached})
		all = err != nil
	}
	for i, wake := range moved {
		if all || slices.ContainsFunc(types, func(t string) bool { return slices.Contains(r.Consumers[i].Types, t) }) {
			signal(wake)
		}
	}
}

func signal(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// backoff is the wait after a number of failed attempts.
func (r *Runner) backoff(attempts int32) time.Duration {
	return min(r.FirstWait<<min(attempts-1, 20), longestWait)
}

// follower runs one consumer in this process.
type follower struct {
	runner   *Runner
	consumer Consumer
	moved    chan struct{}
	slots    chan struct{}
	// starved reports that a lane waits for a slot.
	starved atomic.Bool
	// clean is the last watermark at which no lane had work: what comes later is either above it or a retry.
	clean int64

	mu sync.Mutex
	// busy are the lanes in which this process works.
	busy    map[int16]bool
	working sync.WaitGroup
}

func (f *follower) run(ctx context.Context) {
	defer f.working.Wait()
	if !f.consumer.History {
		select {
		case <-f.runner.settled:
		case <-ctx.Done():
			return
		}
	}
	registered, failing := false, false
	announce := time.NewTicker(announceRun)
	defer announce.Stop()
	for ctx.Err() == nil {
		err := f.pass(ctx, &registered)
		select {
		case <-announce.C:
			err = errors.Join(err, eventdb.New(f.runner.DB.Conn(ctx)).RunConsumer(ctx, f.consumer.Name))
		default:
		}
		if err != nil && !failing && ctx.Err() == nil {
			f.runner.Log.Warn("Events cannot be followed", "consumer", f.consumer.Name, "error", err)
		}
		failing = err != nil
		waitFor(ctx, f.moved, f.runner.Poll)
	}
}

// pass starts work in lanes that have some, as far as there are slots. A lane that ends wakes the follower for the others.
func (f *follower) pass(ctx context.Context, registered *bool) error {
	if !*registered {
		if err := f.register(ctx); err != nil {
			return err
		}
		*registered = true
	}
	upto := f.runner.reached.Load()
	lanes, err := eventdb.New(f.runner.DB.Conn(ctx)).ReadyLanes(
		ctx, eventdb.ReadyLanesParams{
			Consumer: f.consumer.Name, Types: f.consumer.Types, Upto: upto, IdleStep: idleStep, Clean: f.clean,
		},
	)
	if err != nil {
		return fmt.Errorf("read lanes: %w", err)
	}
	if len(lanes) == 0 {
		f.clean = upto
	}
	for _, lane := range lanes {
		if !f.claim(lane) {
			continue
		}
		select {
		case f.slots <- struct{}{}:
		default:
			f.release(lane)
			f.starved.Store(true)
			return nil
		}
		f.working.Go(func() {
			worked := f.drain(ctx, lane, upto)
			<-f.slots
			f.release(lane)
			if f.starved.Swap(false) || worked {
				signal(f.moved)
			}
		})
	}
	return nil
}

func (f *follower) claim(lane int16) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy[lane] {
		return false
	}
	f.busy[lane] = true
	return true
}

func (f *follower) release(lane int16) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.busy, lane)
}

// fence is the cursor of a consumer whose lanes have cursors of their own: a version before lanes finds no event above it.
const fence = int64(1<<63 - 1)

// register adds the lanes of the consumer: from now on for a new one, from its cursor for one of a version before lanes. The
// lock of that row waits for the step of such a process, which then finds neither events nor retries: nothing is handled twice.
func (f *follower) register(ctx context.Context) error {
	err := f.runner.DB.InTx(ctx, func(ctx context.Context) error {
		q, name := eventdb.New(f.runner.DB.Conn(ctx)), f.consumer.Name
		added, err := q.AddConsumer(ctx, eventdb.AddConsumerParams{Name: name, Fence: fence, Types: f.consumer.Types})
		if err != nil {
			return err
		}
		if added > 0 {
			start := f.runner.reached.Load()
			if f.consumer.History {
				start = 0
			}
			return q.AddLanes(ctx, eventdb.AddLanesParams{Consumer: name, Seen: start})
		}
		seen, err := q.OldCursor(ctx, name)
		if err != nil {
			return err
		}
		if err := q.SetConsumer(ctx, eventdb.SetConsumerParams{Name: name, Fence: fence, Types: f.consumer.Types}); err != nil {
			return err
		}
		if seen == fence {
			return nil
		}
		if err := q.AddLanes(ctx, eventdb.AddLanesParams{Consumer: name, Seen: seen}); err != nil {
			return err
		}
		return q.TakeDeferrals(ctx, name)
	})
	if err != nil {
		return fmt.Errorf("register consumer: %w", err)
	}
	return nil
}
