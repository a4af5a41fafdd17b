package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/sandbox"
	"countersign/script/sdk"
)

// tightened is the note that an unusable policy denied something to the script.
const tightened = "The script policy is missing or cannot be used, so the script had no network and the tightest limits."

// checksAtOnce is the default concurrency limit of check scripts in a process. Most of them wait for the network.
const checksAtOnce = 64

// ChecksOptions configure Checks. Use separate engines and a separate compiler, so that tests of scripts do not wait
// for checks.
type ChecksOptions struct {
	Compiler Compiler
	// JavaScript and Shell are the engines.
	JavaScript, Shell sandbox.Runner
	// Policies has the limits of real runs.
	Policies Policies
	// AtOnce is the concurrency limit; 0 means 64. Further scripts wait.
	AtOnce int
	// CacheBytes bounds the cache of compiled scripts: 64 MiB.
	CacheBytes int
}

// Checks runs the scripts of planned health checks in this process, without a row or a workflow for each. A cache holds
// compiled sources. It implements check.Scripts and is safe for concurrent use.
type Checks struct {
	javascript, shell sandbox.Runner
	policies          Policies
	programs          *programCache
	places            *semaphore.Weighted
}

var _ check.Scripts = (*Checks)(nil)

// NewChecks returns a Checks.
func NewChecks(o ChecksOptions) *Checks {
	if o.AtOnce <= 0 {
		o.AtOnce = checksAtOnce
	}
	if o.CacheBytes <= 0 {
		o.CacheBytes = 64 << 20
	}
	return &Checks{
		javascript: o.JavaScript, shell: o.Shell, policies: o.Policies, programs: newProgramCache(o.Compiler, o.CacheBytes),
		places: semaphore.NewWeighted(int64(o.AtOnce)),
	}
}

// Run implements check.Scripts. A script that cannot run, or that a limit other than its timeout stopped, is a
// *check.Failure that says nothing about the target; any other error is a host failure. A nil Checks runs nothing.
func (c *Checks) Run(ctx context.Context, in check.ScriptInput) (check.ScriptOutput, error) {
	if c == nil {
		return check.ScriptOutput{}, check.Fail(check.NotRunnable, "This process runs no scripts of checks.")
	}
	if in.Language != string(sdk.TypeScript) && in.Language != string(sdk.Shell) {
		return check.ScriptOutput{}, check.Fail(check.NotRunnable, "Scripts of checks are written in typescript or shell.")
	}
	r := &checkRun{in: in, began: time.Now()}
	if err := r.prepare(ctx, c); err != nil {
		return check.ScriptOutput{}, overloaded(ctx, err)
	}
	if err := c.places.Acquire(ctx, 1); err != nil {
		return check.ScriptOutput{}, overloaded(ctx, err)
	}
	defer c.places.Release(1)
	r.limit(ctx, c.policies.Effective(ctx))
	if err := ctx.Err(); err != nil {
		return check.ScriptOutput{}, overloaded(ctx, err)
	}
	engine := c.shell
	if r.program != nil {
		engine = c.javascript
	}
	o, err := engine.Run(ctx, r.job)
	if err != nil {
		return check.ScriptOutput{}, overloaded(ctx, err)
	}
	return r.output(o)
}

// overloaded distinguishes the end of a run's time from other errors: a started script ends earlier, so this one was
// still waiting.
func overloaded(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return check.Fail(check.Overloaded, "The script did not get its turn in time: too many scripts of checks run in this process.")
	}
	if errors.As(err, new(*check.Failure)) {
		return err
	}
	return fmt.Errorf("run the script of a check: %w", err)
}

// checkRun is one run in progress.
type checkRun struct {
	in  check.ScriptInput
	job sandbox.Job
	// program is nil for shell.
	program *program
	fetch   *watched
	// began is when the run began to wait. cut is set when waiting took a good part of the time that the script would have had.
	began time.Time
	cut   bool
	// tightened says that the policy is unusable, shortened that it allows less time than the script's timeout; empty
	// otherwise.
	tightened, shortened string
}

// prepare compiles the source and builds the script's context.
func (r *checkRun) prepare(ctx context.Context, c *Checks) error {
	scriptCtx, err := healthCheckContext(r.in)
	if err != nil {
		return err
	}
	if r.in.Language == string(sdk.Shell) {
		env := scriptCtx.Environ().Variables
		maps.Copy(env, r.in.Env)
		r.job = sandbox.Job{Source: r.in.Source, Name: fileName + ".sh", Env: env}
		return nil
	}
	if r.program, err = c.programs.get(ctx, r.in.Source); err != nil {
		return err
	}
	r.job = sandbox.Job{Source: r.program.js, Name: fileName + ".ts"}
	r.job.Input, err = json.Marshal(scriptCtx)
	return err
}

// healthCheckContext builds the context of a check's script.
func healthCheckContext(in check.ScriptInput) (sdk.HealthCheckContext, error) {
	c := sdk.HealthCheckContext{
		Env:    in.Env,
		Check:  sdk.Check{ID: in.Scope.Check.ID.String(), Name: in.Scope.Check.Name, IntervalSeconds: in.Scope.Check.IntervalSeconds},
		System: sdk.System{ID: in.Scope.System.ID.String(), Name: in.Scope.System.Name},
	}
	if e := in.Scope.Environment; e != nil {
		c.Environment = &sdk.Environment{ID: e.ID.String(), Name: e.Name, Fields: e.Fields}
	}
	if len(in.Config) > 0 {
		if err := json.Unmarshal(in.Config, &c.Config); err != nil {
			return c, check.Fail(check.NotRunnable, "The configuration that this check gives to its script is not an object.")
		}
	}
	return c, nil
}

// limit applies the current policy and the remaining time.
func (r *checkRun) limit(ctx context.Context, p Policy) {
	limits := p.Limits.Within(sandbox.MaxLimits())
	if p.Downgraded {
		r.tightened = tightened
	}
	wanted := r.in.Timeout
	if deadline, ok := ctx.Deadline(); ok {
		// The script ends a little before the run, so that its outcome is known.
		left := max(time.Until(deadline)*9/10, time.Millisecond)
		whole := deadline.Sub(r.began) * 9 / 10
		if wanted == 0 {
			wanted = whole
		}
		r.cut = left < wanted && left < whole*3/4
		wanted = min(wanted, left)
	}
	if wanted > limits.Timeout {
		r.cut = false
		r.shortened = fmt.Sprintf(
			"The script policy gives a script at most %d ms, and this one did not end in them.",
			limits.Timeout.Milliseconds(),
		)
	} else if wanted > 0 {
		limits.Timeout = wanted
	}
	r.fetch = &watched{allowed: p.Fetch, closed: errNoNetwork}
	r.job.Limits, r.job.Fetch = limits, r.fetch
}

// output converts the outcome of the script.
func (r *checkRun) output(o sandbox.Outcome) (check.ScriptOutput, error) {
	out := check.ScriptOutput{
		Stdout: o.Stdout, Stderr: o.Stderr, ExitCode: o.ExitCode, TimedOut: o.Kind == sandbox.Timeout, Took: o.Duration,
		OutputCut: o.OutputCut, Withheld: r.fetch.withheld(),
	}
	out.Refused = out.Withheld != ""
	switch {
	case out.TimedOut && r.cut:
		return out, check.Fail(check.Overloaded, "The script had only a part of its time: too many scripts of checks run in this process.")
	case r.tightened != "":
		out.Withheld = r.tightened
	case out.Refused:
	case out.TimedOut:
		out.Withheld = r.shortened
	}
	message := ""
	if o.Failure != nil {
		message = r.oneLine(*o.Failure)
	}
	switch {
	case o.Kind == sandbox.OK && r.program != nil:
		result, err := sdk.ReadHealthCheckResult(o.Result)
		if err != nil {
			return out, notRunnable(err.Error())
		}
		out.Result, err = json.Marshal(result)
		return out, err
	case o.Kind == sandbox.OK:
		return out, nil
	case out.TimedOut, o.Kind == sandbox.Failed && r.program != nil:
		out.Error = message
		return out, nil
	case out.Withheld != "" && o.Kind != sandbox.Trap: // the tightest limits are not the script's fault
		return out, check.Fail(check.NotRunnable, out.Withheld)
	default:
		return out, notRunnable(message)
	}
}

func notRunnable(why string) error {
	return check.Fail(check.NotRunnable, "The script cannot be run: "+strings.TrimRight(why, ".")+".")
}

// oneLine formats a failure in one line. An error that the script throws on purpose is its message alone; any other has
// its name and its position in the author's source.
func (r *checkRun) oneLine(f sandbox.Failure) string {
	if r.program == nil {
		for _, frame := range f.Stack {
			return fmt.Sprintf("%s (line %d)", f.Message, frame.Line)
		}
		return f.Message
	}
	if f.Name == "" || f.Name == "Error" {
		return f.Message
	}
	message := f.Name + ": " + f.Message
	places := r.program.places()
	for _, frame := range f.Stack {
		if places == nil || frame.File != r.job.Name {
			continue
		}
		if line, _, ok := places.Author(frame.Line, frame.Column); ok {
			return fmt.Sprintf("%s (line %d)", message, line)
		}
	}
	return message
}

// watched sends the requests that the policy allows, and records whether it refused one.
type watched struct {
	allowed sandbox.Fetcher
	// closed is the error of each request when allowed is nil.
	closed  error
	refused atomic.Pointer[string]
}

var errNoNetwork = errors.New("scripts have no network under the script policy")

// Fetch implements sandbox.Fetcher.
func (w *watched) Fetch(ctx context.Context, r sandbox.Request) (sandbox.Response, error) {
	if w.allowed == nil {
		w.refuse(errNoNetwork)
		return sandbox.Response{}, w.closed
	}
	response, err := w.allowed.Fetch(ctx, r)
	if errors.Is(err, egress.ErrRefused) {
		w.refuse(err)
	}
	return response, err
}

func (w *watched) refuse(err error) {
	text := "The script policy kept a request from the script: " + strings.TrimRight(err.Error(), ".") + "."
	w.refused.CompareAndSwap(nil, &text)
}

// withheld is empty when nothing was refused.
func (w *watched) withheld() string {
	if text := w.refused.Load(); text != nil {
		return *text
	}
	return ""
}
