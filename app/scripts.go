package app

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	sdkworker "go.temporal.io/sdk/worker"
	"golang.org/x/sync/singleflight"

	"countersign/activities"
	"countersign/app/config"
	"countersign/internal/durable"
	"countersign/internal/egress"
	"countersign/modules/scriptpolicy"
	"countersign/sandbox"
	"countersign/sandbox/javascript"
	"countersign/sandbox/shell"
	"countersign/script"
	"countersign/script/sdk"
	"countersign/script/typescript"
	"countersign/worker"
	"countersign/workflows"
)

// scriptsPerSlot is the number of scripts that a worker accepts per computing slot: most of them wait for the network.
const scriptsPerSlot = 4

// works reports whether this process serves a queue.
func (a *App) works(queue string) bool { return a.roles.Worker && a.config.Serves(queue) }

// runsChecks reports whether this process runs health checks: those of the main location as a worker, those of its own as a probe.
func (a *App) runsChecks() bool { return a.roles.Probe || a.works(config.QueueChecks) }

// buildScripts wires script tests, which only a process with the exec queue can run, and the scripts of checks.
func (a *App) buildScripts(p *parts) {
	if a.works(config.QueueExec) || a.runsChecks() {
		a.config.Cache = a.engineCache()
	}
	if a.works(config.QueueExec) {
		a.sandbox = newSandbox(a.config, scriptPolicies{p.scripts, a.closed}, p.rightOfWay)
	}
	if a.runsChecks() {
		a.checkBox = newCheckBox(a.config, scriptPolicies{p.scripts, a.closed}, p.rightOfWay)
		p.checkScripts = a.checkBox.checks()
	}
	p.tests = script.New(script.Options{
		DB: a.db, Log: a.log, Starter: worker.ScriptDriver{Engine: p.engine}, Runner: a.sandbox.runner(), Sealer: p.keys, Secrets: p.vault,
		Online: func(ctx context.Context) bool {
			policy, downgraded := p.scripts.Effective(ctx)
			return !downgraded && policy.Network != scriptpolicy.Off
		},
	})
}

// buildExec constructs the worker of the exec queue.
func (a *App) buildExec(p *parts) {
	if a.sandbox == nil {
		return
	}
	options := worker.ExecOptions{
		Client: a.temporal, Queue: a.config.QueuePrefix + workflows.ExecQueue, Log: a.log, DrainTimeout: a.config.DrainTimeout,
		Modules: p.list.WorkflowsOn(durable.ExecQueue),
		Script:  &activities.Script{Tests: p.tests}, Scripts: max(script.MinWorkerPlaces, scriptsPerSlot*execSlots(a.config)),
	}
	a.crew.add(func() (sdkworker.Worker, error) { return worker.NewExec(options), nil })
}

// execSlots bounds the concurrently computing scripts. A process that also runs turns keeps half of its processors for
// them.
func execSlots(c config.Config) int {
	switch {
	case c.ExecSlots > 0:
		return c.ExecSlots
	case c.Serves(config.QueueTurns):
		return max(1, runtime.NumCPU()/2)
	default:
		return runtime.NumCPU()
	}
}

// scriptBox are the compiler and the engines of a process. They start on first use, or with warm.
type scriptBox struct {
	compiler          *typescript.Compiler
	javascript, shell *lateEngine
	policies          script.Policies
}

// rightOfWay is how long a computing script pauses while this process runs turns: long scripts lose a quarter of their
// processor time, and short ones are not affected.
func (p *parts) rightOfWay() time.Duration {
	const pause = 60 * time.Millisecond
	if p.sessions.Busy() {
		return pause
	}
	return 0
}

// engineCache is the folder for compiled engines, "" when this process cannot write there and must compile at each
// start. A writer of the folder could run code in this process, so the engines make the folder private.
func (a *App) engineCache() string {
	dir := a.config.Cache
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		a.log.Warn(
			"Script engines are compiled at each start: their cache folder is not writable; set COUNTERSIGN_CACHE",
			"error",
			err,
		)
		return ""
	}
	return dir
}

func newSandbox(c config.Config, policies scriptPolicies, pause func() time.Duration) *scriptBox {
	slots, cache := execSlots(c), c.Cache
	return &scriptBox{
		compiler: typescript.New(typescript.Options{Processes: slots}),
		javascript: &lateEngine{open: func(ctx context.Context) (sandbox.Runner, error) {
			return javascript.New(ctx, javascript.Options{CacheDir: cache, Slots: slots, Pause: pause})
		}},
		shell: &lateEngine{open: func(ctx context.Context) (sandbox.Runner, error) {
			return shell.New(ctx, shell.Options{CacheDir: cache, Slots: slots, Pause: pause})
		}},
		policies: policies,
	}
}

func (b *scriptBox) runner() *script.Runner {
	if b == nil {
		return nil
	}
	return &script.Runner{Compiler: b.compiler, JavaScript: b.javascript, Shell: b.shell, Policies: b.policies}
}

// newCheckBox constructs the parts that run the scripts of scheduled checks: separate engines, slots and compiler, so
// that script tests never wait for checks. They start with the first script of a check.
func newCheckBox(c config.Config, policies scriptPolicies, pause func() time.Duration) *scriptBox {
	b := newSandbox(c, policies, pause)
	b.compiler = typescript.New(typescript.Options{Processes: 1, CacheBytes: 1 << 20}) // script.Checks keeps what it compiles
	b.policies = &realRuns{module: policies.Module, closed: policies.closed}
	return b
}

// checks is nil in a process without workers.
func (b *scriptBox) checks() *script.Checks {
	if b == nil {
		return nil
	}
	return script.NewChecks(script.ChecksOptions{Compiler: b.compiler, JavaScript: b.javascript, Shell: b.shell, Policies: b.policies})
}

// warm starts everything in advance of the first script.
func (b *scriptBox) warm(ctx context.Context) error {
	var wait sync.WaitGroup
	var failed [3]error
	wait.Go(func() { _, failed[0] = b.javascript.engine(ctx) })
	wait.Go(func() {
		var made sandbox.Runner
		made, failed[1] = b.shell.engine(ctx)
		if engine, ok := made.(*shell.Engine); ok {
			failed[1] = engine.Warm(ctx)
		}
	})
	wait.Go(func() {
		c := sdk.HealthCheckScript
		_, failed[2] = b.compiler.Compile(ctx, c.Starter(), c)
	})
	wait.Wait()
	return errors.Join(failed[:]...)
}

func (b *scriptBox) close(ctx context.Context) error {
	b.compiler.Close()
	return errors.Join(b.javascript.Close(ctx), b.shell.Close(ctx))
}

// Warm lets Run start the script engines in the background instead of on first use.
func (a *App) Warm() { a.warm = true }

func (a *App) warmSandbox() {
	started := time.Now()
	if err := a.sandbox.warm(a.background); err != nil {
		if a.background.Err() == nil {
			a.log.Error("Sandbox not ready; retried with the first script", "error", err)
		}
		return
	}
	a.log.Info("Sandbox ready", "after", time.Since(started).Round(time.Millisecond).String())
}

// scriptPolicies adapts policies to package script.
type scriptPolicies struct {
	*scriptpolicy.Module

	closed *egress.Endpoints
}

// Effective implements script.Policies.
func (p scriptPolicies) Effective(ctx context.Context) script.Policy {
	policy, downgraded := p.Module.Effective(ctx)
	return script.Policy{Limits: policy.Test.Sandbox(), Fetch: scriptpolicy.Fetcher(policy, p.closed), Downgraded: downgraded}
}

// realRuns caches the policies of scripts that run for checks. The HTTP client is recreated only when the policy
// changes.
type realRuns struct {
	module *scriptpolicy.Module
	closed *egress.Endpoints

	mu    sync.Mutex
	held  scriptpolicy.Policy
	fetch sandbox.Fetcher
}

// Effective implements script.Policies.
func (r *realRuns) Effective(ctx context.Context) script.Policy {
	policy, downgraded := r.module.Effective(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if policy.Network != r.held.Network || !slices.Equal(policy.Allow, r.held.Allow) {
		r.held, r.fetch = policy, scriptpolicy.Fetcher(policy, r.closed)
	}
	return script.Policy{Limits: policy.Run.Sandbox(), Fetch: r.fetch, Downgraded: downgraded}
}

// lateEngine is a lazily constructed engine.
type lateEngine struct {
	open func(ctx context.Context) (sandbox.Runner, error)

	opening singleflight.Group
	mu      sync.Mutex
	made    sandbox.Runner
	closed  bool
}

// engine waits for the engine until ctx ends. The engine is shared, so its construction continues after ctx.
func (e *lateEngine) engine(ctx context.Context) (sandbox.Runner, error) {
	ready := e.opening.DoChan("", func() (any, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.closed {
			return nil, errors.New("the sandbox is closed")
		}
		if e.made != nil {
			return e.made, nil
		}
		made, err := e.open(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		e.made = made
		return made, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-ready:
		if r.Err != nil {
			return nil, r.Err
		}
		made, ok := r.Val.(sandbox.Runner)
		if !ok {
			return nil, errors.New("the sandbox has no engine")
		}
		return made, nil
	}
}

// Run implements sandbox.Runner.
func (e *lateEngine) Run(ctx context.Context, j sandbox.Job) (sandbox.Outcome, error) {
	engine, err := e.engine(ctx)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	return engine.Run(ctx, j)
}

// Close implements sandbox.Runner.
func (e *lateEngine) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.made == nil {
		return nil
	}
	return e.made.Close(ctx)
}
