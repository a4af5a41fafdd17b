package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox"
)

// run is one job on one instance. Everything but the pending requests happens on one goroutine.
type run struct {
	engine *Engine
	in     *instance
	job    sandbox.Job
	limits sandbox.Limits

	ctx             context.Context
	cancel          context.CancelFunc
	began, deadline time.Time
	// since is the time the run got its slot; withoutSlot is set while it has none.
	since       time.Time
	withoutSlot bool
	// busy is set while a host function runs.
	busy bool
	// clean is set once the instance can be reused.
	clean bool

	// stopped is the kind for which the host stops the run; reason describes it to people.
	stopped sandbox.Kind
	reason  string
	// refused is the message of the last refused import.
	refused string

	calls int
	// bytes counts the bytes of host calls, including those in transit.
	bytes    sandbox.Meter
	underway map[string]context.CancelFunc
	fetching chan struct{}
	done     chan completion
	// rejections are unhandled so far.
	rejections []rejection

	logs           []sandbox.Log
	stdout, stderr strings.Builder
	written        int
	cut            bool
	result         json.RawMessage
}

var (
	// errStopped ends a run whose field stopped has the kind.
	errStopped = errors.New("javascript: the run was stopped")
	// errStalled ends a run without anything to wait for.
	errStalled = errors.New("javascript: the script waits for nothing")
	// errTooLarge ends a run whose result is too large.
	errTooLarge = errors.New("javascript: the result is too large")
	// errTooDeep ends a run whose JSON result is nested deeper than Go decodes.
	errTooDeep = errors.New("javascript: the result is nested too deeply")
)

// newRun prepares a job. The run owns its slot until end.
func newRun(ctx context.Context, e *Engine, j sandbox.Job) (*run, error) {
	if len(j.Input) == 0 {
		j.Input = json.RawMessage("null")
	}
	if !json.Valid(j.Input) {
		return nil, errors.New("javascript: the input of the job is not JSON")
	}
	if j.Name == "" {
		j.Name = "script.js"
	}
	in, err := e.ready(ctx)
	if err != nil {
		return nil, err
	}
	limits := j.Limits.Within(sandbox.MaxLimits())
	now := time.Now()
	r := &run{
		engine: e, in: in, job: j, limits: limits, began: now, since: now, deadline: now.Add(limits.Timeout),
		underway: map[string]context.CancelFunc{}, fetching: make(chan struct{}, maxConcurrentFetches),
		done: make(chan completion, limits.HostCalls),
	}
	r.bytes.Limit = limits.HostBytes
	r.ctx, r.cancel = context.WithDeadline(ctx, r.deadline)
	return r, nil
}

// end releases the run's resources. Pending requests are canceled.
func (r *run) end() {
	r.cancel()
	r.engine.recycle(context.WithoutCancel(r.ctx), r.in, r.clean)
	r.releaseSlot()
}

// releaseSlot hands the slot to others, acquireSlot takes one again.
func (r *run) releaseSlot() {
	if !r.withoutSlot {
		r.withoutSlot = true
		r.engine.slots.Release()
	}
}

func (r *run) acquireSlot() error {
	if !r.withoutSlot {
		return nil
	}
	if err := r.engine.slots.Acquire(r.ctx); err != nil {
		return err
	}
	r.withoutSlot, r.since = false, time.Now()
	return nil
}

func (r *run) stop(kind sandbox.Kind, reason string) {
	if r.stopped == "" {
		r.stopped, r.reason = kind, reason
	}
}

// execute runs the job until its result is known. The error is nil, one of the above, *thrown, or a broken instance.
func (r *run) execute() error {
	ctx := context.WithValue(r.ctx, runKey{}, r)
	promise, err := r.load(ctx)
	if err != nil {
		return err
	}
	for {
		if err := r.jobs(ctx); err != nil {
			return err
		}
		if err := r.reportRejections(ctx, promise); err != nil {
			return err
		}
		state, err := r.in.outer.call(ctx, "qjs_promise_state", promise)
		if err != nil {
			return err
		}
		if state != pending {
			return r.settled(ctx, promise, state)
		}
		if err := r.wait(ctx); err != nil {
			return err
		}
	}
}

// The states of a promise.
const (
	pending   = 0
	fulfilled = 1
)

// load evaluates the module and returns the promise of its result.
func (r *run) load(ctx context.Context) (value, error) {
	in := r.in
	if _, err := in.outer.call(ctx, "qjs_set_memory_limit", uint64(len(r.engine.snapshot.memory)+r.limits.Memory)); err != nil {
		return 0, err
	}
	input, err := in.outer.newString(ctx, r.job.Input)
	if err != nil {
		return 0, err
	}
	seed, err := in.outer.newString(ctx, fmt.Appendf(nil, "[%d,%d,%d,%d]",
		rand.Uint32(), rand.Uint32(), rand.Uint32(), rand.Uint32())) //nolint:gosec // the seed of Math.random, which is not cryptographic
	if err != nil {
		return 0, err
	}
	if _, err := in.apply(ctx, in.begin, input, seed); err != nil {
		return 0, err
	}
	module, err := in.eval(ctx, r.job.Source, r.job.Name, typeModule)
	if err != nil {
		return 0, err
	}
	return in.apply(ctx, in.drive, module)
}

// jobs runs the queue of promise jobs.
func (r *run) jobs(ctx context.Context) error {
	for {
		ran, err := r.in.outer.call(ctx, "qjs_execute_pending_job")
		if err != nil {
			return err
		}
		if int32(ran) == 0 {
			return nil
		}
		if int32(ran) < 0 {
			reason, err := r.in.outer.call(ctx, "qjs_get_exception")
			if err != nil {
				return err
			}
			return &thrown{reason}
		}
		if !r.mayGoOn() {
			return errStopped
		}
	}
}

// wait waits until a request ends or a timer is due, and handles that.
func (r *run) wait(ctx context.Context) error {
	delay, err := r.nextTimer(ctx)
	if err != nil {
		return err
	}
	if delay < 0 && len(r.underway) == 0 {
		return errStalled
	}
	var due <-chan time.Time
	if delay >= 0 {
		t := time.NewTimer(delay)
		defer t.Stop()
		due = t.C
	}
	if delay != 0 {
		r.releaseSlot()
	}
	select {
	case <-r.ctx.Done():
		return errStopped
	case c := <-r.done:
		// The request may have ended because of the job's timeout: its script must not observe that and continue.
		if err := r.acquireSlot(); err != nil || r.ctx.Err() != nil {
			return errStopped
		}
		return r.settle(ctx, c)
	case <-due:
		if err := r.acquireSlot(); err != nil {
			return errStopped
		}
		return r.fire(ctx)
	}
}

// nextTimer returns the time until the next timer, -1 without any.
func (r *run) nextTimer(ctx context.Context) (time.Duration, error) {
	v, err := r.in.apply(ctx, r.in.next)
	if err != nil {
		return 0, err
	}
	bits, err := r.in.outer.call(ctx, "qjs_get_float64", v)
	if err != nil {
		return 0, err
	}
	ms := api.DecodeF64(bits)
	if err := r.in.release(ctx, v); err != nil || ms < 0 {
		return -1, err
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

// fire calls the timer that is due.
func (r *run) fire(ctx context.Context) error {
	v, err := r.in.apply(ctx, r.in.fire)
	if err != nil {
		return err
	}
	return r.in.release(ctx, v)
}

// settled takes the result of the script.
func (r *run) settled(ctx context.Context, promise value, state uint64) error {
	v, err := r.in.outer.call(ctx, "qjs_promise_result", promise)
	if err != nil {
		return err
	}
	if state != fulfilled {
		return &thrown{v}
	}
	return r.in.text(ctx, &r.in.outer, v, func(text []byte, _ uint64) error {
		if len(text) > r.limits.Result {
			return errTooLarge
		}
		if !json.Valid(text) {
			return errTooDeep
		}
		r.result = json.RawMessage(string(text))
		return nil
	})
}

// full records that output is lost, if any follows.
func (r *run) full() bool {
	if r.written >= r.limits.Output {
		r.cut = true
	}
	return r.cut
}

// log writes a line, up to the output limit.
func (r *run) log(level string, text []byte) {
	room := r.limits.Output - r.written - 1
	if room < len(text) {
		r.cut = true
		text = text[:max(0, room)]
	}
	r.written += len(text) + 1
	line := strings.ToValidUTF8(string(text), "\ufffd")
	r.logs = append(r.logs, sandbox.Log{Level: level, Text: line})
	stream := &r.stdout
	if level == "warn" || level == "error" {
		stream = &r.stderr
	}
	stream.WriteString(line)
	stream.WriteByte('\n')
}
