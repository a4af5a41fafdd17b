package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/sandbox"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// fileName is the name of a script in its own stack traces.
const fileName = "script"

// notRun begins the message about a script that was not run; resultError is the name of an error about its result.
const (
	notRun      = "The script was not run: "
	resultError = "ResultError"
)

// maxLogs bounds the lines listed individually: each costs far more than its text.
const maxLogs = 5_000

// Compiler compiles TypeScript to JavaScript; *typescript.Compiler implements it.
type Compiler interface {
	Compile(ctx context.Context, source string, in sdk.Context) (typescript.Compiled, error)
	Transpile(ctx context.Context, source string, in sdk.Context) (typescript.Compiled, error)
}

// Policy is the script policy at one moment.
type Policy struct {
	// Limits are the upper limits of a test.
	Limits sandbox.Limits
	// Fetch makes network requests; nil without network access.
	Fetch sandbox.Fetcher
	// Downgraded says that the real policy cannot be used.
	Downgraded bool
}

// Policies returns the current policy. It always has one.
type Policies interface {
	Effective(ctx context.Context) Policy
}

// Runner runs scripts in this process. It is safe for concurrent use.
type Runner struct {
	Compiler Compiler
	// JavaScript and Shell are the engines.
	JavaScript sandbox.Runner
	Shell      sandbox.Runner
	Policies   Policies
}

// Run runs a script whose input has been checked. An error is a host failure, the end of ctx, or a *problem.Error about
// a source that cannot be compiled. The values that the tester has typed for secrets are masked in the output.
func (r *Runner) Run(ctx context.Context, in TestInput) (TestOutput, error) {
	o, err := r.run(ctx, in)
	if err != nil {
		return TestOutput{}, err
	}
	return in.masked(o)
}

func (r *Runner) run(ctx context.Context, in TestInput) (TestOutput, error) {
	policy := r.Policies.Effective(ctx)
	if in.WithoutNetwork {
		policy.Fetch = nil
	}
	o := &run{
		TestOutput: TestOutput{
			SandboxDowngraded: policy.Downgraded, NetworkAllowed: policy.Fetch != nil,
			Diagnostics: []Diagnostic{}, Logs: []LogLine{}, LimitsHit: []Limit{}, Warnings: []string{},
		},
		in: in, name: fileName + ".ts",
	}
	told, err := in.sample()
	if err != nil {
		return TestOutput{}, err
	}
	o.Warnings = append(o.Warnings, told.warnings...)
	limits := policy.Limits.Within(sandbox.MaxLimits())
	switch {
	case limits.Timeout >= in.timeout():
	case policy.Downgraded:
		o.Warnings = append(
			o.Warnings,
			fmt.Sprintf("the script policy cannot be used, so a test gets at most %d ms", limits.Timeout.Milliseconds()),
		)
	case in.TimeoutMs > 0:
		o.Warnings = append(o.Warnings, fmt.Sprintf("the script policy gives a test at most %d ms", limits.Timeout.Milliseconds()))
	}
	limits.Timeout = min(limits.Timeout, in.timeout())
	o.fetch = &watched{allowed: policy.Fetch, closed: errTestWithoutNetwork}
	job := sandbox.Job{Source: in.Source, Name: o.name, Input: told.input, Env: told.env, Limits: limits, Fetch: o.fetch}
	if in.Context.Language() == sdk.Shell {
		job.Name, o.TypesReason = fileName+".sh", "Shell scripts have no types."
		return o.execute(ctx, r.Shell, job)
	}
	compiled, err := r.compile(ctx, in)
	if err != nil {
		return TestOutput{}, err
	}
	if !o.compiled(compiled) {
		return o.finished(), nil
	}
	job.Source = compiled.JS
	return o.execute(ctx, r.JavaScript, job)
}

func (r *Runner) compile(ctx context.Context, in TestInput) (typescript.Compiled, error) {
	if in.CheckTypes != nil && !*in.CheckTypes {
		return r.Compiler.Transpile(ctx, in.Source, in.Context)
	}
	return r.Compiler.Compile(ctx, in.Source, in.Context)
}

// errTestWithoutNetwork is the error of requests without a network, in the words of the engines.
var errTestWithoutNetwork = errors.New("this script has no network")

// run is one run in progress.
type run struct {
	TestOutput

	in    TestInput
	name  string
	fetch *watched
	// places are nil without TypeScript.
	places *typescript.Positions
}

// compiled takes the compiler's result and reports whether there is a program to run.
func (r *run) compiled(c typescript.Compiled) bool {
	r.TypesChecked, r.TypesReason = c.Checked, c.Reason.Text()
	r.places, _ = typescript.NewPositions(c.SourceMap) // nil without JavaScript
	if c.Diagnostics != nil {
		r.Diagnostics = c.Diagnostics
	}
	for _, d := range r.Diagnostics {
		// A type error never prevents JavaScript.
		stops := d.Severity == typescript.Error && (d.Rule == typescript.Types) == (c.JS != "")
		if !stops || d.Rule == typescript.Types && !r.in.StopOnTypeError {
			continue
		}
		name := map[typescript.Rule]string{
			typescript.Syntax: "SyntaxError", typescript.Types: "TypeCheckError", typescript.Imports: "ImportError", typescript.Shape: "ExportError",
		}[d.Rule]
		r.Error = &RunError{Name: name, Message: notRun + d.Message, Stack: []StackFrame{{Line: d.Line, Column: d.Column}}}
		return false
	}
	if c.JS == "" {
		r.Error = &RunError{Name: "SyntaxError", Message: notRun + "it cannot be compiled.", Stack: []StackFrame{}}
		return false
	}
	return true
}

func (r *run) execute(ctx context.Context, engine sandbox.Runner, job sandbox.Job) (TestOutput, error) {
	o, err := engine.Run(ctx, job)
	if err != nil {
		return TestOutput{}, fmt.Errorf("run the script: %w", err)
	}
	r.Stdout, r.Stderr, r.DurationMs = o.Stdout, o.Stderr, roundMs(o.Duration)
	r.TimedOut = o.Kind == sandbox.Timeout
	r.RequestRefused = r.fetch.withheld()
	r.Result = o.Result
	for _, l := range o.Logs[:min(len(o.Logs), maxLogs)] {
		r.Logs = append(r.Logs, LogLine(l))
	}
	if len(o.Logs) > maxLogs {
		r.Warnings = append(r.Warnings, fmt.Sprintf("logs has the first %d of %d lines; stdout and stderr have all", maxLogs, len(o.Logs)))
	}
	if limit := limitOf[o.Kind]; limit != "" {
		r.LimitsHit = append(r.LimitsHit, limit)
	}
	if o.OutputCut {
		r.LimitsHit = append(r.LimitsHit, OutputLimit)
	}
	r.relocate()
	if r.in.Context.Language() == sdk.Shell {
		r.Result = nil
		if o.Kind == sandbox.OK {
			r.ExitCode = &o.ExitCode
		}
	}
	if o.Kind != sandbox.OK {
		r.Error = r.explain(o)
	}
	return r.finished(), nil
}

// explain describes a failure by positions of the author's source.
func (r *run) explain(o sandbox.Outcome) *RunError {
	e := &RunError{Name: string(o.Kind), Message: string(o.Kind), Stack: []StackFrame{}}
	if o.Failure == nil {
		return e
	}
	e.Message = r.inSource(o.Failure.Message)
	// The engines use different names for stops that are no script errors.
	if o.Kind == sandbox.Failed && o.Failure.Name != "" {
		e.Name = o.Failure.Name
	}
	for _, f := range o.Failure.Stack {
		if r.in.Context.Language() == sdk.Shell {
			e.Stack = append(e.Stack, StackFrame{f.Function, f.Line, f.Column})
			continue
		}
		if r.places == nil || f.File != r.name {
			continue
		}
		if line, column, ok := r.places.Author(f.Line, f.Column); ok {
			e.Stack = append(e.Stack, StackFrame{f.Function, line, column})
		}
	}
	return e
}

// finished normalizes the result of a health check: the check judges it, so an error becomes a failure.
func (r *run) finished() TestOutput {
	if r.in.Context != sdk.HealthCheckScript {
		return r.TestOutput
	}
	var result sdk.HealthCheckResult
	if r.Error == nil {
		var err error
		if result, err = sdk.ReadHealthCheckResult(r.Result); err != nil {
			r.Error = &RunError{Name: resultError, Message: err.Error(), Stack: []StackFrame{}}
		}
	}
	if r.Error != nil {
		result = sdk.HealthCheckResult{Message: r.Error.Message}
	}
	result.Message = r.inSource(result.Message)
	// Marshalling a struct of a boolean, a string and a number cannot fail.
	r.Result, _ = json.Marshal(result)
	return r.TestOutput
}

func roundMs(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }
