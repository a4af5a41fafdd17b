package modelcheck

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/modules/modelcheck/suite"
)

// The database may restart, and for as long as an update lasts a worker of the version before may take a step that it does not know.
func TestACheckOfAModelOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	const situations, outage = 12, 2 * time.Minute
	env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	back := env.Now().Add(outage)
	played, finished := map[int]bool{}, false
	env.RegisterWorkflowWithOptions(checkWorkflow.Code, workflow.RegisterOptions{Name: checkWorkflow.Name})
	env.RegisterActivityWithOptions(func(_ context.Context, in playInput) (playOutput, error) {
		if env.Now().Before(back) {
			return playOutput{}, errors.New("the database is away")
		}
		played[in.Number] = true
		return playOutput{}, nil
	}, activity.RegisterOptions{Name: playSituation.Name})
	env.RegisterActivityWithOptions(func(context.Context, finishInput) (finishOutput, error) {
		finished = true
		return finishOutput{}, nil
	}, activity.RegisterOptions{Name: finishCheck.Name})
	env.ExecuteWorkflow(checkWorkflow.Name, checkInput{CheckID: uuid.New(), Situations: situations, Parallel: 1})
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, played, situations)
	require.True(t, finished)
}

func TestAStepOutlastsItsSituation(t *testing.T) {
	t.Parallel()
	require.Greater(t, playSituationOptions.StartToCloseTimeout, suite.MostTime)
}
