package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Workflow is a workflow as it is registered and started: under its lasting name, with what it takes and answers.
type Workflow[In, Out any] struct {
	// Name stands in histories. It must never change.
	Name string
	Code func(ctx workflow.Context, in In) (Out, error)
}

// Step is an activity as workflow code calls it: under its lasting name, with what it takes and answers, and with its
// time and attempts.
type Step[In, Out any] struct {
	// Name stands in histories. It must never change.
	Name string
	how  manner
}

// manner is how a step is run. Local steps run in the process of the workflow, the others in any process of the queue.
type manner struct {
	local bool

	workflow.ActivityOptions
}

// Apart is how far clocks of processes may be apart at most. Temporal's SDK ends the repeats of a local step, and every
// other activity, at a moment that its server has set, by the clock of the process; so where there are to be repeats,
// their time must be longer than this. The steps of a turn have StepTimeout for them all: the further a clock is ahead,
// the less of it is left for repeats.
const Apart = 10 * time.Minute

// lastStep is how the step is run that says how a workflow went: an attempt takes a minute at most, and all take about
// a minute where they fail at once.
var lastStep = manner{local: true, ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout:    time.Minute,
	ScheduleToCloseTimeout: time.Minute + Apart,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    time.Second,
		BackoffCoefficient: 2,
		MaximumInterval:    20 * time.Second,
		MaximumAttempts:    7,
	},
}}

// nearby runs the step as a local activity, and as a regular one where that fails in a way that does not pass at once:
// a step that is made in the process of its workflow costs the server nothing, and one that has to be repeated for long
// is repeated by the server.
func (s Step[In, Out]) nearby(ctx workflow.Context, summary string, in In) (Out, error) {
	here := s
	here.how.local = true
	here.how.RetryPolicy = &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumAttempts: 3}
	out, err := here.Do(ctx, summary, in)
	if err == nil {
		return out, nil
	}
	return s.Do(ctx, summary, in)
}

// within gives each attempt at the step another time.
func (s Step[In, Out]) within(d time.Duration) Step[In, Out] {
	s.how.StartToCloseTimeout = d
	return s
}

// Do runs the step to its end. The summary says in the history what it was about.
func (s Step[In, Out]) Do(ctx workflow.Context, summary string, in In) (Out, error) {
	return s.Start(ctx, summary, in).Get(ctx)
}

// Start begins the step beside others.
func (s Step[In, Out]) Start(ctx workflow.Context, summary string, in In) Started[Out] {
	o := s.how.ActivityOptions
	o.Summary = summary
	if !s.how.local {
		return Started[Out]{future: workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), s.Name, in)}
	}
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    o.StartToCloseTimeout,
		ScheduleToCloseTimeout: o.ScheduleToCloseTimeout,
		RetryPolicy:            o.RetryPolicy,
		Summary:                o.Summary,
	})
	again := func() workflow.Future { return workflow.ExecuteLocalActivity(ctx, s.Name, in) }
	return Started[Out]{again(), again}
}

// Abandoned is the type of the error with which a process gives a step up that it cannot do now.
const Abandoned = "Abandoned"

// abandonedPause is how soon an abandoned step is repeated. The workflow task ends meanwhile, so that another process
// can take the next one.
const abandonedPause = 200 * time.Millisecond

// Started is a step that has begun. again repeats a local one.
type Started[Out any] struct {
	future workflow.Future
	again  func() workflow.Future
}

// Get waits for the step to end. With an error the answer is empty. A local step that its process gives up begins
// again, in whichever process has the workflow then; a regular one is repeated by the server.
func (s Started[Out]) Get(ctx workflow.Context) (out Out, err error) {
	for {
		err = s.future.Get(ctx, &out)
		if e, ok := errors.AsType[*temporal.ApplicationError](err); !ok || e.Type() != Abandoned || s.again == nil {
			return out, err
		}
		if err := workflow.Sleep(ctx, abandonedPause); err != nil {
			return out, err
		}
		s.future = s.again()
	}
}

// Signal is what a running workflow can be sent, under its lasting name. Those that the workflows here know carry nothing:
// they say that it is time to look at a row, so what is in one is not read.
type Signal[In any] struct {
	// Name stands in histories. It must never change.
	Name string
}

// received is where the signals of a workflow arrive.
func (s Signal[In]) received(ctx workflow.Context) inbox {
	return inbox{workflow.GetSignalChannel(ctx, s.Name)}
}

type inbox struct{ channel workflow.ReceiveChannel }

// waitFor waits for a signal, or until the timer has run out, and reports which.
func (i inbox) waitFor(ctx workflow.Context, timer workflow.Future) (signaled bool) {
	workflow.NewSelector(ctx).
		AddFuture(timer, func(workflow.Future) {}).
		AddReceive(i.channel, func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(ctx, nil)
			signaled = true
		}).
		Select(ctx)
	return signaled
}

// drain forgets the signals that nobody waits for any more.
func (i inbox) drain() {
	for i.channel.ReceiveAsync(nil) {
	}
}

// again goes on with a workflow in a new history.
func again[In, Out any](ctx workflow.Context, code func(workflow.Context, In) (Out, error), in In) error {
	return workflow.NewContinueAsNewError(ctx, code, in)
}
