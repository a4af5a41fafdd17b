// Package shell runs shell scripts inside WebAssembly: an interpreter for POSIX shell and most of bash, commands
// written in Go, and a file system in memory. A script cannot reach the host; curl uses the Fetcher of its job.
//
// The guest (folder guest) is one Go program. Starting it takes longer than most scripts run, so the engine starts it
// once, runs a script that warms it up, and keeps a snapshot of its memory and globals. Each job starts in an instance
// with exactly this snapshot. An instance that did not end by itself within its memory is discarded.
package shell

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"countersign/sandbox"
	"countersign/sandbox/slot"
)

// Options configure an engine.
type Options struct {
	// CacheDir keeps compiled code, in a private folder, because its files run as native code in this process. Without
	// it each process compiles at start, which takes seconds.
	CacheDir string
	// Slots limits the scripts that compute at once; 0 means half of the processors, at least one. A waiting script
	// needs no slot.
	Slots int
	// Instances limits the running scripts, each with memory of its own; 0 means 64. Further jobs wait.
	Instances int
	// Pause is called regularly while a script computes and returns how long it yields the processor, keeping its slot.
	// Nil never pauses.
	Pause func() time.Duration
}

// Engine runs shell scripts. It is a sandbox.Runner.
type Engine struct {
	cacheDir string
	slots    *slot.Slots
	alive    *semaphore.Weighted
	most     int64
	pause    func() time.Duration

	// starting holds a token for the caller that starts the guest.
	starting chan struct{}
	guest    *guest

	mu   sync.Mutex
	idle []*instance
	// maxIdle bounds idle, as each instance holds its initial memory.
	maxIdle int
	closed  bool
}

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("the shell engine is closed")

// New returns an engine. It compiles at the first job, or in Warm.
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
		starting: make(chan struct{}, 1), maxIdle: 2 * o.Slots, pause: o.Pause,
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

// start returns the guest, which is created once. Creating it takes seconds and cannot be stopped: it continues for the
// next job when ctx ends.
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

// started lets the next caller start or find the guest.
func (e *Engine) started() { e.starting <- struct{}{} }

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Run runs a script to its end. The wait before its start does not count against the timeout.
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
	// The slot is released after the instance is restored or closed.
	go func() {
		defer e.alive.Release(1)
		defer r.releaseSlot()
		e.recycle(in, clean)
	}()
	if err := ctx.Err(); err != nil && o.Kind != sandbox.OK {
		return sandbox.Outcome{}, err
	}
	return o, nil
}

// begin prepares a job, whose run owns its slot.
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

// recycle restores an instance to the snapshot. One that is not clean is replaced; surplus ones are closed.
func (e *Engine) recycle(in *instance, clean bool) {
	if e.full() {
		in.close()
		return
	}
	if clean && in.restore() {
		e.keep(in)
		return
	}
	in.close()
	// Without a replacement the next job creates one and gets the error.
	if fresh, err := e.guest.instance(context.Background()); err == nil {
		e.keep(fresh)
	}
}

// full reports whether the pool of idle instances is full.
func (e *Engine) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed || len(e.idle) >= e.maxIdle
}

func (e *Engine) keep(in *instance) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || len(e.idle) >= e.maxIdle {
		in.close()
		return
	}
	e.idle = append(e.idle, in)
}

// Close waits for the running jobs, and frees the engine. Waiting and later jobs fail with ErrClosed.
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
