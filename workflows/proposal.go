package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"countersign/internal/durable"
)

// expiryGrace delays the expiry timer, so that a decision at the last moment reaches its row first.
const expiryGrace = 2 * time.Second

// heartbeatTimeout bounds the detection of a process that was killed during an apply.
const heartbeatTimeout = 5 * time.Second

// proposalStepOptions are those of a step of a proposal, which is retried until it succeeds: a decision is carried out.
var proposalStepOptions = durable.StepOptions{ActivityOptions: workflow.ActivityOptions{
	StartToCloseTimeout: time.Minute,
	HeartbeatTimeout:    heartbeatTimeout,
	RetryPolicy: &temporal.RetryPolicy{
		InitialInterval:    200 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    10 * time.Second,
	},
}}

// Proposal waits for the decision about a proposal, applies it and starts the follow-up turn. The row is the truth:
// signal and timer only say that it is time to read it.
func Proposal(ctx workflow.Context, in ProposalInput) (ProposalOutput, error) {
	p := newProposal(ctx, in)
	p.awaitDecision()
	state, err := p.applyOrExpire()
	if err != nil {
		return ProposalOutput{}, err
	}
	if state.FollowUp {
		err = p.followUp()
	}
	describeStatus(p.ctx, state.Status)
	// The row was read after these signals arrived.
	p.decided.Drain()
	return ProposalOutput{Status: state.Status}, err
}

// localStepsChange is the GetVersion id of the change that runs steps of a proposal as local activities first.
const localStepsChange = "local steps"

type proposal struct {
	ctx     workflow.Context
	in      ProposalInput
	decided durable.SignalInbox
	// local says that steps run as local activities first.
	local bool
	// due is when the proposal has expired, without clock skew.
	due time.Time
}

func newProposal(ctx workflow.Context, in ProposalInput) *proposal {
	return &proposal{
		ctx: ctx, in: in, due: workflow.Now(ctx).Add(in.TTL + expiryGrace), decided: DecidedSignal.Inbox(ctx),
		local: workflow.GetVersion(ctx, localStepsChange, workflow.DefaultVersion, 1) != workflow.DefaultVersion,
	}
}

func (p *proposal) awaitDecision() {
	workflow.SetCurrentDetails(p.ctx, "waiting for a decision")
	timerCtx, cancel := workflow.WithCancel(p.ctx)
	defer cancel()
	wait := max(p.due.Sub(workflow.Now(p.ctx)), expiryGrace)
	p.decided.WaitFor(p.ctx, workflow.NewTimerWithOptions(timerCtx, wait, workflow.TimerOptions{Summary: "proposal expires"}))
}

// applyOrExpire applies a decided proposal and expires an undecided one. A proposal that has not expired yet (a
// spurious signal, clock skew) keeps waiting.
func (p *proposal) applyOrExpire() (ProposalState, error) {
	for {
		checked, err := doStep(p, ExpireProposal, "expire unless decided", ExpireProposalInput{ProposalID: p.in.ProposalID})
		if err != nil {
			return ProposalState{}, err
		}
		switch checked.Status {
		case Applying:
			workflow.SetCurrentDetails(p.ctx, "applying")
			applied, err := doStep(p, ApplyProposal, "apply", ApplyProposalInput{ProposalID: p.in.ProposalID})
			return applied.ProposalState, err
		case Proposed:
			p.awaitDecision()
		default:
			return checked.ProposalState, nil
		}
	}
}

func (p *proposal) followUp() error {
	_, err := doStep(p, StartFollowUp, "let the model acknowledge", StartFollowUpInput{ProposalID: p.in.ProposalID})
	return err
}

func doStep[In, Out any](p *proposal, s Step[In, Out], summary string, in In) (Out, error) {
	if p.local {
		return s.DoLocalFirst(p.ctx, summary, in)
	}
	return s.Do(p.ctx, summary, in)
}

// describeStatus shows operators the final status of a proposal or a plan.
func describeStatus(ctx workflow.Context, status ProposalStatus) {
	workflow.SetCurrentDetails(ctx, string(status))
	setStatusAttribute(ctx, string(status))
}

// setStatusAttribute sets the search attribute by which operators find workflows by status.
func setStatusAttribute(ctx workflow.Context, status string) {
	if err := workflow.UpsertTypedSearchAttributes(ctx, StatusAttribute.ValueSet(status)); err != nil {
		workflow.GetLogger(ctx).Warn("Status not searchable", "error", err)
	}
}
