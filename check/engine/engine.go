// Package engine runs checks on time. A process holds shards of the targets by claims in the database, runs their slots from
// memory (package schedule), and writes what it found in one transaction every fifth of a second. A slot belongs to the claim in
// which it lies, so it is run once at most; what nobody ran is recorded as a gap by whoever comes next.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"countersign/check"
	"countersign/check/engine/lane"
	"countersign/check/engine/schedule"
	"countersign/check/history"
	"countersign/event"
	"countersign/store"
)

// Channel is notified when targets change or a run is asked for.
const Channel = "countersign_checks"

const (
	// window is how long a claim lasts, renew how much of it is left when it is extended.
	window = 3000 * time.Millisecond
	renew  = 2000 * time.Millisecond
	// beat is how often a process says that it lives, and learns its share.
	beat = time.Second
	// patience bounds each conversation with the database.
	patience = 10 * time.Second
	// slow is from which duration on the target's next run has to go by the slow lane.
	slow = time.Second
	// grace is how much longer than its timeout a run gets to end by itself.
	grace = 2 * time.Second
	// hourly is how often a run that passed leaves its report.
	hourly = int64(time.Hour / time.Millisecond)
)

// Options are what an Engine is made of.
type Options struct {
	DB     *store.DB
	Log    *slog.Logger
	Runner Runner
	// Events is the outbox of a database handle, whose transactions it joins.
	Events func(*store.DB) event.Appender
	// Owner names the process to people; its host and process id by default.
	Owner string
	// Limits bound what runs at once; see lane.Limits.Default.
	Limits lane.Limits
	// Flush is how often results are written; 200 ms when zero.
	Flush time.Duration
	// Tracer makes spans of what is out of the ordinary; nil makes none.
	Tracer trace.Tracer
	// Unclaimed is told, more than once a second as long as it lasts, which shards nobody has claimed: whoever held them is dead, stands
	// still or does not reach the database. It may take its time.
	Unclaimed func(ctx context.Context, shards []int16)
}

// Runner makes ready what runs.
type Runner interface {
	// Prepare is called before the first run of a target, and again when Generation has changed. The error may be a *check.Failure.
	Prepare(ctx context.Context, d *Definition, scope []byte) (Prepared, error)
	// Generation rises when what was prepared may be out of date, because secrets have changed.
	Generation() uint64
}

// Prepared runs for a target. *check.Prepared is one, with its host.
type Prepared interface {
	// Start makes a run and calls done with its outcome, once. It may return later, or never.
	Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome))
	// Timeout is when a run ends at the latest.
	Timeout() time.Duration
	// Lane is a key of the host that it talks to.
	Lane() string
}

// Engine runs checks in this process. Run it, then Hold shards.
type Engine struct {
	o  Options
	id string
	// db has connections of its own, on which locks are held for moments only.
	db *store.DB
	// claiming has a connection on which nothing else has to wait.
	claiming *store.DB
	clock    *Clock
	schedule *schedule.Schedule
	defs     *definitions
	systems  Systems
	history  *history.Reader
	metrics  *metrics
	traces   traces
	ready    chan struct{}
	// over is closed once nothing is written any more.
	over chan struct{}

	base   context.Context //nolint:containedctx // of runs, which belong to the process and not to whoever began them
	wake   chan struct{}
	work   chan *schedule.Run
	kick   chan struct{} // asks for a flush at once
	left   chan struct{} // says that there are shards that nobody has claimed
	share  share
	number atomic.Int64 // of the last flush that was committed
	beaten atomic.Int64 // when it last said that it lives
	wrote  atomic.Int64 // when a flush was committed last
	flying atomic.Int64 // results in the flush that is under way

	// extending is locked while claims are extended: who hands one back waits, so that it is not extended afterwards.
	extending sync.Mutex

	mu     sync.Mutex
	holds  map[*schedule.Shard]*hold
	found  *found
	waiter chan struct{} // closed with the next commit
}

// New makes an engine.
func New(ctx context.Context, o Options) (*Engine, error) {
	o.Flush = cmp.Or(o.Flush, 200*time.Millisecond)
	if o.Owner == "" {
		host, _ := os.Hostname()
		o.Owner = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	strict, err := o.DB.StrictPool(context.WithoutCancel(ctx), 4, 2*time.Second, patience)
	if err != nil {
		return nil, err
	}
	claiming, err := o.DB.StrictPool(context.WithoutCancel(ctx), 1, 2*time.Second, window)
	if err != nil {
		strict.Close()
		return nil, err
	}
	e := &Engine{
		o:        o,
		claiming: claiming,
		id:       o.Owner + "/" + uuid.NewString()[:8],
		db:       strict,
		clock:    NewClock(),
		defs:     newDefinitions(),
		wake: make(
			chan struct{},
			1,
		),
		work:   make(chan *schedule.Run),
		kick:   make(chan struct{}, 1),
		left:   make(chan struct{}, 1),
		ready:  make(chan struct{}),
		over:   make(chan struct{}),
		holds:  map[*schedule.Shard]*hold{},
		found:  &found{},
		waiter: make(chan struct{}),
	}
	e.share.changed = make(chan struct{})
	e.history = history.NewReader(strict, history.ReaderOptions{})
	e.systems = Systems{DB: strict, Events: o.Events(strict)}
	e.metrics = newMetrics(e)
	e.traces.tracer = o.Tracer
	return e, nil
}

// Subscription wakes the engine when targets change. Subscribe it to Channel.
func (e *Engine) Subscription() store.Subscription {
	return store.Subscription{Notify: func(string) { e.look() }, Resync: e.look}
}

// Run works until ctx ends. What holds shards must have ended before, or loses them.
func (e *Engine) Run(ctx context.Context) {
	defer e.db.Close()
	defer e.claiming.Close()
	e.base = ctx
	if !e.firstClock(ctx) {
		return
	}
	e.schedule = schedule.New(schedule.Options{Limits: e.o.Limits, Start: e.start, Now: e.clock.Now()})
	e.wrote.Store(e.clock.Now())
	close(e.ready)
	var running sync.WaitGroup
	running.Go(func() { e.turn(ctx) })
	running.Go(func() { e.watch(ctx) })
	running.Go(func() { e.claims(ctx) })
	running.Go(func() { e.tellUnclaimed(ctx) })
	e.flushes(ctx)
	close(e.over)
	running.Wait()
	e.leave()
}

// firstClock waits for the database, whose clock everything follows.
func (e *Engine) firstClock(ctx context.Context) bool {
	for ctx.Err() == nil {
		err := e.measure(ctx)
		if err == nil {
			return true
		}
		e.o.Log.Warn("Checks wait for the database", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return false
}

// turn begins what is due.
func (e *Engine) turn(ctx context.Context) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var looked int64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := e.clock.Now()
		e.schedule.Turn(now)
		if now-looked > 1000 {
			looked = now
			e.giveUp(now)
		}
	}
}

// Now is the time of the database's clock.
func (e *Engine) Now() time.Time { return time.UnixMilli(e.clock.Now()).UTC() }

// leave takes the process off the list of those that share the shards.
func (e *Engine) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := e.queries(ctx).Leave(ctx, e.id); err != nil {
		e.o.Log.Warn("This process stays on the list of those that run checks for a moment", "error", err)
	}
}

// Unwritten is how many results are kept that the database does not have. While it is away they become no more than
// what was claimed before.
func (e *Engine) Unwritten() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.found.all) + int(e.flying.Load())
}

// Stats are what runs at the moment.
func (e *Engine) Stats() schedule.Stats {
	select {
	case <-e.ready:
		return e.schedule.Stats()
	default:
		return schedule.Stats{}
	}
}
