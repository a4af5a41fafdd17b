// Package engine is the in-memory scheduler of health checks, sharded over processes. A process claims shards of the targets in
// the database (a lease with a fencing token), runs their slots from memory (package schedule), and writes results in one
// transaction every fifth of a second. A slot belongs to the claim that covers it, so it runs at most once; the next owner of a
// shard records slots without a result as gaps.
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
	"countersign/internal/store"
)

// Channel is notified when targets change or a run is requested.
const Channel = "countersign_checks"

const (
	// claimDuration is the length of a claim; a claim is renewed when less than renewBefore of it is left.
	claimDuration = 3000 * time.Millisecond
	renewBefore   = 2000 * time.Millisecond
	// heartbeatInterval is the time between heartbeats, which also tell a process its share of the shards.
	heartbeatInterval = time.Second
	// dbTimeout bounds each transaction.
	dbTimeout = 10 * time.Second
	// slowThreshold is the duration of a run after which the next run of its target uses the slow lane.
	slowThreshold = time.Second
	// runGrace is the time after its timeout in which a run may still end by itself.
	runGrace = 2 * time.Second
	// reportInterval is how often a passed run stores its report.
	reportInterval = int64(time.Hour / time.Millisecond)
)

// Options configure an Engine.
type Options struct {
	DB     *store.DB
	Log    *slog.Logger
	Runner Runner
	// Events is the outbox of a database handle, whose transactions it joins.
	Events func(*store.DB) event.Appender
	// Owner is the display name of the process; its host and process id by default.
	Owner string
	// Location is the place of the process; Version is that of the product.
	Location Location
	Version  string
	// Limits bound concurrent runs; see lane.Limits.WithDefaults.
	Limits lane.Limits
	// Closed receives the servers of the installation that checks must not reach, as host:port, before the first run and each minute.
	// Nil for a process that has them in its settings.
	Closed func(addresses []string)
	// Flush is how often results are written; 200 ms when zero.
	Flush time.Duration
	// Tracer records spans of slow and failed work; nil records none.
	Tracer trace.Tracer
}

// Runner prepares targets for their runs.
type Runner interface {
	// Prepare is called before the first run of a target, and again when Generation has changed. The error may be a *check.Failure.
	Prepare(ctx context.Context, d *Definition, scope []byte) (Prepared, error)
	// Generation rises when prepared targets may be stale, because secrets have changed.
	Generation() uint64
}

// Prepared runs for a target. *check.Prepared is one, with its host.
type Prepared interface {
	// Start starts a run and calls done with its outcome, once. It may return later, or never.
	Start(ctx context.Context, target int32, slot time.Time, done func(check.Outcome))
	// Timeout bounds a run.
	Timeout() time.Duration
	// Lane is the key of the host that it connects to.
	Lane() string
}

// Engine runs checks in this process. Call Run, and beside it ClaimShares.
type Engine struct {
	o  Options
	id string
	// db has a connection pool of its own, without long locks.
	db *store.DB
	// claimDB has a connection only for claims.
	claimDB  *store.DB
	clock    *Clock
	schedule *schedule.Schedule
	defs     *definitions
	systems  Systems
	history  *history.Reader
	metrics  *metrics
	traces   traces
	ready    chan struct{}
	location atomic.Int32 // number of the location of this process
	// flushesEnded is closed after the last flush.
	flushesEnded chan struct{}

	base          context.Context //nolint:containedctx // of runs, which outlive the call that starts them
	wake          chan struct{}
	work          chan *schedule.Run
	flushNow      chan struct{} // requests a flush at once
	unclaimedSeen chan struct{} // signals shards without a claim
	flushNumber   atomic.Int64  // of the last committed flush
	heartbeatAt   atomic.Int64  // time of the last heartbeat
	flushFailedAt atomic.Int64  // time of the last failed flush
	// leaving is set when this process is to have no share of the shards, left when it has said so in its row.
	leaving, left atomic.Bool
	acquiring     chan struct{} // bounds concurrent acquisitions of shards
	flushedAt     atomic.Int64  // time of the last committed flush
	inFlight      atomic.Int64  // results in the current flush

	// extending is locked while claims are renewed: a release waits for it, so that a released claim is not renewed.
	extending sync.Mutex

	mu         sync.Mutex
	holds      map[*schedule.Shard]*hold
	holding    map[int16]struct{} // the shards that ClaimShares claims or holds
	findings   *findingBuffer
	commitDone chan struct{} // closed with the next commit
}

// New makes an Engine.
func New(ctx context.Context, o Options) (*Engine, error) {
	o.Flush = cmp.Or(o.Flush, 200*time.Millisecond)
	if o.Owner == "" {
		host, _ := os.Hostname()
		o.Owner = fmt.Sprintf("%s:%d", host, os.Getpid())
	}
	strict, err := o.DB.StrictPool(context.WithoutCancel(ctx), 4, 2*time.Second, dbTimeout)
	if err != nil {
		return nil, err
	}
	claiming, err := o.DB.StrictPool(context.WithoutCancel(ctx), 1, 2*time.Second, claimDuration)
	if err != nil {
		strict.Close()
		return nil, err
	}
	e := &Engine{
		o:             o,
		claimDB:       claiming,
		id:            o.Owner + "/" + uuid.NewString()[:8],
		db:            strict,
		clock:         NewClock(),
		defs:          newDefinitions(),
		wake:          make(chan struct{}, 1),
		work:          make(chan *schedule.Run),
		flushNow:      make(chan struct{}, 1),
		unclaimedSeen: make(chan struct{}, 1),
		ready:         make(chan struct{}),
		flushesEnded:  make(chan struct{}),
		holds:         map[*schedule.Shard]*hold{},
		holding:       map[int16]struct{}{},
		acquiring:     make(chan struct{}, maxAcquisitions),
		findings:      &findingBuffer{},
		commitDone:    make(chan struct{}),
	}
	e.history = history.NewReader(strict, history.ReaderOptions{})
	e.systems = Systems{DB: strict, Events: o.Events(strict)}
	e.metrics = newMetrics(e)
	e.traces.tracer = o.Tracer
	return e, nil
}

// Subscriptions wake the engine when targets change or a shard was released.
func (e *Engine) Subscriptions() store.Subscriptions {
	wake := func() {
		e.wakeWatch()
		e.seekShards()
	}
	return store.Subscriptions{Channel: {Notify: func(string) { wake() }, Resync: wake}}
}

// Run works until ctx ends. Holders of shards must have ended before, or lose them.
func (e *Engine) Run(ctx context.Context) {
	defer e.db.Close()
	defer e.claimDB.Close()
	e.base = ctx
	if !e.awaitDatabase(ctx) {
		return
	}
	e.schedule = schedule.New(schedule.Options{Limits: e.o.Limits, Start: e.dispatch, Now: e.clock.Now()})
	e.flushedAt.Store(e.clock.Now())
	close(e.ready)
	var running sync.WaitGroup
	running.Go(func() { e.runSchedule(ctx) })
	running.Go(func() { e.watchChanges(ctx) })
	running.Go(func() { e.renewClaims(ctx) })
	running.Go(func() { e.followClosed(ctx) })
	e.runFlushes(ctx)
	close(e.flushesEnded)
	running.Wait()
	e.deregister()
}

// awaitDatabase waits for the database, whose clock the engine follows and which knows the number of its location.
func (e *Engine) awaitDatabase(ctx context.Context) bool {
	for ctx.Err() == nil {
		err := e.measureClock(ctx)
		if err == nil {
			err = e.register(ctx)
		}
		if err == nil {
			err = e.readClosed(ctx)
		}
		if err == nil {
			return true
		}
		e.o.Log.Warn("Check engine waits for the database", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return false
}

// runSchedule starts the runs that are due.
func (e *Engine) runSchedule(ctx context.Context) {
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
		e.schedule.Advance(now)
		if now-looked > 1000 {
			looked = now
			e.abandonOverdue(now)
		}
	}
}

// Now is the time by the clock of the database.
func (e *Engine) Now() time.Time { return time.UnixMilli(e.clock.Now()).UTC() }

// deregister removes this process from those that share the shards.
func (e *Engine) deregister() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := e.queries(ctx).DeleteWorker(ctx, e.id); err != nil {
		e.o.Log.Warn("Check worker not deregistered", "error", err)
	}
}

// Unwritten returns the number of results that are not yet in the database. During an outage the claims bound it.
func (e *Engine) Unwritten() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.findings.all) + int(e.inFlight.Load())
}

// Stats returns the current counts of the schedule.
func (e *Engine) Stats() schedule.Stats {
	select {
	case <-e.ready:
		return e.schedule.Stats()
	default:
		return schedule.Stats{}
	}
}
