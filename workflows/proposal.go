package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// grace lets a decision that came in the last moment reach its row before the timer looks at it.
const grace = 2 * time.Second

// heartbeatTimeout is how soon a killed process is noticed in the middle of an apply.
const heartbeatTimeout = 5 * time.Second

// Proposal waits for the decision about a proposal, carries an apply out and lets the model acknowledge it. The row
// decides: the signal only says that it has changed, and the timer only that it is time to look.
func Proposal(ctx workflow.Context, in ProposalInput) (ProposalOutput, error) {
	p := newProposal(ctx, in)
	p.awaitDecision()
	state, err := p.settle()
	if err != nil {
		return ProposalOutput{}, err
	}
	if state.FollowUp {
		err = p.followUp()
	}
	p.describe(state.Status)
	return ProposalOutput{Status: state.Status}, err
}

type proposal struct {
	ctx     workflow.Context
	in      ProposalInput
	decided workflow.ReceiveChannel
	// due is when the proposal has expired, if the clocks agree.
	due time.Time
}

func newProposal(ctx workflow.Context, in ProposalInput) *proposal {
	return &proposal{in: in, due: workflow.Now(ctx).Add(in.TTL + grace), decided: workflow.GetSignalChannel(ctx, DecidedSignal), ctx: workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		HeartbeatTimeout:    heartbeatTimeout,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second},
	})}
}

func (p *proposal) awaitDecision() {
	workflow.SetCurrentDetails(p.ctx, "waiting for a decision")
	timerCtx, cancel := workflow.WithCancel(p.ctx)
	defer cancel()
	wait := max(p.due.Sub(workflow.Now(p.ctx)), grace)
	workflow.NewSelector(p.ctx).
		AddFuture(workflow.NewTimerWithOptions(timerCtx, wait, workflow.TimerOptions{Summary: "proposal expires"}), func(workflow.Future) {}).
		AddReceive(p.decided, func(c workflow.ReceiveChannel, _ bool) { c.Receive(p.ctx, nil) }).
		Select(p.ctx)
}

// settle applies what was decided; a proposal that nobody decided expires, and one that is not due yet (a signal that
// was sent too much, a clock that runs ahead) waits on.
func (p *proposal) settle() (ProposalState, error) {
	for {
		var state ProposalState
		err := workflow.ExecuteActivity(p.summary("expire unless decided"), ExpireProposalActivity, ExpireProposalInput{ProposalID: p.in.ProposalID}).Get(p.ctx, &state)
		if err != nil {
			return state, err
		}
		switch state.Status {
		case "applying":
			workflow.SetCurrentDetails(p.ctx, "applying")
			err := workflow.ExecuteActivity(p.summary("apply"), ApplyProposalActivity, ApplyProposalInput{ProposalID: p.in.ProposalID}).Get(p.ctx, &state)
			return state, err
		case "proposed":
			p.awaitDecision()
		default:
			return state, nil
		}
	}
}

func (p *proposal) followUp() error {
	return workflow.ExecuteActivity(p.summary("let the model acknowledge"), StartFollowUpActivity, StartFollowUpInput{ProposalID: p.in.ProposalID}).Get(p.ctx, nil)
}

// describe tells operators how the proposal ended.
func (p *proposal) describe(status string) {
	workflow.SetCurrentDetails(p.ctx, status)
	if err := workflow.UpsertTypedSearchAttributes(p.ctx, StatusAttribute.ValueSet(status)); err != nil {
		workflow.GetLogger(p.ctx).Warn("Status not searchable", "error", err)
	}
}

func (p *proposal) summary(text string) workflow.Context {
	options := workflow.GetActivityOptions(p.ctx)
	options.Summary = text
	return workflow.WithActivityOptions(p.ctx, options)
}
