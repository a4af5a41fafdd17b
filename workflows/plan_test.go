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

// rows play the rows of a plan: changes that are to be made one after the other.
type rows struct {
	env *testsuite.TestWorkflowEnvironment
	// left is how many changes wait; failing is the number of the one that fails, from 1; away is how often an activity
	// fails for reasons of the host before it succeeds.
	left, failing, away int
	declined            bool

	made, calls, follows int
}

func (r *rows) run(t *testing.T) (status string, took time.Duration) {
	t.Helper()
	r.env = newEnvironment()
	began := r.env.Now()
	id := uuid.New()
	worker.Bind(
		r.env,
		workflows.ApplyNextInPlan,
		func(_ context.Context, in workflows.ApplyNextInPlanInput) (workflows.ApplyNextInPlanOutput, error) {
			require.Equal(t, id, in.PlanID)
			if r.calls++; r.away > 0 {
				r.away--
				return workflows.ApplyNextInPlanOutput{}, errAway
			}
			if r.declined || r.left == 0 {
				return workflows.ApplyNextInPlanOutput{Status: "declined", FollowUp: true}, nil
			}
			r.left--
			if r.made++; r.made == r.failing {
				r.left = 0
				return workflows.ApplyNextInPlanOutput{Status: "failed", FollowUp: true}, nil
			}
			if r.left > 0 {
				return workflows.ApplyNextInPlanOutput{Status: "applying", Left: r.left}, nil
			}
			return workflows.ApplyNextInPlanOutput{Status: "applied", FollowUp: true}, nil
		},
	)
	worker.Bind(
		r.env,
		workflows.StartPlanFollowUp,
		func(context.Context, workflows.StartPlanFollowUpInput) (workflows.StartPlanFollowUpOutput, error) {
			if r.follows++; r.follows == 1 {
				return workflows.StartPlanFollowUpOutput{}, errAway
			}
			return workflows.StartPlanFollowUpOutput{}, nil
		},
	)
	r.env.ExecuteWorkflow(workflows.Plan, workflows.PlanInput{PlanID: id})
	require.NoError(t, r.env.GetWorkflowError())
	var out workflows.PlanOutput
	require.NoError(t, r.env.GetWorkflowResult(&out))
	return string(out.Status), r.env.Now().Sub(began)
}

func TestAPlanMakesItsChangesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	r := &rows{left: 5}
	status, _ := r.run(t)
	require.Equal(t, "applied", status)
	require.Equal(t, 5, r.calls)
	require.Equal(t, 2, r.follows, "the follow-up waits for a busy conversation, and there is one")
}

func TestAPlanEndsWithItsFirstFailure(t *testing.T) {
	t.Parallel()
	r := &rows{left: 5, failing: 2}
	status, _ := r.run(t)
	require.Equal(t, "failed", status)
	require.Equal(t, 2, r.calls)
	require.Equal(t, 2, r.follows)
}

func TestAPlanGoesOnWhenTheHostComesBack(t *testing.T) {
	t.Parallel()
	r := &rows{left: 2, away: 6}
	status, took := r.run(t)
	require.Equal(t, "applied", status)
	require.Equal(t, 8, r.calls)
	require.Greater(t, took, 10*time.Second)
}

func TestADeclinedPlanIsOnlyAcknowledged(t *testing.T) {
	t.Parallel()
	r := &rows{declined: true}
	status, _ := r.run(t)
	require.Equal(t, "declined", status)
	require.Equal(t, 1, r.calls)
	require.Equal(t, 2, r.follows)
}

// A proposal that was decided with its plan leaves everything to the plan's workflow.
func TestAProposalThatIsPartOfADecidedPlanHasNothingToDo(t *testing.T) {
	t.Parallel()
	r := newRow()
	r.decide(time.Minute, "planned")
	status, took := r.run(t)
	require.Equal(t, "planned", status)
	require.Less(t, took, 2*time.Minute)
	require.Zero(t, r.applies)
	require.Zero(t, r.follows)
}
