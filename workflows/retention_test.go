package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/worker"
	"countersign/workflows"
)

// archive plays the rows of conversations that are to be deleted.
type archive struct {
	env *testsuite.TestWorkflowEnvironment
	// left is how many conversations are still there, running how many rounds turns go on running.
	left, running int
	// applying is how many looks a change is still being carried out.
	applying int
	// failures is how often a batch fails first.
	failures int

	batches, quiets, forced, finishes int
}

func newArchive(conversations int) *archive {
	a := &archive{env: newEnvironment(), left: conversations}
	worker.RegisterWorkflows(a.env)
	worker.Bind(
		a.env,
		workflows.SweepConversations,
		func(_ context.Context, in workflows.SweepConversationsInput) (workflows.SweepConversationsOutput, error) {
			deleted, err := a.take(in.Limit)
			return workflows.SweepConversationsOutput{Deleted: deleted, More: a.left > 0}, err
		},
	)
	worker.Bind(a.env, workflows.QuietPerson, func(_ context.Context, in workflows.QuietPersonInput) (workflows.QuietPersonOutput, error) {
		a.quiets++
		if in.Force {
			a.forced++
			a.running = 0
		}
		a.running = max(a.running-1, 0)
		return workflows.QuietPersonOutput{Running: a.running}, nil
	})
	worker.Bind(a.env, workflows.ErasePerson, func(_ context.Context, in workflows.ErasePersonInput) (workflows.ErasePersonOutput, error) {
		deleted, err := a.take(in.Limit)
		return workflows.ErasePersonOutput{Deleted: deleted, Busy: a.running, More: a.left > 0}, err
	})
	worker.Bind(a.env, workflows.FinishErasure, func(context.Context, workflows.FinishErasureInput) (workflows.FinishErasureOutput, error) {
		a.finishes++
		a.applying = max(a.applying-1, 0)
		return workflows.FinishErasureOutput{Busy: a.applying}, nil
	})
	return a
}

func (a *archive) take(limit int) (workflows.Deleted, error) {
	if a.batches++; a.batches <= a.failures {
		return workflows.Deleted{}, errAway
	}
	n := min(limit, a.left)
	a.left -= n
	return workflows.Deleted{Conversations: int64(n), Messages: int64(2 * n)}, nil
}

func TestASweepGoesOnUntilNothingIsDue(t *testing.T) {
	t.Parallel()
	a := newArchive(250)
	a.failures = 2
	a.env.ExecuteWorkflow(workflows.Retention, workflows.RetentionInput{})
	require.NoError(t, a.env.GetWorkflowError())
	var out workflows.RetentionOutput
	require.NoError(t, a.env.GetWorkflowResult(&out))
	require.Equal(t, workflows.Deleted{Conversations: 250, Messages: 500}, out.Deleted)
	require.Equal(t, 5, a.batches)
	require.Zero(t, a.left)
}

// A history must not grow without bounds: a long sweep goes on in a new run, which knows what was deleted.
func TestALongSweepGoesOnInANewRun(t *testing.T) {
	t.Parallel()
	a := newArchive(1_000_000)
	a.env.ExecuteWorkflow(workflows.Retention, workflows.RetentionInput{Deleted: workflows.Deleted{Turns: 5}})
	next, ok := errors.AsType[*workflow.ContinueAsNewError](a.env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, workflows.RetentionWorkflow.Name, next.WorkflowType.Name)
	require.Equal(t, 200, a.batches)
}

func erase(t *testing.T, a *archive) workflows.Deleted {
	t.Helper()
	a.env.ExecuteWorkflow(workflows.Erasure, workflows.ErasureInput{ErasureID: uuid.New()})
	require.NoError(t, a.env.GetWorkflowError())
	var out workflows.ErasureOutput
	require.NoError(t, a.env.GetWorkflowResult(&out))
	return out.Deleted
}

func TestAnErasureDeletesEverythingAndCloses(t *testing.T) {
	t.Parallel()
	a := newArchive(250)
	require.Equal(t, int64(250), erase(t, a).Conversations)
	require.Equal(t, 1, a.finishes)
	require.Zero(t, a.forced)
}

func TestAnErasureWaitsForWhatRuns(t *testing.T) {
	t.Parallel()
	a := newArchive(3)
	a.running, a.applying = 4, 3
	erase(t, a)
	require.Equal(t, 6, a.quiets)
	require.Equal(t, 3, a.finishes)
	require.Zero(t, a.forced)
}

func TestATurnThatDoesNotStopIsEnded(t *testing.T) {
	t.Parallel()
	a := newArchive(3)
	a.running = 1000
	erase(t, a)
	require.Equal(t, 1, a.forced)
	require.Equal(t, 21, a.quiets, "after a while, and not before")
}
