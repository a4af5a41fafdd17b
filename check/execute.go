package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"countersign/check/assertion"
)

// grace is the time after the deadline in which a collector may still return: its own error is better than a timeout.
const grace = 100 * time.Millisecond

// execution is one run of a prepared check.
type execution struct {
	p       *Prepared
	timeout time.Duration
	run     Run
	results []result
	single  [1]result
	// openFailure is the failure to open the strategy.
	openFailure *Failure
	finds       chan find
	took        time.Duration
	// ended reports that Start has reported the outcome.
	ended atomic.Bool
}

// result is the result of one collector; done is false for an abandoned one.
type result struct {
	value   any
	failure *Failure
	held    uint64
	done    bool
	subject assertion.Subject
}

// judged reports whether assertions about the result say something about the target: not when the run could not be made,
// such as a script that the policy kept from the network.
func (r *result) judged() bool {
	return r.value != nil && (r.failure == nil || r.failure.Cause.AboutTarget())
}

// find is the result of a goroutine. The index is -1 when opening failed.
type find struct {
	index int
	value any
	err   error
	took  time.Duration
}

// Run makes one run for a target: it opens the strategy, runs the collectors concurrently and evaluates the assertions.
// It returns within the timeout and grace, even when a collector ignores its context. It never fails and never panics:
// errors are in the outcome.
func (p *Prepared) Run(parent context.Context, host *Host, target int32, slot time.Time) Outcome {
	if p.retries > 0 {
		return p.try(parent, host, target, slot)
	}
	return p.once(parent, host, target, slot, p.timeout)
}

// once makes one try within a time.
func (p *Prepared) once(parent context.Context, host *Host, target int32, slot time.Time, within time.Duration) Outcome {
	e := p.execution(host, target, slot, within)
	if len(p.compiled.collectors) == 1 {
		ended := make(chan Outcome, 1)
		p.compiled.registry.crew.submit(func() { e.start(parent, func(o Outcome) { ended <- o }) })
		return <-ended
	}
	e.finds = make(chan find, len(e.results)+1)
	ctx, cancel := context.WithTimeout(parent, within)
	defer cancel()
	started := time.Now()
	p.compiled.registry.crew.submit(func() { e.work(ctx, started) })
	e.gather(ctx, started)
	if e.took == 0 {
		e.took = time.Since(started)
	}
	return e.outcome(parent)
}

func (p *Prepared) execution(host *Host, target int32, slot time.Time, within time.Duration) *execution {
	e := &execution{p: p, timeout: within, run: Run{Host: host, Target: target, Slot: slot, Interval: p.interval, IP: p.ip}}
	if e.results = e.single[:]; len(p.compiled.collectors) > 1 {
		e.results = make([]result, len(p.compiled.collectors))
	}
	if p.scope != nil {
		e.run.Scope = *p.scope
	}
	return e
}

// Start makes one run as Run does and calls done with the outcome, once. The caller's goroutine makes a run with one
// collector, since a handover would cost more than the rest of it besides the probe. When the run ignores its context,
// another goroutine calls done in time, and the caller stays blocked.
func (p *Prepared) Start(parent context.Context, host *Host, target int32, slot time.Time, done func(Outcome)) {
	if len(p.compiled.collectors) > 1 || p.retries > 0 {
		done(p.Run(parent, host, target, slot))
		return
	}
	p.execution(host, target, slot, p.timeout).start(parent, done)
}

// start makes a try of a check with one collector.
func (e *execution) start(parent context.Context, done func(Outcome)) {
	ctx, cancel := context.WithTimeout(parent, e.timeout)
	defer cancel()
	started := time.Now()
	inTime := context.AfterFunc(ctx, func() {
		time.AfterFunc(grace, func() {
			if e.ended.CompareAndSwap(false, true) {
				e.took = time.Since(started)
				done(e.outcome(parent))
			}
		})
	})
	e.runSingle(ctx, started, func() {
		inTime()
		cancel()
		done(e.outcome(parent))
	})
}

// runSingle opens the strategy, runs its only collector, reports the outcome unless it was reported before, and closes
// the strategy.
func (e *execution) runSingle(ctx context.Context, started time.Time, tell func()) {
	c := e.p.compiled
	c.registry.running.Add(1)
	defer c.registry.running.Add(-1)
	session, err := e.open(ctx)
	f := find{index: -1, err: err}
	if err == nil {
		f = e.collect(ctx, session, 0, started)
		defer func() {
			defer c.registry.recoverPanic(ctx, c.strategy.ID, nil)
			c.strategy.close(session)
		}()
	}
	if !e.ended.CompareAndSwap(false, true) {
		return
	}
	f.took = time.Since(started)
	e.take(f)
	tell()
}

// work opens the strategy, runs the collectors and closes the strategy.
func (e *execution) work(ctx context.Context, started time.Time) {
	c := e.p.compiled
	c.registry.running.Add(1)
	defer c.registry.running.Add(-1)
	session, err := e.open(ctx)
	if err != nil {
		e.finds <- find{index: -1, err: err, took: time.Since(started)}
		return
	}
	var others sync.WaitGroup
	for i := 1; i < len(c.collectors); i++ {
		others.Add(1)
		c.registry.crew.submit(func() {
			defer others.Done()
			e.finds <- e.collect(ctx, session, i, started)
		})
	}
	e.finds <- e.collect(ctx, session, 0, started)
	others.Wait()
	defer c.registry.recoverPanic(ctx, c.strategy.ID, nil)
	c.strategy.close(session)
}

func (e *execution) open(ctx context.Context) (session any, err error) {
	defer e.p.compiled.registry.recoverPanic(ctx, e.p.compiled.strategy.ID, &err)
	return e.p.compiled.strategy.open(ctx, e.run, e.p.config)
}

func (e *execution) collect(ctx context.Context, session any, i int, started time.Time) (f find) {
	f.index = i
	kind := e.p.compiled.collectors[i].kind
	defer func() { f.took = time.Since(started) }()
	defer e.p.compiled.registry.recoverPanic(ctx, kind.ID, &f.err)
	run := e.run
	run.assertions = e.p.compiled.collectors[i].assertions
	f.value, f.err = kind.collect(ctx, run, session, e.p.configs[i])
	return f
}

var errPanicked = errors.New("it panicked")

// tellsEvery is the minimum time between two log lines about the same kind's faults: thousands of runs a second may
// have one.
const tellsEvery = time.Minute

// shouldLogFault reports whether a fault of a kind may be logged now.
func (r *Registry) shouldLogFault(kind string) bool {
	now := time.Now()
	last, told := r.loggedFaults.LoadOrStore(kind, now)
	if !told {
		return true
	}
	before, _ := last.(time.Time)
	return now.Sub(before) >= tellsEvery && r.loggedFaults.CompareAndSwap(kind, last, now)
}

// recoverPanic turns a panic into errPanicked, and logs it.
func (r *Registry) recoverPanic(ctx context.Context, kind string, err *error) {
	if cause := recover(); cause != nil {
		if r.shouldLogFault(kind) {
			slog.ErrorContext(ctx, "A kind of check panicked", "kind", kind, "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
		if err != nil {
			*err = errPanicked
		}
	}
}

// gather collects results until all are there, or the deadline and its grace period have passed.
func (e *execution) gather(ctx context.Context, started time.Time) {
	var graceOver <-chan time.Time
	ended := ctx.Done()
	for waiting := len(e.results); waiting > 0; waiting-- {
		select {
		case f := <-e.finds:
			if e.take(f) {
				return
			}
		case <-ended:
			timer := time.NewTimer(grace)
			defer timer.Stop()
			graceOver, ended = timer.C, nil
			waiting++
		case <-graceOver:
			e.took = time.Since(started)
			return
		}
	}
}

// take stores a result, and reports whether it is the last one.
func (e *execution) take(f find) bool {
	e.took = max(e.took, f.took)
	if f.index < 0 {
		e.openFailure = e.failure(e.p.compiled.strategy.ID, f.err)
		return true
	}
	r := &e.results[f.index]
	r.done, r.value = true, f.value
	collector := &e.p.compiled.collectors[f.index]
	if f.err != nil {
		r.failure = e.failure(collector.kind.ID, f.err)
	}
	if f.value == nil {
		if r.failure == nil {
			r.failure = Fail(HostFailed, "The check ended without a result.")
		}
		return false
	}
	r.subject = assertion.NewSubject(f.value)
	for i, a := range collector.assertions {
		if held(a, &r.subject, f.value) {
			r.held |= 1 << i
		}
	}
	return false
}

// failure converts an error to a Failure; any other error is an internal fault and only logged.
func (e *execution) failure(kind string, err error) *Failure {
	if f := asFailure(err); f != nil {
		return f
	}
	if !errors.Is(err, errPanicked) && e.p.compiled.registry.shouldLogFault(kind) {
		slog.Warn("A kind of check failed", "kind", kind, "error", err)
	}
	return &Failure{Cause: HostFailed, Message: "The check could not be made because of a fault on our side.", err: err}
}

// outcome summarizes the run. Failures of the target take precedence over other ones.
func (e *execution) outcome(parent context.Context) Outcome {
	c := e.p.compiled
	out := Outcome{Took: e.took}
	var worst *Failure
	consider := func(f *Failure) {
		if f != nil && (worst == nil || f.Cause.AboutTarget() && !worst.Cause.AboutTarget()) {
			worst = f
		}
	}
	if e.openFailure != nil {
		consider(e.openFailure)
	}
	allHeld := true
	for i := range e.results {
		r, collector := &e.results[i], &c.collectors[i]
		if e.openFailure == nil && !r.done {
			r.failure = givenUp(parent, e.timeout)
		}
		consider(r.failure)
		n := len(collector.assertions)
		if r.value == nil {
			continue
		}
		out.Held |= r.held << collector.bit
		if r.held != 1<<n-1 && r.judged() {
			allHeld = false
		}
		if coded, ok := r.value.(interface{ Code() int16 }); ok && out.Code == 0 {
			out.Code = coded.Code()
		}
	}
	switch {
	case worst != nil && worst.Cause.AboutTarget():
		out.Verdict, out.Cause = Failed, worst.Cause
	case !allHeld:
		out.Verdict, out.Cause = Failed, AssertionFailed
	case worst != nil:
		out.Verdict, out.Cause = Errored, worst.Cause
	}
	out.Kept = e.chartValues()
	out.Report = func() Report { return e.report(worst) }
	return out
}

func givenUp(parent context.Context, timeout time.Duration) *Failure {
	if parent.Err() != nil {
		return Fail(HostFailed, "The check was broken off before it had ended.")
	}
	return Fail(TimedOut, fmt.Sprintf("It took more than %s.", duration(timeout)))
}

func duration(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d s", d/time.Second)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// chartValues returns the values for charts.
func (e *execution) chartValues() []float32 {
	fields := e.p.compiled.kept
	if len(fields) == 0 {
		return nil
	}
	values := make([]float32, len(fields))
	for i, k := range fields {
		values[i] = number(e.results[k.collector].subject.Field(k.index))
	}
	return values
}

func number(v reflect.Value) float32 {
	switch {
	case !v.IsValid():
	case v.CanInt():
		return float32(v.Int())
	case v.CanFloat():
		return float32(v.Float())
	case v.CanUint():
		return float32(v.Uint())
	case v.Type() == reflect.TypeFor[assertion.Exact]():
		if n := float32(assertion.Exact(v.String()).Float64()); !math.IsInf(float64(n), 0) {
			return n
		}
	case v.Kind() == reflect.Bool && v.Bool():
		return 1
	case v.Kind() == reflect.Bool:
		return 0
	}
	return float32(math.NaN())
}
