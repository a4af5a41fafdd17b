// Package shell runs shell scripts inside WebAssembly: an interpreter for POSIX shell and most of bash, commands written in
// Go, and a file system in memory. A script reaches nothing of the host; curl asks the Fetcher of its job.
//
// The guest (folder guest) is one Go program. Starting it takes longer than most scripts run, so the engine starts it once,
// runs a script that warms it up, and keeps a copy of its memory and globals. Each job begins in an instance that holds
// exactly this copy. An instance that did anything but end by itself, in the memory it had, is thrown away.
package shell

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"countersign/script/sandbox"
	"countersign/script/sandbox/slot"
)

// Options are what an engine needs.
type Options struct {
	// CacheDir is where compiled code is kept, in a folder that nobody else may write to: whoever changes a file there runs
	// code in this process. Without it each process compiles anew, which takes seconds.
	CacheDir string
	// Slots is how many scripts compute at once: half of the processors without a number, at least one. A script that waits
	// needs no slot.
	Slots int
	// Instances is how many scripts are alive at once, each with memory of its own; 0 means 64. More jobs wait.
	Instances int
	// Pause is asked from time to time how long a script that computes is to let others have the processor, with its slot
	// kept. Nil never pauses.
	Pause func() time.Duration
}

// Engine runs shell scripts. It is a sandbox.Runner.
type Engine struct {
	cacheDir string
	slots    *slot.Slots
	alive    *semaphore.Weighted
	most     int64
	pause    func() time.Duration

	// starting holds a token for whoever starts the guest.
	starting chan struct{}
	guest    *guest

	mu   sync.Mutex
	idle []*instance
	// mostIdle bounds idle, as each holds the memory in which jobs begin.
	mostIdle int
	closed   bool
}

// ErrClosed is what Run returns after Close.
var ErrClosed = errors.New("the shell engine is closed")

// New makes an engine. Nothing is compiled before the first job, or Warm.
func New(_ context.Context, o Options) (*Engine, error) {
	if len(module) == 0 {
		return nil, errNotBuilt
	}
	if o.Slots <= 0 {
		o.Slots = max(runtime.GOMAXPROCS(0)/2, 1)
	}
	if o.Instances <= 0 {
		o.Instances = 64
	}
	e := &Engine{
		cacheDir: o.CacheDir, slots: slot.New(o.Slots), alive: semaphore.NewWeighted(int64(o.Instances)), most: int64(o.Instances),
		starting: make(chan struct{}, 1), mostIdle: 2 * o.Slots, pause: o.Pause,
	}
	if e.pause == nil {
		e.pause = func() time.Duration { return 0 }
	}
	e.starting <- struct{}{}
	return e, nil
}

// Warm compiles the guest, so that the first job does not wait for it.
func (e *Engine) Warm(ctx context.Context) error {
	_, err := e.start(ctx)
	return err
}

// start answers the guest, which is made once. Making it takes seconds and cannot be stopped: it goes on for the next job
// when ctx ends.
func (e *Engine) start(ctx context.Context) (*guest, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.starting:
	}
	if e.isClosed() {
		defer e.started()
		return nil, ErrClosed
	}
	if e.guest != nil {
		defer e.started()
		return e.guest, nil
	}
	type result struct {
		guest *guest
		err   error
	}
	made := make(chan result, 1)
	go func() {
		defer e.started()
		g, err := newGuest(context.WithoutCancel(ctx), e.cacheDir)
		if err == nil {
			e.guest = g
		}
		made <- result{g, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-made:
		if r.err != nil {
			return nil, fmt.Errorf("start the shell: %w", r.err)
		}
		return r.guest, nil
	}
}

// started lets the next one start the guest, or find it.
func (e *Engine) started() { e.starting <- struct{}{} }

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Run runs a script to its end. A job that has to wait before it begins is not charged for that time.
func (e *Engine) Run(ctx context.Context, j sandbox.Job) (sandbox.Outcome, error) {
	if err := e.alive.Acquire(ctx, 1); err != nil {
		return sandbox.Outcome{}, err
	}
	r, in, err := e.begin(ctx, j)
	if err != nil {
		e.alive.Release(1)
		return sandbox.Outcome{}, err
	}
	began := time.Now()
	r.since = began
	clean := r.execute(ctx, in)
	o := r.outcome(in)
	o.Duration = time.Since(began)
	// The slot is free once the instance is as it was, or gone.
	go func() {
		defer e.alive.Release(1)
		defer r.rest()
		e.give(in, clean)
	}()
	if err := ctx.Err(); err != nil && o.Kind != sandbox.OK {
		return sandbox.Outcome{}, err
	}
	return o, nil
}

// begin prepares a job. The slot of the run is taken.
func (e *Engine) begin(ctx context.Context, j sandbox.Job) (*run, *instance, error) {
	g, err := e.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := e.slots.Acquire(ctx); err != nil {
		return nil, nil, err
	}
	in, err := e.take(ctx, g)
	if err != nil {
		e.slots.Release()
		return nil, nil, err
	}
	r := newRun(j, g.floor)
	r.slots, r.pause = e.slots, e.pause
	return r, in, nil
}

func (e *Engine) take(ctx context.Context, g *guest) (*instance, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, ErrClosed
	}
	if n := len(e.idle); n > 0 {
		in := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.mu.Unlock()
		return in, nil
	}
	e.mu.Unlock()
	return g.instance(context.WithoutCancel(ctx))
}

// give puts an instance back into the state in which jobs begin. One that is not clean is replaced. What is not needed is
// closed.
func (e *Engine) give(in *instance, clean bool) {
	if e.full() {
		in.close()
		return
	}
	if clean && in.restore() {
		e.keep(in)
		return
	}
	in.close()
	// Without a replacement the next job makes one and has the error.
	if fresh, err := e.guest.instance(context.Background()); err == nil {
		e.keep(fresh)
	}
}

// full says whether no more instances are kept.
func (e *Engine) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed || len(e.idle) >= e.mostIdle
}

func (e *Engine) keep(in *instance) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.idle) >= e.mostIdle {
		in.close()
		return
	}
	e.idle = append(e.idle, in)
}

// Close waits for the jobs that run, and frees the engine. Jobs that have not begun, and later ones, fail with ErrClosed.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	if err := e.alive.Acquire(ctx, e.most); err != nil {
		return err
	}
	defer e.alive.Release(e.most)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-e.starting:
	}
	defer e.started()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, in := range e.idle {
		in.close()
	}
	e.idle = nil
	if e.guest == nil {
		return nil
	}
	g := e.guest
	e.guest = nil
	return g.close(ctx)
}
