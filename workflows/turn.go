// Package workflows holds the deterministic Temporal workflows: the state machines of a turn, a proposal, a plan and of
// background work. Package activities does the work of their steps; only ids and small results pass between the two,
// texts stay in PostgreSQL.
//
// The steps of a turn are local activities: they run in the process of the workflow, so a turn costs milliseconds. Each
// step leaves a record in PostgreSQL, so a retry after a crash is idempotent. While a step runs, the workflow task
// sends heartbeats: the server detects a hung process within a workflow task timeout, and the database a killed one
// earlier.
package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/problem"

	"countersign/internal/durable"
)

// StepTimeout bounds one step of a turn, its retries included.
const StepTimeout = 10 * time.Minute

// ModelCallTimeout bounds a step that calls the model: the longest time to the first words (assistant.MaxFirstToken), and
// a step's time for the answer. It is less than half an hour, after which the Temporal server ends a workflow task whose
// local activities are still running, and repeats them.
const ModelCallTimeout = 15*time.Minute + StepTimeout

// turnStepOptions are those of a step of a turn, modelStepOptions those of a step that calls the model: exponential backoff
// for about two minutes when the server fails. The stall limits of a model call end it long before the timeout.
var turnStepOptions, modelStepOptions = turnStep(StepTimeout), turnStep(ModelCallTimeout)

func turnStep(timeout time.Duration) durable.StepOptions {
	return durable.StepOptions{Local: true, ActivityOptions: workflow.ActivityOptions{
		ScheduleToCloseTimeout: timeout,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second, MaximumAttempts: 20,
		},
	}}
}

// FencedError is the type of the activity error after another process claimed the turn (a stale fencing token). The
// step is retried: the workflow code of one of the two processes is stale and the server drops it, but that may be the
// other's.
const FencedError = "Fenced"

// prepareTurnChange is the GetVersion id of the change that made PrepareTurn the first step.
const prepareTurnChange = "prepare turn"

// searchableStatusChange is the GetVersion id of the change that sets a search attribute to the turn's final status.
const searchableStatusChange = "searchable status"

// Turn answers one message of a person: it alternates model calls and tool calls until the model answers, a card or a
// question needs the person, the person stops the turn, or the steps are used up.
func Turn(ctx workflow.Context, in TurnInput) (TurnOutput, error) {
	t := newTurn(ctx, in)
	t.prepare()
	for t.step = 1; t.step <= in.MaxSteps && !t.alreadyEnded; t.step++ {
		answer := t.callModel()
		if t.applyOutcome(answer) {
			break
		}
		if t.callTools(answer.Calls) {
			break
		}
	}
	return t.finish()
}

type turn struct {
	ctx  workflow.Context
	in   TurnInput
	stop durable.SignalInbox

	step    int
	status  TurnStatus
	failure *Failure
	// startedAt is when the workflow started. timeline lists its phases for operators, the last one since entryStartedAt.
	startedAt, entryStartedAt time.Time
	timeline                  []string
	// awaitsAnswer is set when a question waits for the person's answer.
	awaitsAnswer bool
	// alreadyEnded is set when a step found the turn ended in the database; nothing is left to finish then.
	alreadyEnded bool
}

func newTurn(ctx workflow.Context, in TurnInput) *turn {
	return &turn{ctx: ctx, in: in, status: TurnDone, stop: StopSignal.Inbox(ctx), startedAt: workflow.Now(ctx)}
}

// prepare answers an off-topic message in place of the first step, and makes room in a long conversation. A turn that
// cannot be prepared continues without it.
func (t *turn) prepare() {
	// The process that started the workflow sets the field, and another version may run it: without the field the history
	// records which path was taken.
	if !t.in.Prepare && workflow.GetVersion(t.ctx, prepareTurnChange, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	t.describe("prepare")
	out, err := PrepareTurn.Do(t.ctx, "prepare", PrepareTurnInput{TurnID: t.in.TurnID})
	if err != nil {
		workflow.GetLogger(t.ctx).Warn("Turn not prepared", "error", err)
	}
	t.alreadyEnded = out.Over
}

// callModel makes the step's model call, with retries while the provider fails transiently.
func (t *turn) callModel() CallModelOutput {
	stopped, correction, search := false, "", ""
	for attempt := 1; ; attempt++ {
		t.describe("model call %d", t.step)
		out, err := CallModel.Do(t.ctx, fmt.Sprintf("step %d, attempt %d", t.step, attempt), CallModelInput{
			TurnID: t.in.TurnID, Step: t.step, Attempt: attempt, Final: t.step == t.in.MaxSteps, Stopped: stopped, Correction: correction,
			Search: search,
		})
		if err != nil {
			return CallModelOutput{Failure: t.serverFailure("call the model", err)}
		}
		if out.Retry == nil {
			return out
		}
		stopped, correction, search = t.waitOrStop(out.Retry.After), out.Retry.Correction, out.Retry.Search
	}
}

// applyOutcome records how a model call ended and reports whether the turn ends with it.
func (t *turn) applyOutcome(answer CallModelOutput) (ends bool) {
	switch {
	case answer.Over:
		t.alreadyEnded = true
	case answer.Stopped:
		t.status = TurnStopped
	case answer.Failure != nil:
		t.status, t.failure = TurnFailed, answer.Failure
	default:
		return len(answer.Calls) == 0
	}
	return true
}

// callTools runs the calls of a step, consecutive reads in parallel and the others in order, and reports whether the
// turn ends with this step. All proposals of one step get their cards; calls after a question do not run.
func (t *turn) callTools(calls []PlannedCall) (ends bool) {
	for first := 0; first < len(calls) && t.status == TurnDone && !t.alreadyEnded && !t.awaitsAnswer; {
		next := first + 1
		for calls[first].Parallel && next < len(calls) && calls[next].Parallel {
			next++
		}
		ends = t.callParallel(calls, first, next) || ends
		first = next
	}
	return ends
}

func (t *turn) callParallel(calls []PlannedCall, first, next int) (ends bool) {
	t.describe("%s", describeCalls(t.step, calls, first, next))
	running := make([]durable.StepFuture[CallToolOutput], 0, next-first)
	for i := first; i < next; i++ {
		running = append(running, CallTool.Start(t.ctx, calls[i].Tool, CallToolInput{TurnID: t.in.TurnID, Step: t.step, Call: i + 1}))
	}
	for _, call := range running {
		out, err := call.Get(t.ctx)
		if err != nil {
			t.status, t.failure = TurnFailed, t.serverFailure("run a tool", err)
			ends = true
		}
		if out.Stopped {
			t.status = TurnStopped
		}
		t.awaitsAnswer = t.awaitsAnswer || out.Asks
		t.alreadyEnded = t.alreadyEnded || out.Over
		ends = ends || out.Ends || out.Stopped || out.Over
	}
	return ends
}

// describeCalls names the calls from first to next of a step.
func describeCalls(step int, calls []PlannedCall, first, next int) string {
	if next == first+1 {
		return fmt.Sprintf("tool call %d of step %d: %s", next, step, calls[first].Tool)
	}
	names := make([]string, 0, next-first)
	for _, c := range calls[first:next] {
		names = append(names, c.Tool)
	}
	return fmt.Sprintf("tool calls %d to %d of step %d, side by side: %s", first+1, next, step, strings.Join(names, ", "))
}

// finish stores the answer and closes the stream, with retries until it succeeds, so that every turn ends.
func (t *turn) finish() (TurnOutput, error) {
	out := TurnOutput{Status: t.status, Steps: min(t.step, t.in.MaxSteps)}
	if t.alreadyEnded {
		t.stop.Drain()
		return out, nil
	}
	t.describe("finish")
	_, err := FinishTurn.Do(t.ctx, string(t.status), FinishTurnInput{TurnID: t.in.TurnID, Status: t.status, Failure: t.failure})
	t.describe("%s after %d steps", t.status, out.Steps)
	if workflow.GetVersion(t.ctx, searchableStatusChange, workflow.DefaultVersion, 1) != workflow.DefaultVersion {
		setStatusAttribute(t.ctx, string(t.status))
	}
	// A stop that arrived during a step has reached that step through the database.
	t.stop.Drain()
	return out, err
}

// waitOrStop waits for d and reports whether the person stopped the turn meanwhile.
func (t *turn) waitOrStop(d time.Duration) (stopped bool) {
	timerCtx, cancel := workflow.WithCancel(t.ctx)
	defer cancel()
	timer := workflow.NewTimerWithOptions(timerCtx, d, workflow.TimerOptions{Summary: "wait for the model provider"})
	return t.stop.WaitFor(t.ctx, timer)
}

// serverFailure is the failure that the person reads after a step failed on the server.
func (t *turn) serverFailure(what string, err error) *Failure {
	workflow.GetLogger(t.ctx).Error("Step failed", "what", what, "step", t.step, "error", err)
	return &Failure{
		Code: problem.Internal,
		Message: "The assistant could not " + what +
			" because of a fault on the server. What was changed or proposed before is shown above. Send your " +
			"message again; if it fails again, ask an administrator to look at this turn.",
	}
}

// describe adds a phase to the timeline in the Temporal Web UI, with its duration: the events of local activities carry
// only the end time of their workflow task.
func (t *turn) describe(format string, args ...any) {
	now := workflow.Now(t.ctx)
	if last := len(t.timeline) - 1; last >= 0 {
		t.timeline[last] += fmt.Sprintf(", took %.2f s", now.Sub(t.entryStartedAt).Seconds())
	}
	t.entryStartedAt = now
	t.timeline = append(t.timeline, fmt.Sprintf("- %.2f s: %s", now.Sub(t.startedAt).Seconds(), fmt.Sprintf(format, args...)))
	workflow.SetCurrentDetails(t.ctx, strings.Join(t.timeline, "\n"))
}
