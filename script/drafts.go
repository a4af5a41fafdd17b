package script

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/check"
	"countersign/internal/problem"
	"countersign/sandbox"
	"countersign/script/sdk"
)

// Drafts runs the scripts of draft checks as tests: on workers of the exec queue, under the limits of tests. It
// implements check.Scripts for processes without a sandbox.
type Drafts struct{ tester Tester }

var _ check.Scripts = Drafts{}

// NewDrafts returns a Drafts.
func NewDrafts(t Tester) Drafts { return Drafts{t} }

// Run implements check.Scripts. The principal of ctx is the tester.
func (d Drafts) Run(ctx context.Context, in check.ScriptInput) (check.ScriptOutput, error) {
	test, err := draftOf(in)
	if err != nil {
		return check.ScriptOutput{}, err
	}
	o, err := d.tester.Test(ctx, []sdk.Context{sdk.HealthCheckScript, sdk.HealthCheckShell}, test)
	switch known, ok := errors.AsType[*problem.Error](err); {
	case ok && known.Code == problem.Invalid:
		return check.ScriptOutput{}, notRunnable(firstIssue(known))
	case ok:
		return check.ScriptOutput{}, check.Fail(check.Overloaded, known.Detail)
	case err != nil:
		return check.ScriptOutput{}, fmt.Errorf("try out the script of a check: %w", err)
	}
	return o.ofCheck(test.Context)
}

// firstIssue returns the first fault of an input.
func firstIssue(e *problem.Error) string {
	if len(e.Issues) == 0 {
		return e.Detail
	}
	return e.Issues[0].Path + " " + e.Issues[0].Message
}

// draftOf converts a draft run of a check to a test.
func draftOf(in check.ScriptInput) (TestInput, error) {
	types := false
	out := TestInput{
		Context: sdk.HealthCheckScript, Source: in.Source, Env: in.Env, CheckTypes: &types,
		TimeoutMs: int(max(MinTimeout, min(cmp.Or(in.Timeout, MaxTimeout), MaxTimeout)) / time.Millisecond),
	}
	if in.Language == string(sdk.Shell) {
		out.Context = sdk.HealthCheckShell
	}
	scriptCtx, err := healthCheckContext(in)
	if err != nil {
		return out, err
	}
	if out.Context == sdk.HealthCheckScript && scriptCtx.Config != nil {
		out.Config = scriptCtx.Config
	}
	sample := map[string]any{"check": scriptCtx.Check, "system": scriptCtx.System}
	if scriptCtx.Environment != nil {
		sample["environment"] = scriptCtx.Environment
	}
	data, err := json.Marshal(sample)
	if err != nil {
		return out, fmt.Errorf("encode the context of a script: %w", err)
	}
	var members map[string]any
	err = json.Unmarshal(data, &members)
	out.SampleContext = members
	return out, err
}

// ofCheck converts the output of a test to that of a check's script.
func (o TestOutput) ofCheck(in sdk.Context) (check.ScriptOutput, error) {
	out := check.ScriptOutput{
		Stdout: o.Stdout, Stderr: o.Stderr, ExitCode: -1, TimedOut: o.TimedOut, Took: time.Duration(o.DurationMs) * time.Millisecond,
	}
	out.OutputCut = slices.Contains(o.LimitsHit, OutputLimit)
	if o.ExitCode != nil {
		out.ExitCode = *o.ExitCode
	}
	out.Withheld, out.Refused = o.RequestRefused, o.RequestRefused != ""
	if o.SandboxDowngraded {
		out.Withheld = tightened
	}
	if o.Error == nil {
		if in == sdk.HealthCheckScript {
			out.Result = o.Result
		}
		return out, nil
	}
	message := o.Error.line(in)
	thrown := in == sdk.HealthCheckScript && !strings.HasPrefix(o.Error.Message, notRun) && o.Error.Name != resultError &&
		!ofSandbox(o.Error.Name)
	if out.TimedOut || thrown {
		out.Error = message
		return out, nil
	}
	if why, compiling := strings.CutPrefix(o.Error.Message, notRun); compiling && len(o.Error.Stack) > 0 {
		return out, notRunnable(fmt.Sprintf("line %d: %s", o.Error.Stack[0].Line, why))
	}
	return out, notRunnable(strings.TrimPrefix(message, notRun))
}

// ofSandbox reports whether the name of an error is that of a limit, which errors of scripts cannot have.
func ofSandbox(name string) bool {
	switch sandbox.Kind(name) {
	case sandbox.Timeout,
		sandbox.Memory,
		sandbox.ResultTooLarge,
		sandbox.ResultNotJSON,
		sandbox.Stalled,
		sandbox.HostCalls,
		sandbox.ImportRefused,
		sandbox.Trap:
		return true
	default:
		return false
	}
}

// line formats an error in one line: one that a script throws on purpose is its message alone, any other has its name
// and position.
func (e RunError) line(in sdk.Context) string {
	message := e.Message
	if in == sdk.HealthCheckScript {
		switch {
		case e.Name == "Error":
			return message
		case !ofSandbox(e.Name) && e.Name != resultError && !strings.HasPrefix(message, notRun):
			message = e.Name + ": " + message
		}
	}
	if len(e.Stack) > 0 {
		message += fmt.Sprintf(" (line %d)", e.Stack[0].Line)
	}
	return message
}
