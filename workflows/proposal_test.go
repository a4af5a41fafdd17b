package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"countersign/worker"
	"countersign/workflows"
)

// row plays the row of a proposal and the activities that look at it.
type row struct {
	env *testsuite.TestWorkflowEnvironment
	// status is what the row says. A proposal in status "proposed" expires at its time.
	status  workflows.ProposalStatus
	expires time.Time
	began   time.Time
	// apply answers the apply; nil applies.
	apply func() (workflows.ApplyProposalOutput, error)
	// followUp is whether a decision is acknowledged, followFailures how often that fails first.
	followUp       bool
	followFailures int

	looks, applies, follows int
}

const ttl = 10 * time.Minute

func newRow() *row {
	r := &row{env: newEnvironment(), status: "proposed", followUp: true}
	r.began = r.env.Now()
	r.expires = r.began.Add(ttl)
	worker.Bind(r.env, workflows.ExpireProposal, func(context.Context, workflows.ExpireProposalInput) (workflows.ExpireProposalOutput, error) {
		r.looks++
		if r.status == "proposed" && !r.env.Now().Before(r.expires) {
			r.status = "expired"
		}
		return workflows.ExpireProposalOutput{ProposalState: r.state()}, nil
	})
	worker.Bind(r.env, workflows.ApplyProposal, func(context.Context, workflows.ApplyProposalInput) (workflows.ApplyProposalOutput, error) {
		r.applies++
		if r.apply != nil {
			return r.apply()
		}
		r.status = "applied"
		return workflows.ApplyProposalOutput{ProposalState: r.state()}, nil
	})
	worker.Bind(r.env, workflows.StartFollowUp, func(context.Context, workflows.StartFollowUpInput) (workflows.StartFollowUpOutput, error) {
		if r.follows++; r.follows <= r.followFailures {
			return workflows.StartFollowUpOutput{}, errAway
		}
		return workflows.StartFollowUpOutput{}, nil
	})
	return r
}

func (r *row) state() workflows.ProposalState {
	return workflows.ProposalState{
		Status:   r.status,
		FollowUp: r.followUp && (r.status == "applied" || r.status == "failed" || r.status == "declined"),
	}
}

// decide changes the row after a while and tells the workflow, as an API process does.
func (r *row) decide(after time.Duration, status workflows.ProposalStatus) {
	r.env.RegisterDelayedCallback(func() {
		r.status = status
		r.env.SignalWorkflow(workflows.DecidedSignal.Name, workflows.DecidedInput{})
	}, after)
}

// run runs the workflow and returns how the proposal ended, and after how long.
func (r *row) run(t *testing.T) (status string, took time.Duration) {
	t.Helper()
	r.env.ExecuteWorkflow(workflows.Proposal, workflows.ProposalInput{ProposalID: uuid.New(), TTL: ttl})
	require.True(t, r.env.IsWorkflowCompleted())
	require.NoError(t, r.env.GetWorkflowError())
	var out workflows.ProposalOutput
	require.NoError(t, r.env.GetWorkflowResult(&out))
	return string(out.Status), r.env.Now().Sub(r.began)
}

func TestAProposalExpiresAfterTenMinutes(t *testing.T) {
	t.Parallel()
	r := newRow()
	status, took := r.run(t)
	require.Equal(t, "expired", status)
	require.GreaterOrEqual(t, took, ttl)
	require.Less(t, took, ttl+time.Minute)
	require.Zero(t, r.applies)
	require.Zero(t, r.follows, "nobody has decided, so there is nothing to acknowledge")
}

func TestADecisionIsCarriedOutAtOnce(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.decide(9*time.Minute+59*time.Second, "applying")
	status, took := r.run(t)
	require.Equal(t, "applied", status)
	require.Less(t, took, ttl)
	require.Equal(t, 1, r.applies)
	require.Equal(t, 1, r.follows)
}

func TestADeclinedProposalIsAcknowledged(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.decide(time.Minute, "declined")
	status, took := r.run(t)
	require.Equal(t, "declined", status)
	require.Less(t, took, 2*time.Minute)
	require.Zero(t, r.applies)
	require.Equal(t, 1, r.follows)
}

func TestAProposalWithoutAConversationHasNoFollowUp(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.followUp = false
	r.decide(time.Minute, "applying")
	status, _ := r.run(t)
	require.Equal(t, "applied", status)
	require.Zero(t, r.follows)
}

// The decision may have come before the workflow was there: the row says so.
func TestADecisionThatCameBeforeTheWorkflowIsFound(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.decide(0, "applying")
	status, _ := r.run(t)
	require.Equal(t, "applied", status)
}

// Its signal may be lost with the process that sent it. The timer looks at the row.
func TestADecisionWithoutASignalIsFoundByTheTimer(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.env.RegisterDelayedCallback(func() { r.status = "applying" }, time.Minute)
	status, took := r.run(t)
	require.Equal(t, "applied", status)
	require.GreaterOrEqual(t, took, ttl)
}

// A signal without a decision changes nothing: the row is the truth.
func TestASignalAloneDecidesNothing(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.env.RegisterDelayedCallback(func() { r.env.SignalWorkflow(workflows.DecidedSignal.Name, workflows.DecidedInput{}) }, time.Minute)
	r.decide(2*time.Minute, "applying")
	status, took := r.run(t)
	require.Equal(t, "applied", status)
	require.Less(t, took, 3*time.Minute)

	expired := newRow()
	expired.env.RegisterDelayedCallback(
		func() { expired.env.SignalWorkflow(workflows.DecidedSignal.Name, workflows.DecidedInput{}) },
		time.Minute,
	)
	status, took = expired.run(t)
	require.Equal(t, "expired", status)
	require.GreaterOrEqual(t, took, ttl)
	require.Less(t, expired.looks, 20, "it does not look all the time")
}

// The database's clock decides. A process whose clock runs ahead looks too early, and looks again.
func TestAProposalThatIsNotDueYetWaitsOn(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.expires = r.expires.Add(10 * time.Second)
	status, took := r.run(t)
	require.Equal(t, "expired", status)
	require.GreaterOrEqual(t, took, ttl+10*time.Second)
}

func TestAnApplyIsRepeatedUntilItsOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.apply = func() (workflows.ApplyProposalOutput, error) {
		if r.applies < 7 {
			return workflows.ApplyProposalOutput{}, errAway
		}
		r.status = "applied"
		return workflows.ApplyProposalOutput{ProposalState: r.state()}, nil
	}
	r.decide(time.Minute, "applying")
	status, _ := r.run(t)
	require.Equal(t, "applied", status)
	require.Equal(t, 7, r.applies)
}

func TestAFailedApplyIsAcknowledged(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.apply = func() (workflows.ApplyProposalOutput, error) {
		r.status = "failed"
		return workflows.ApplyProposalOutput{ProposalState: r.state()}, nil
	}
	r.decide(time.Minute, "applying")
	status, _ := r.run(t)
	require.Equal(t, "failed", status)
	require.Equal(t, 1, r.follows)
}

// While the conversation is busy the follow-up is tried again.
func TestAFollowUpWaitsForItsConversation(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.followFailures = 9
	r.decide(time.Minute, "declined")
	status, _ := r.run(t)
	require.Equal(t, "declined", status)
	require.Equal(t, 10, r.follows)
}
