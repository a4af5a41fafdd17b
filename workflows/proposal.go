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

// proposalStep bounds one attempt at a step of a proposal. It is repeated until it succeeds: a decision is carried out.
var proposalStep = manner{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: time.Minute,
	HeartbeatTimeout:    heartbeatTimeout,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    200 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    10 * time.Second,
	},
}}

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
	describeStatus(p.ctx, state.Status)
	// The row has been looked at since they came.
	p.decided.drain()
	return ProposalOutput{Status: state.Status}, err
}

// localSteps is the change since which the steps of a proposal run in the process of its workflow at first, for GetVersion.
const localSteps = "local steps"

type proposal struct {
	ctx     workflow.Context
	in      ProposalInput
	decided inbox
	// local says that steps run in the process of the workflow at first.
	local bool
	// due is when the proposal has expired, if the clocks agree.
	due time.Time
}

func newProposal(ctx workflow.Context, in ProposalInput) *proposal {
	return &proposal{
		ctx: ctx, in: in, due: workflow.Now(ctx).Add(in.TTL + grace), decided: DecidedSignal.received(ctx),
		local: workflow.GetVersion(ctx, localSteps, workflow.DefaultVersion, 1) != workflow.DefaultVersion,
	}
}

func (p *proposal) awaitDecision() {
	workflow.SetCurrentDetails(p.ctx, "waiting for a decision")
	timerCtx, cancel := workflow.WithCancel(p.ctx)
	defer cancel()
	wait := max(p.due.Sub(workflow.Now(p.ctx)), grace)
	p.decided.waitFor(p.ctx, workflow.NewTimerWithOptions(timerCtx, wait, workflow.TimerOptions{Summary: "proposal expires"}))
}

// settle applies what was decided; a proposal that nobody decided expires, and one that is not due yet (a signal that
// was sent too much, a clock that runs ahead) waits on.
func (p *proposal) settle() (ProposalState, error) {
	for {
		looked, err := do(p, ExpireProposal, "expire unless decided", ExpireProposalInput{ProposalID: p.in.ProposalID})
		if err != nil {
			return ProposalState{}, err
		}
		switch looked.Status {
		case Applying:
			workflow.SetCurrentDetails(p.ctx, "applying")
			applied, err := do(p, ApplyProposal, "apply", ApplyProposalInput{ProposalID: p.in.ProposalID})
			return applied.ProposalState, err
		case Proposed:
			p.awaitDecision()
		default:
			return looked.ProposalState, nil
		}
	}
}

func (p *proposal) followUp() error {
	_, err := do(p, StartFollowUp, "let the model acknowledge", StartFollowUpInput{ProposalID: p.in.ProposalID})
	return err
}

func do[In, Out any](p *proposal, s Step[In, Out], summary string, in In) (Out, error) {
	if p.local {
		return s.nearby(p.ctx, summary, in)
	}
	return s.Do(p.ctx, summary, in)
}

// describeStatus tells operators how a proposal or a plan ended.
func describeStatus(ctx workflow.Context, status ProposalStatus) {
	workflow.SetCurrentDetails(ctx, string(status))
	searchable(ctx, string(status))
}

// searchable lets operators find a workflow by how it has ended.
func searchable(ctx workflow.Context, status string) {
	if err := workflow.UpsertTypedSearchAttributes(ctx, StatusAttribute.ValueSet(status)); err != nil {
		workflow.GetLogger(ctx).Warn("Status not searchable", "error", err)
	}
}
