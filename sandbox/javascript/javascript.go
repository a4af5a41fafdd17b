// Package javascript runs ES modules in QuickJS, compiled to WebAssembly, with limits on everything.
//
// A script's default export is a value, or a function that is called with the job's input, which is also
// globalThis.context. The APIs beyond the language are in folder prelude: console, timers, URL, text encoding,
// structuredClone, crypto's random part, events, abort signals, and fetch when the job has a network.
//
// Each run has an instance to itself. Its memory is overwritten from a snapshot when it ends; an instance that trapped,
// timed out or grew is discarded. The guest returns into Go at least every fuel.DefaultInterval loop headers, where
// timeouts are checked and slots change hands.
package javascript

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"golang.org/x/sync/semaphore"

	"countersign/sandbox"
	"countersign/sandbox/fuel"
	"countersign/sandbox/slot"
)

// Options of an engine. The zero value works, without a cache on disk.
type Options struct {
	// CacheDir keeps the compiled engine for the next start. The folder is created private (0700), because its files
	// run as native code in this process.
	CacheDir string
	// Slots limits the scripts that compute at once; 0 means GOMAXPROCS. A waiting script needs no slot.
	Slots int
	// Instances limits the running scripts, each with memory of its own; 0 means 64. Further jobs wait.
	Instances int
	// Pause is called regularly while a script computes and returns how long it yields the processor, keeping its slot.
	// Nil never pauses.
	Pause func() time.Duration
	// CheckContext makes wazero check the context at each loop instead of using fuel. It is several times slower.
	CheckContext bool
}

const (
	pageSize = 64 << 10
	// headroom is the linear memory beyond a script's limit: the engine itself, and fragmentation.
	headroom = 24 << 20
	// stackSize bounds recursion in bytes. It must be less than the module's own stack of 1 MiB, whose end is a trap.
	stackSize = 512 << 10
	// quantum is the time slice after which a computing script hands its slot to a waiting one.
	quantum = 20 * time.Millisecond
)

// ErrClosed is returned by runs on a closed engine.
var ErrClosed = errors.New("javascript: the engine is closed")

// Engine is a sandbox.Runner for JavaScript.
type Engine struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	snapshot *snapshot
	pool     pool
	slots    *slot.Slots
	alive    *semaphore.Weighted
	most     int64
	closed   atomic.Bool
	fueled   bool
	pause    func() time.Duration
}

var _ sandbox.Runner = (*Engine)(nil)

// New compiles the engine, or loads it from the cache, and takes the snapshot that all runs start from.
func New(ctx context.Context, o Options) (*Engine, error) {
	wasm, err := quickjs(built)
	if err != nil {
		return nil, err
	}
	if !o.CheckContext {
		if wasm, err = fuel.Instrument(wasm, fuel.Options{}); err != nil {
			return nil, err
		}
	}
	if o.Slots <= 0 {
		o.Slots = runtime.GOMAXPROCS(0)
	}
	if o.Instances <= 0 {
		o.Instances = 64
	}
	pages := (sandbox.MaxLimits().Memory + headroom) / pageSize
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(o.CheckContext).WithMemoryLimitPages(uint32(pages))
	e := &Engine{
		slots: slot.New(o.Slots), pool: pool{most: 2 * o.Slots},
		alive: semaphore.NewWeighted(int64(o.Instances)), most: int64(o.Instances), fueled: !o.CheckContext,
		pause: o.Pause,
	}
	if e.pause == nil {
		e.pause = func() time.Duration { return 0 }
	}
	if o.CacheDir != "" {
		if e.cache, err = openCache(o.CacheDir); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(e.cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := e.start(ctx, wasm); err != nil {
		return nil, errors.Join(err, e.free(context.WithoutCancel(ctx)))
	}
	return e, nil
}

func openCache(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("javascript: the folder of the compiled engine: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // 0700 is private, and a folder needs the x
		return nil, fmt.Errorf("javascript: the folder of the compiled engine cannot be made private: %w", err)
	}
	return wazero.NewCompilationCacheWithDir(dir)
}

func (e *Engine) start(ctx context.Context, wasm []byte) error {
	if err := registerHost(ctx, e.runtime); err != nil {
		return err
	}
	compiled, err := e.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return fmt.Errorf("javascript: compile the engine: %w", err)
	}
	e.compiled = compiled
	in, err := e.boot(ctx)
	if err != nil {
		return fmt.Errorf("javascript: start the engine: %w", err)
	}
	e.snapshot, err = in.take()
	if err != nil {
		return err
	}
	return in.module.Close(ctx)
}

// Run implements sandbox.Runner. The wait for an instance or a slot does not count against the timeout.
func (e *Engine) Run(ctx context.Context, j sandbox.Job) (sandbox.Outcome, error) {
	if err := e.admit(ctx); err != nil {
		return sandbox.Outcome{}, err
	}
	defer e.alive.Release(1)
	if err := e.slots.Acquire(ctx); err != nil {
		return sandbox.Outcome{}, err
	}
	r, err := newRun(ctx, e, j)
	if err != nil {
		e.slots.Release()
		return sandbox.Outcome{}, err
	}
	defer r.end()
	err = r.execute()
	return r.outcome(ctx, err)
}

func (e *Engine) admit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.alive.Acquire(ctx, 1); err != nil {
		return err
	}
	if e.closed.Load() {
		e.alive.Release(1)
		return ErrClosed
	}
	return nil
}

// Close waits for the started runs, and frees the engine. Waiting and later runs fail with ErrClosed.
func (e *Engine) Close(ctx context.Context) error {
	if e.closed.Swap(true) {
		return nil
	}
	if err := e.alive.Acquire(ctx, e.most); err != nil {
		e.closed.Store(false)
		return err
	}
	defer e.alive.Release(e.most)
	return e.free(ctx)
}

func (e *Engine) free(ctx context.Context) error {
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}
