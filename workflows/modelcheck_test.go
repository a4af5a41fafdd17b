package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/worker"
	"countersign/workflows"
)

// The database may restart, and for as long as an update lasts a worker of the version before may take a step that it does not know.
func TestACheckOfAModelOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	const situations, outage = 12, 2 * time.Minute
	env := newEnvironment()
	back := env.Now().Add(outage)
	played, finished := map[int]bool{}, false
	worker.Bind(env, workflows.PlaySituation, func(_ context.Context, in workflows.PlaySituationInput) (workflows.PlaySituationOutput, error) {
		if env.Now().Before(back) {
			return workflows.PlaySituationOutput{}, errors.New("the database is away")
		}
		played[in.Number] = true
		return workflows.PlaySituationOutput{}, nil
	})
	worker.Bind(
		env,
		workflows.FinishModelCheck,
		func(context.Context, workflows.FinishModelCheckInput) (workflows.FinishModelCheckOutput, error) {
			finished = true
			return workflows.FinishModelCheckOutput{}, nil
		},
	)
	env.ExecuteWorkflow(workflows.ModelCheck, workflows.ModelCheckInput{CheckID: uuid.New(), Situations: situations, Parallel: 1})
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, played, situations)
	require.True(t, finished)
}
