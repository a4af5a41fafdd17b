// Package workflows holds the deterministic code of the product: how a turn and a proposal go from step to step. What
// a step does is in package activities; only ids and small results pass between the two, texts stay in PostgreSQL.
//
// The steps of a turn are local activities: they run in the process that runs the workflow, and each leaves a record in
// PostgreSQL, so a turn costs milliseconds and a step that is repeated after a crash finds its record. While a step
// runs, the workflow task sends heartbeats, so a process that
// stands still is noticed within a workflow task timeout; one that is killed is seen before, in PostgreSQL.
package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/problem"
)

// StepTimeout bounds one step of a turn, its repeats included.
const StepTimeout = 10 * time.Minute

// turnStep bounds one step of a turn, repeats included; a model that stalls is given up long before. When the host fails,
// a step is tried for about two minutes.
var turnStep = manner{local: true, ActivityOptions: workflow.ActivityOptions{
	ScheduleToCloseTimeout: StepTimeout,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second, MaximumAttempts: 16,
	},
}}

// FencedError is the type of an activity error that says: another process has taken this turn. It is repeated: the workflow
// code of one of the two processes is stale, and the server drops it, but it may be that of the other one.
const FencedError = "Fenced"

// preparation is the change since which turns begin with PrepareTurn, for GetVersion.
const preparation = "prepare turn"

// searchableStatus is the change since which turns say by a search attribute how they ended, for GetVersion.
const searchableStatus = "searchable status"

// Turn answers one message of a person: it calls the model and the tools it asks for, until the model answers, a person
// has to decide or is asked, the person stops it, or the steps are used up.
func Turn(ctx workflow.Context, in TurnInput) (TurnOutput, error) {
	t := newTurn(ctx, in)
	t.prepare()
	for t.step = 1; t.step <= in.MaxSteps && !t.ended; t.step++ {
		answer := t.callModel()
		if t.over(answer) {
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
	stop inbox

	step    int
	status  TurnStatus
	failure *Failure
	// began is when the workflow did, story what it was at since then, for operators, and latest when the last entry of that began.
	began, latest time.Time
	story         []string
	// asked is set when a question waits for the person's answer.
	asked bool
	// ended is set when the turn was over before a step could run; there is nothing to finish then.
	ended bool
}

func newTurn(ctx workflow.Context, in TurnInput) *turn {
	return &turn{ctx: ctx, in: in, status: TurnDone, stop: StopSignal.received(ctx), began: workflow.Now(ctx)}
}

// prepare gets the turn ready: it turns away a message about something else, by recording the answer to it as the first
// step, and makes room in a long conversation. A turn that cannot be prepared goes on as it is.
func (t *turn) prepare() {
	// Who has set the field is not who takes the path; where it is left out, whoever works decides, and the history says how.
	if !t.in.Prepare && workflow.GetVersion(t.ctx, preparation, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	t.describe("prepare")
	out, err := PrepareTurn.Do(t.ctx, "prepare", PrepareTurnInput{TurnID: t.in.TurnID})
	if err != nil {
		workflow.GetLogger(t.ctx).Warn("Turn not prepared", "error", err)
	}
	t.ended = out.Over
}

// callModel makes the step's model call, again and again while the provider fails in a way that may pass.
func (t *turn) callModel() CallModelOutput {
	stopped := false
	for attempt := 1; ; attempt++ {
		t.describe("model call %d", t.step)
		out, err := CallModel.Do(t.ctx, fmt.Sprintf("step %d, attempt %d", t.step, attempt), CallModelInput{
			TurnID: t.in.TurnID, Step: t.step, Attempt: attempt, Final: t.step == t.in.MaxSteps, Stopped: stopped,
		})
		if err != nil {
			return CallModelOutput{Failure: t.hostFailure("call the model", err)}
		}
		if out.Retry == nil {
			return out
		}
		stopped = t.waitOrStop(out.Retry.After)
	}
}

// over takes in how a model call ended and reports whether the turn is at its end.
func (t *turn) over(answer CallModelOutput) bool {
	switch {
	case answer.Over:
		t.ended = true
	case answer.Stopped:
		t.status = TurnStopped
	case answer.Failure != nil:
		t.status, t.failure = TurnFailed, answer.Failure
	default:
		return len(answer.Calls) == 0
	}
	return true
}

// callTools runs the calls the model asked for, neighbouring reads side by side and everything else in order, and
// reports whether the turn ends with this step. Several proposals of one step all get their cards; nothing runs after a
// question.
func (t *turn) callTools(calls []PlannedCall) (ends bool) {
	for first := 0; first < len(calls) && t.status == TurnDone && !t.ended && !t.asked; {
		next := first + 1
		for calls[first].Parallel && next < len(calls) && calls[next].Parallel {
			next++
		}
		ends = t.callSideBySide(calls, first, next) || ends
		first = next
	}
	return ends
}

func (t *turn) callSideBySide(calls []PlannedCall, first, next int) (ends bool) {
	t.describe("%s", toolsOf(t.step, calls, first, next))
	running := make([]Started[CallToolOutput], 0, next-first)
	for i := first; i < next; i++ {
		running = append(running, CallTool.Start(t.ctx, calls[i].Tool, CallToolInput{TurnID: t.in.TurnID, Step: t.step, Call: i + 1}))
	}
	for _, call := range running {
		out, err := call.Get(t.ctx)
		if err != nil {
			t.status, t.failure = TurnFailed, t.hostFailure("run a tool", err)
			ends = true
		}
		if out.Stopped {
			t.status = TurnStopped
		}
		t.asked = t.asked || out.Asks
		t.ended = t.ended || out.Over
		ends = ends || out.Ends || out.Stopped || out.Over
	}
	return ends
}

// toolsOf names the calls from first to next of a step.
func toolsOf(step int, calls []PlannedCall, first, next int) string {
	if next == first+1 {
		return fmt.Sprintf("tool call %d of step %d: %s", next, step, calls[first].Tool)
	}
	names := make([]string, 0, next-first)
	for _, c := range calls[first:next] {
		names = append(names, c.Tool)
	}
	return fmt.Sprintf("tool calls %d to %d of step %d, side by side: %s", first+1, next, step, strings.Join(names, ", "))
}

// finish stores the answer and closes the stream. It is repeated until it succeeds: every turn ends.
func (t *turn) finish() (TurnOutput, error) {
	out := TurnOutput{Status: t.status, Steps: min(t.step, t.in.MaxSteps)}
	if t.ended {
		t.stop.drain()
		return out, nil
	}
	t.describe("finish")
	_, err := FinishTurn.Do(t.ctx, string(t.status), FinishTurnInput{TurnID: t.in.TurnID, Status: t.status, Failure: t.failure})
	t.describe("%s after %d steps", t.status, out.Steps)
	if workflow.GetVersion(t.ctx, searchableStatus, workflow.DefaultVersion, 1) != workflow.DefaultVersion {
		searchable(t.ctx, string(t.status))
	}
	// A stop that came while a step ran has reached it by another way.
	t.stop.drain()
	return out, err
}

// waitOrStop waits and reports whether the person stopped the turn meanwhile.
func (t *turn) waitOrStop(d time.Duration) (stopped bool) {
	timerCtx, cancel := workflow.WithCancel(t.ctx)
	defer cancel()
	timer := workflow.NewTimerWithOptions(timerCtx, d, workflow.TimerOptions{Summary: "wait for the model provider"})
	return t.stop.waitFor(t.ctx, timer)
}

// hostFailure is what a person is told when a step failed for reasons of the host.
func (t *turn) hostFailure(what string, err error) *Failure {
	workflow.GetLogger(t.ctx).Error("Step failed", "what", what, "step", t.step, "error", err)
	return &Failure{
		Code: problem.Internal,
		Message: "The assistant could not " + what +
			" because of a fault on the server. What was changed or proposed before is shown above. Send your " +
			"message again; if it fails again, ask an administrator to look at this turn.",
	}
}

// describe tells operators in the Temporal Web UI where the turn is, and when it was where before and for how long: the events of its local
// activities have the time at which their workflow task ended.
func (t *turn) describe(format string, args ...any) {
	now := workflow.Now(t.ctx)
	if last := len(t.story) - 1; last >= 0 {
		t.story[last] += fmt.Sprintf(", took %.2f s", now.Sub(t.latest).Seconds())
	}
	t.latest = now
	t.story = append(t.story, fmt.Sprintf("- %.2f s: %s", now.Sub(t.began).Seconds(), fmt.Sprintf(format, args...)))
	workflow.SetCurrentDetails(t.ctx, strings.Join(t.story, "\n"))
}
