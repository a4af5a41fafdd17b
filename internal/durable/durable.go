// Package durable declares workflows, their steps, signals and queries by stable names, with typed inputs and outputs. Code
// that names one in another type does not compile. Package worker connects the declarations to Temporal.
package durable

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Workflow is a workflow as it is registered and started: its stable name with its input and output types.
type Workflow[In, Out any] struct {
	// Name stands in histories. It must never change.
	Name string
	Code func(ctx workflow.Context, in In) (Out, error)
}

// Step is an activity as workflow code calls it: its stable name with its input and output types, timeouts and retries.
type Step[In, Out any] struct {
	// Name stands in histories. It must never change.
	Name    string
	Options StepOptions
}

// StepOptions are timeouts and retries of a step. Local steps run in the process of the workflow, others in any process
// of the queue.
type StepOptions struct {
	Local bool

	workflow.ActivityOptions
}

// MaxClockSkew is the tolerated clock skew between processes. Temporal's SDK ends the retries of a local step, and
// every other activity, at a moment set by the server and read from the process's clock, so a timeout that is to leave
// room for retries must be longer. StepTimeout includes it: the further a clock is ahead, the less time is left for
// retries.
const MaxClockSkew = 10 * time.Minute

// OutcomeStepOptions are those of the step that records a workflow's outcome: a minute for an attempt, and about a
// minute for all attempts when they fail at once.
var OutcomeStepOptions = StepOptions{Local: true, ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout:    time.Minute,
	ScheduleToCloseTimeout: time.Minute + MaxClockSkew,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    20 * time.Second,
		MaximumAttempts:    7,
	},
}}

// DoLocalFirst runs the step as a local activity, which costs the server nothing, and as a regular one after three
// failed attempts, so that the server retries it.
func (s Step[In, Out]) DoLocalFirst(ctx workflow.Context, summary string, in In) (Out, error) {
	here := s
	here.Options.Local = true
	here.Options.RetryPolicy = &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumAttempts: 3}
	out, err := here.Do(ctx, summary, in)
	if err == nil {
		return out, nil
	}
	return s.Do(ctx, summary, in)
}

// WithTimeout returns the step with another timeout for each attempt.
func (s Step[In, Out]) WithTimeout(d time.Duration) Step[In, Out] {
	s.Options.StartToCloseTimeout = d
	return s
}

// Do runs the step and waits for its result. The summary describes it in the history.
func (s Step[In, Out]) Do(ctx workflow.Context, summary string, in In) (Out, error) {
	return s.Start(ctx, summary, in).Get(ctx)
}

// Start starts the step without waiting for its result.
func (s Step[In, Out]) Start(ctx workflow.Context, summary string, in In) StepFuture[Out] {
	o := s.Options.ActivityOptions
	o.Summary = summary
	if !s.Options.Local {
		return StepFuture[Out]{future: workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), s.Name, in)}
	}
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    o.StartToCloseTimeout,
		ScheduleToCloseTimeout: o.ScheduleToCloseTimeout,
		RetryPolicy:            o.RetryPolicy,
		Summary:                o.Summary,
	})
	restart := func() workflow.Future { return workflow.ExecuteLocalActivity(ctx, s.Name, in) }
	return StepFuture[Out]{restart(), restart}
}

// Abandoned is the type of the error of a step that its process cannot run now, such as during suspension.
const Abandoned = "Abandoned"

// abandonedPause is the delay before an abandoned step is retried. The workflow task ends meanwhile, so that another
// process can get the next one.
const abandonedPause = 200 * time.Millisecond

// StepFuture is a started step. restart starts a local one again; it is nil for a regular one.
type StepFuture[Out any] struct {
	future  workflow.Future
	restart func() workflow.Future
}

// Get waits for the result, which is empty after an error. An abandoned local step is started again, in the process
// that has the workflow by then; the server retries a regular one.
func (s StepFuture[Out]) Get(ctx workflow.Context) (out Out, err error) {
	for {
		err = s.future.Get(ctx, &out)
		if e, ok := errors.AsType[*temporal.ApplicationError](err); !ok || e.Type() != Abandoned || s.restart == nil {
			return out, err
		}
		if err := workflow.Sleep(ctx, abandonedPause); err != nil {
			return out, err
		}
		s.future = s.restart()
	}
}

// Signal is a signal to a running workflow, under its stable name. Signals carry nothing: they tell the workflow to
// read a row again.
type Signal[In any] struct {
	// Name stands in histories. It must never change.
	Name string
}

// Inbox is the channel of the workflow's signals.
func (s Signal[In]) Inbox(ctx workflow.Context) SignalInbox {
	return SignalInbox{workflow.GetSignalChannel(ctx, s.Name)}
}

// SignalInbox holds the signals that a workflow has received.
type SignalInbox struct{ channel workflow.ReceiveChannel }

// WaitFor waits for a signal or the timer, and reports whether a signal arrived.
func (i SignalInbox) WaitFor(ctx workflow.Context, timer workflow.Future) (signaled bool) {
	workflow.NewSelector(ctx).
		AddFuture(timer, func(workflow.Future) {}).
		AddReceive(i.channel, func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(ctx, nil)
			signaled = true
		}).
		Select(ctx)
	return signaled
}

// Drain discards unread signals, which a workflow must not leave behind.
func (i SignalInbox) Drain() {
	for i.channel.ReceiveAsync(nil) {
	}
}

// ContinueAsNew continues a workflow in a new history.
func ContinueAsNew[In, Out any](ctx workflow.Context, code func(workflow.Context, In) (Out, error), in In) error {
	return workflow.NewContinueAsNewError(ctx, code, in)
}
