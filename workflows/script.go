package workflows

import (
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

const (
	// pickUpTimeout bounds how long a script waits for a process of the exec queue.
	pickUpTimeout = 10 * time.Second
	// compileAllowance is added to the script's own timeout for compilation.
	compileAllowance = 15 * time.Second
	// scriptHeartbeatTimeout bounds the detection of a killed process. It leaves a slow machine time for heartbeats while
	// it compiles the engine.
	scriptHeartbeatTimeout = 15 * time.Second
	// toolHeartbeatTimeout is the same for a call of a tool, which is retried then.
	toolHeartbeatTimeout = 5 * time.Second
)

var (
	runScriptOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
		ScheduleToStartTimeout: pickUpTimeout,
		HeartbeatTimeout:       scriptHeartbeatTimeout,
		WaitForCancellation:    true,
		// The second attempt runs nothing: it records that the first one was lost.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 2},
	}}
	runToolOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
		ScheduleToStartTimeout: pickUpTimeout,
		HeartbeatTimeout:       toolHeartbeatTimeout,
		WaitForCancellation:    true,
		// A tool computes and changes nothing, so the second attempt makes the call again.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 2},
	}}
)

// ScriptTest has a process of the exec queue test a script. The process answers in the test's row; this workflow
// answers when no process could, so that the caller always gets an answer. The workflow is on the exec queue itself:
// Temporal dispatches the script to the process that starts the workflow, which halves the latency.
func ScriptTest(ctx workflow.Context, in ScriptTestInput) (ScriptTestOutput, error) {
	_, err := RunScriptTest.WithTimeout(in.Timeout+compileAllowance).Do(ctx, "", RunScriptTestInput{TestID: in.TestID})
	return ScriptTestOutput{}, settleIfUnanswered(ctx, err, func(unserved bool) error {
		_, err := SettleScriptTest.Do(ctx, "", SettleScriptTestInput{TestID: in.TestID, Unserved: unserved})
		return err
	})
}

// ToolCall has a process of the exec queue call a tool, as ScriptTest does.
func ToolCall(ctx workflow.Context, in ToolCallInput) (ToolCallOutput, error) {
	_, err := RunToolCall.WithTimeout(in.Timeout+compileAllowance).Do(ctx, "", RunToolCallInput{CallID: in.CallID})
	return ToolCallOutput{}, settleIfUnanswered(ctx, err, func(unserved bool) error {
		_, err := SettleToolCall.Do(ctx, "", SettleToolCallInput{CallID: in.CallID, Unserved: unserved})
		return err
	})
}

// settleIfUnanswered records an answer after no process did, unless the caller has canceled, and returns the cause.
func settleIfUnanswered(ctx workflow.Context, err error, settle func(unserved bool) error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if settleErr := settle(unserved(err)); settleErr != nil {
		workflow.GetLogger(ctx).Error("A script was not answered", "error", settleErr)
	}
	return err
}

// unserved reports whether no process has picked an activity up.
func unserved(err error) bool {
	timeout, ok := errors.AsType[*temporal.TimeoutError](err)
	return ok && timeout.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START
}
