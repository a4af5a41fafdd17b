package workflows

import (
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	// pickUp is how long a script waits for a process of the exec queue.
	pickUp = 10 * time.Second
	// compiling is how much longer than its script a run may take.
	compiling = 15 * time.Second
	// scriptHeartbeat is how soon a killed process is noticed. It leaves a slow machine time for heartbeats while it compiles the engine.
	scriptHeartbeat = 15 * time.Second
	// toolHeartbeat is the same for a call of a tool, which is made again then.
	toolHeartbeat = 5 * time.Second
)

var (
	runScriptStep = manner{ActivityOptions: workflow.ActivityOptions{
		ScheduleToStartTimeout: pickUp,
		HeartbeatTimeout:       scriptHeartbeat,
		WaitForCancellation:    true,
		// The second attempt runs nothing: it says that the first one was lost.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 2},
	}}
	runToolStep = manner{ActivityOptions: workflow.ActivityOptions{
		ScheduleToStartTimeout: pickUp,
		HeartbeatTimeout:       toolHeartbeat,
		WaitForCancellation:    true,
		// A tool computes and changes nothing, so the second attempt makes the call again.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 2},
	}}
)

// ScriptTest lets a process of the exec queue run the test of a script. That process answers in the test's row; where it
// cannot, this workflow does, so that the one who waits always hears. The workflow is on the exec queue itself: Temporal
// hands the script to the process that begins it, which saves half of the time.
func ScriptTest(ctx workflow.Context, in ScriptTestInput) (ScriptTestOutput, error) {
	_, err := RunScriptTest.within(in.Timeout+compiling).Do(ctx, "", RunScriptTestInput{TestID: in.TestID})
	return ScriptTestOutput{}, settled(ctx, err, func(unserved bool) error {
		_, err := SettleScriptTest.Do(ctx, "", SettleScriptTestInput{TestID: in.TestID, Unserved: unserved})
		return err
	})
}

// ToolCall lets a process of the exec queue call a tool, in the way of ScriptTest.
func ToolCall(ctx workflow.Context, in ToolCallInput) (ToolCallOutput, error) {
	_, err := RunToolCall.within(in.Timeout+compiling).Do(ctx, "", RunToolCallInput{CallID: in.CallID})
	return ToolCallOutput{}, settled(ctx, err, func(unserved bool) error {
		_, err := SettleToolCall.Do(ctx, "", SettleToolCallInput{CallID: in.CallID, Unserved: unserved})
		return err
	})
}

// settled answers what no process has answered, unless nobody waits for it, and passes on why.
func settled(ctx workflow.Context, err error, settle func(unserved bool) error) error {
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
