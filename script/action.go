package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"countersign/audit"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/script/sdk"
)

// The time limits of the script of an action.
const (
	MinActionTimeout     = time.Second
	MaxActionTimeout     = 5 * time.Minute
	DefaultActionTimeout = 30 * time.Second
)

// actionKind are the scripts of actions. Those of many runs act for one application. Their rows are those of tests: neither is
// begun twice.
var actionKind = jobKind{"test", "action", 64, ownRunning, "run", "runs of scripts", "script", false, scriptDied}

// ActionInput is the script of an action of an automation.
type ActionInput struct {
	// Context is sdk.ActionScript or sdk.ActionShell.
	Context sdk.Context
	Source  string
	// Scope is what the script gets; its Env is that of Env and SecretEnv.
	Scope sdk.AutomationContext
	Env   map[string]string
	// SecretEnv maps variables to "${{ secrets.NAME }}", and Secrets to the values. No row and no output has them.
	SecretEnv, Secrets map[string]string
	Timeout            time.Duration
}

// ErrNotRun is the error of an action whose script has not begun: it can be run.
var ErrNotRun = errors.New("the script has not begun")

// Act runs the script of an action as the principal of ctx, and waits for its outcome. Failures of the script are in the output.
// After any error but ErrNotRun and those about the input, the script may have run.
func (s *Service) Act(ctx context.Context, in ActionInput) (TestOutput, error) {
	run, err := in.run()
	if err != nil {
		return TestOutput{}, err
	}
	id := store.NewID()
	request, err := s.pack(id, run)
	if err != nil {
		return TestOutput{}, err
	}
	a, err := s.submit(ctx, job{
		jobKind: actionKind, id: id, request: request, most: run.timeout() + TestOverhead,
		record: func(ctx context.Context) error {
			return audit.Record(ctx, s.DB, audit.Event{
				Action: audit.Ran, Object: audit.Object(testType, id, ""), Summary: "A script of an automation was run",
			})
		},
		start:  func(ctx context.Context) error { return s.Starter.StartScriptTest(ctx, id, run.timeout()) },
		cancel: func(ctx context.Context) error { return s.Starter.CancelScriptTest(ctx, id) },
	})
	switch {
	case notBegun(err):
		return TestOutput{}, fmt.Errorf("%w: %s", ErrNotRun, problem.As(err).Detail)
	case err != nil:
		return TestOutput{}, err
	case a.Output == nil:
		return TestOutput{}, errors.New("the answer of a script is empty")
	}
	return *a.Output, nil
}

// notBegun reports errors of a job that no process has begun, and that none will.
func notBegun(err error) bool {
	e, ok := errors.AsType[*problem.Error](err)
	return ok && (e.Code == problem.Throttled || e.Detail == actionKind.unserved().Detail || e.Detail == actionKind.unstarted().Detail)
}

// run is the script as the job of a test: its scope stands for the sample of a tester, and the values of secrets are those
// that a tester would type, so that rows hold them sealed and outputs are masked.
func (in ActionInput) run() (TestInput, error) {
	var scope map[string]any
	data, err := json.Marshal(in.Scope)
	if err == nil {
		err = json.Unmarshal(data, &scope)
	}
	if err != nil {
		return TestInput{}, fmt.Errorf("scope of a script: %w", err)
	}
	delete(scope, "env")
	unchecked := false
	run := TestInput{
		Context: in.Context, Source: in.Source, SampleContext: scope, Env: in.Env, SecretEnv: in.SecretEnv, SecretOverrides: in.Secrets,
		TimeoutMs: int(in.Timeout.Milliseconds()), CheckTypes: &unchecked,
	}
	if run.TimeoutMs == 0 {
		run.TimeoutMs = int(DefaultActionTimeout.Milliseconds())
	}
	return run.within([]sdk.Context{sdk.ActionScript, sdk.ActionShell}, MinActionTimeout, MaxActionTimeout)
}
