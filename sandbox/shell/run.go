package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"strings"
	"time"

	"countersign/sandbox"
	"countersign/sandbox/slot"
	"countersign/sandbox/wasi"
)

// A run is one job in an instance, with its temporary state.
type run struct {
	job    sandbox.Job
	limits sandbox.Limits
	text   []byte
	out    output

	deadline time.Time
	// slots are those of the engine, nil while the guest warms up. withoutSlot is set while the run has none of them.
	slots       *slot.Slots
	withoutSlot bool
	// since is the time the run got its slot, or last paused.
	since  time.Time
	pause  func() time.Duration
	ending ending
	ended  bool
	// stopped is the kind for which the host stopped the script.
	stopped     sandbox.Kind
	reason      string
	err         error
	diagnostics []byte

	calls int
	// bytes counts the bytes of host calls, including those in transit.
	bytes    sandbox.Meter
	fetches  []*fetch
	inFlight chan struct{}
}

// An ending is the guest's report of its end.
type ending struct {
	ExitCode int    `json:"exitCode"`
	Failure  string `json:"failure"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

type runKey struct{}

func of(ctx context.Context) *run { return ctx.Value(runKey{}).(*run) } //nolint:errcheck // the guest runs with a run only

func newRun(j sandbox.Job, floor int) *run {
	r := &run{job: j, limits: j.Limits.Within(sandbox.MaxLimits()), inFlight: make(chan struct{}, 16)}
	r.limits.Memory = max(r.limits.Memory, floor)
	r.bytes.Limit = r.limits.HostBytes
	r.out.left = r.limits.Output
	name := j.Name
	if name == "" {
		name = "script.sh"
	}
	r.text, _ = json.Marshal(map[string]any{
		"source": j.Source, "name": name, "env": environment(j.Env), "stdin": j.Stdin, "memory": r.limits.Memory,
	})
	return r
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// environment drops variables that change how programs are loaded, where commands are found, or the user's identity.
func environment(env map[string]string) map[string]string {
	kept := maps.Clone(env)
	maps.DeleteFunc(kept, func(name, value string) bool {
		switch name {
		case "LD_PRELOAD", "LD_LIBRARY_PATH", "NODE_OPTIONS", "PATH", "UID", "EUID", "GID", "PWD", "IFS", "OPTIND":
			return true
		}
		return strings.HasPrefix(name, "DYLD_") || strings.HasPrefix(name, "BUN_") || !variable.MatchString(name) ||
			strings.Contains(value, "\x00")
	})
	return kept
}

// execute runs the job and reports whether the instance can be reused.
func (r *run) execute(ctx context.Context, in *instance) bool {
	in.memory.limit, in.memory.refused = uint64(r.limits.Memory), false
	r.deadline = time.Now().Add(r.limits.Timeout)
	ctx, stop := context.WithDeadline(context.WithValue(ctx, runKey{}, r), r.deadline)
	defer stop()
	_, r.err = in.run.Call(ctx)
	return r.err == nil && r.ended
}

// releaseSlot hands the slot to others; acquireSlot takes one again and reports whether it did before the end of the
// job.
func (r *run) releaseSlot() {
	if !r.withoutSlot && r.slots != nil {
		r.withoutSlot = true
		r.slots.Release()
	}
}

func (r *run) acquireSlot(ctx context.Context) bool {
	if !r.withoutSlot {
		return true
	}
	if r.slots.Acquire(ctx) != nil {
		return false
	}
	r.withoutSlot, r.since = false, time.Now()
	return true
}

// shortWait is the shortest wait for which a run releases its slot. Curl polls its answer at shorter intervals at
// first, so that a fast answer does not cost another run's time slice.
const shortWait = time.Millisecond

// wait waits while others run. It returns false when the job ends first.
func (r *run) wait(ctx context.Context, d time.Duration) bool {
	if d >= shortWait {
		r.releaseSlot()
	}
	return wasi.Sleep(ctx, d) && r.acquireSlot(ctx)
}

// giveWay hands the slot to waiting scripts when the time slice is used up. It returns false when the job ends first.
func (r *run) giveWay(ctx context.Context, now time.Time) bool {
	if r.since.IsZero() || now.Sub(r.since) < quantum {
		return true
	}
	if pause := r.pause(); pause > 0 && !wasi.Sleep(ctx, pause) {
		return false
	}
	r.since = time.Now()
	if !r.slots.Contended() {
		return true
	}
	r.releaseSlot()
	return r.acquireSlot(ctx)
}

// outcome classifies the end of the run: a decision of the host counts first, then the guest's report, as an exit code
// alone cannot be trusted after a trap.
func (r *run) outcome(in *instance) sandbox.Outcome {
	r.out.flush()
	o := sandbox.Outcome{
		Kind: sandbox.OK, ExitCode: -1, HostCalls: r.calls, MemoryPeak: int(in.module.Memory().Size()), OutputCut: r.out.cut,
		Stdout: strings.ToValidUTF8(r.out.stdout.String(), "\uFFFD"), Stderr: strings.ToValidUTF8(r.out.stderr.String(), "\uFFFD"),
		Logs: r.out.logs,
	}
	refuse := func(kind sandbox.Kind, name, message string) sandbox.Outcome {
		o.Kind, o.Failure = kind, &sandbox.Failure{Name: name, Message: message}
		return o
	}
	switch {
	case r.stopped == sandbox.HostCalls:
		return refuse(r.stopped, "HostCallLimit", r.reason)
	case r.err == nil && r.ended && r.ending.Failure != "":
		refuse(sandbox.Failed, "Error", r.ending.Failure)
		if r.ending.Line > 0 {
			name := r.job.Name
			if name == "" {
				name = "script.sh"
			}
			o.Failure.Name = "SyntaxError"
			o.Failure.Stack = []sandbox.Frame{{File: name, Line: r.ending.Line, Column: r.ending.Column}}
		}
		return o
	case r.err == nil && r.ended:
		o.ExitCode = r.ending.ExitCode
		return o
	case in.memory.refused, bytes.Contains(r.diagnostics, []byte("out of memory")):
		return refuse(sandbox.Memory, "MemoryLimit", "The script wanted more memory than it may have.")
	case r.stopped == sandbox.Timeout || !time.Now().Before(r.deadline):
		return refuse(sandbox.Timeout, "Timeout", "The script did not end within "+r.limits.Timeout.String()+".")
	case bytes.Contains(r.diagnostics, []byte("all goroutines are asleep")):
		return refuse(sandbox.Stalled, "Stalled", "The script waits for something that will not happen.")
	case bytes.Contains(r.diagnostics, []byte("stack")), r.err != nil && strings.Contains(r.err.Error(), "stack overflow"):
		return refuse(sandbox.Trap, "StackOverflow", "The script calls itself too often.")
	}
	return refuse(sandbox.Trap, "Trap", "The script broke the shell.")
}

// errStop stops the guest from within a host function.
var errStop = errors.New("the host ended the script")

func (r *run) stop(kind sandbox.Kind, reason string) {
	r.stopped, r.reason = kind, reason
	panic(errStop)
}
