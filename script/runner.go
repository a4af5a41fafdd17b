package script

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"countersign/sandbox"
	"countersign/sdk"
	"countersign/typescript"
)

// fileName is what a script is called in its own stack traces.
const fileName = "script"

// Compiler makes JavaScript of TypeScript. *typescript.Compiler is one.
type Compiler interface {
	Compile(ctx context.Context, source string, in sdk.Context) (typescript.Compiled, error)
	Transpile(ctx context.Context, source string, in sdk.Context) (typescript.Compiled, error)
}

// Policy is what scripts may do at a moment.
type Policy struct {
	// Limits are the most that a test gets.
	Limits sandbox.Limits
	// Fetch makes network requests; nil when there is no network.
	Fetch sandbox.Fetcher
	// Downgraded says that the real policy cannot be used.
	Downgraded bool
}

// Policies answers the policy of this moment. It always has one.
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

// Run runs a script whose input has been checked. An error is a fault of the host, the end of ctx, or a *problem.Error
// about a source that cannot be worked on.
func (r *Runner) Run(ctx context.Context, in TestInput) (TestOutput, error) {
	policy := r.Policies.Effective(ctx)
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
	if limits.Timeout < in.timeout() {
		o.Warnings = append(o.Warnings, fmt.Sprintf("the script policy gives a test at most %d ms", limits.Timeout.Milliseconds()))
	}
	limits.Timeout = min(limits.Timeout, in.timeout())
	job := sandbox.Job{Source: in.Source, Name: o.name, Input: told.input, Env: told.env, Limits: limits, Fetch: policy.Fetch}
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

// run is one run on its way.
type run struct {
	TestOutput

	in        TestInput
	name      string
	sourceMap []byte
}

// compiled takes in what the compiler says and reports whether there is something to run.
func (r *run) compiled(c typescript.Compiled) bool {
	r.TypesChecked, r.TypesReason = c.Checked, c.Reason.Text()
	r.sourceMap = c.SourceMap
	if c.Diagnostics != nil {
		r.Diagnostics = c.Diagnostics
	}
	for _, d := range r.Diagnostics {
		if d.Severity != typescript.Error || c.JS != "" && (d.Rule != typescript.Types || !r.in.StopOnTypeError) {
			continue
		}
		name := "SyntaxError"
		switch d.Rule {
		case typescript.Types:
			name = "TypeCheckError"
		case typescript.Imports:
			name = "ImportError"
		case typescript.Shape:
			name = "ExportError"
		case typescript.Syntax:
		}
		r.Error = &RunError{Name: name, Message: "The script was not run: " + d.Message, Stack: []StackFrame{{Line: d.Line, Column: d.Column}}}
		return false
	}
	if c.JS == "" {
		r.Error = &RunError{Name: "SyntaxError", Message: "The script was not run: it cannot be compiled.", Stack: []StackFrame{}}
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
	r.Result = o.Result
	for _, l := range o.Logs {
		r.Logs = append(r.Logs, LogLine(l))
	}
	limit := map[sandbox.Kind]Limit{
		sandbox.Timeout: TimeLimit, sandbox.Memory: MemoryLimit, sandbox.ResultTooLarge: ResultLimit, sandbox.HostCalls: HostCallLimit,
	}[o.Kind]
	if limit != "" {
		r.LimitsHit = append(r.LimitsHit, limit)
	}
	if o.OutputCut {
		r.LimitsHit = append(r.LimitsHit, OutputLimit)
	}
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

// explain says what went wrong in places of the author's source.
func (r *run) explain(o sandbox.Outcome) *RunError {
	e := &RunError{Name: string(o.Kind), Message: string(o.Kind), Stack: []StackFrame{}}
	if o.Failure == nil {
		return e
	}
	e.Message = o.Failure.Message
	if o.Failure.Name != "" {
		e.Name = o.Failure.Name
	}
	positions, err := typescript.NewPositions(r.sourceMap)
	for _, f := range o.Failure.Stack {
		if r.in.Context.Language() == sdk.Shell {
			e.Stack = append(e.Stack, StackFrame{f.Function, f.Line, f.Column})
			continue
		}
		if err != nil || f.File != r.name {
			continue
		}
		if line, column, ok := positions.Author(f.Line, f.Column); ok {
			e.Stack = append(e.Stack, StackFrame{f.Function, line, column})
		}
	}
	return e
}

// finished brings the result of a health check into its one form: the check is the judge, so an error is a failure.
func (r *run) finished() TestOutput {
	if r.in.Context != sdk.HealthCheckScript {
		return r.TestOutput
	}
	var result sdk.HealthCheckResult
	if r.Error == nil {
		var err error
		if result, err = sdk.ReadHealthCheckResult(r.Result); err != nil {
			r.Error = &RunError{Name: "ResultError", Message: err.Error(), Stack: []StackFrame{}}
		}
	}
	if r.Error != nil {
		result = sdk.HealthCheckResult{Message: r.Error.Message}
	}
	// A struct of a boolean, a string and a number has a JSON form.
	r.Result, _ = json.Marshal(result)
	return r.TestOutput
}

func roundMs(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }
