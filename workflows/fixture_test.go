package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	tlog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"countersign/worker"
	"countersign/workflows"
)

// newEnvironment is a Temporal server without a server: its clock jumps to the next timer when everybody waits.
func newEnvironment() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(tlog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	return suite.NewTestWorkflowEnvironment()
}

// host plays the activities of a turn and remembers what it was asked.
type host struct {
	env *testsuite.TestWorkflowEnvironment

	// prepare gets the turn ready; nil lets it begin without, as turns did before there was a preparation.
	prepare func() (workflows.PrepareTurnOutput, error)
	// unsaid leaves the field out that asks for the preparation.
	unsaid bool
	// model answers model calls; the step and the attempt are in the input.
	model func(in workflows.CallModelInput) (workflows.CallModelOutput, error)
	// tool answers tool calls; nil answers with nothing special.
	tool func(in workflows.CallToolInput) (workflows.CallToolOutput, error)
	// finish answers the end of the turn; nil succeeds.
	finish func() error

	mu       sync.Mutex
	log      []string
	finished []workflows.FinishTurnInput
	waits    []time.Duration
}

func (h *host) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// register adds the activities and the hooks to an environment.
func (h *host) register() {
	h.env = newEnvironment()
	worker.Bind(h.env, workflows.PrepareTurn, func(context.Context, workflows.PrepareTurnInput) (workflows.PrepareTurnOutput, error) {
		h.note("prepare")
		return h.prepare()
	})
	worker.Bind(h.env, workflows.CallModel, func(_ context.Context, in workflows.CallModelInput) (workflows.CallModelOutput, error) {
		note := fmt.Sprintf("model %d", in.Step)
		if in.Attempt > 1 {
			note += fmt.Sprintf(" attempt %d", in.Attempt)
		}
		if in.Final {
			note += " final"
		}
		if in.Stopped {
			note += " stopped"
		}
		h.note("%s", note)
		return h.model(in)
	})
	worker.Bind(h.env, workflows.CallTool, func(_ context.Context, in workflows.CallToolInput) (workflows.CallToolOutput, error) {
		h.note("tool %d.%d", in.Step, in.Call)
		if h.tool == nil {
			return workflows.CallToolOutput{}, nil
		}
		return h.tool(in)
	})
	worker.Bind(h.env, workflows.FinishTurn, func(_ context.Context, in workflows.FinishTurnInput) (workflows.FinishTurnOutput, error) {
		h.note("finish %s", in.Status)
		h.mu.Lock()
		h.finished = append(h.finished, in)
		h.mu.Unlock()
		if h.finish == nil {
			return workflows.FinishTurnOutput{}, nil
		}
		return workflows.FinishTurnOutput{}, h.finish()
	})
	h.env.SetOnTimerScheduledListener(func(_ string, d time.Duration) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waits = append(h.waits, d)
	})
}

// run runs a turn to its end.
func (h *host) run(t *testing.T, maxSteps int) workflows.TurnOutput {
	t.Helper()
	if h.env == nil {
		h.register()
	}
	if h.prepare == nil {
		h.env.OnGetVersion("prepare turn", workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	}
	h.env.ExecuteWorkflow(workflows.Turn, workflows.TurnInput{TurnID: uuid.New(), MaxSteps: maxSteps, Prepare: h.prepare != nil && !h.unsaid})
	require.True(t, h.env.IsWorkflowCompleted())
	require.NoError(t, h.env.GetWorkflowError())
	var out workflows.TurnOutput
	require.NoError(t, h.env.GetWorkflowResult(&out))
	return out
}

// answers is a model that answers step n with the n-th output, and says its last one for ever.
func answers(outputs ...workflows.CallModelOutput) func(workflows.CallModelInput) (workflows.CallModelOutput, error) {
	return func(in workflows.CallModelInput) (workflows.CallModelOutput, error) {
		return outputs[min(in.Step, len(outputs))-1], nil
	}
}

// calls is an answer that calls tools: r is a read, w a write.
func calls(effects string) workflows.CallModelOutput {
	var out workflows.CallModelOutput
	for _, effect := range effects {
		out.Calls = append(out.Calls, workflows.PlannedCall{Tool: "shelf.box", Parallel: effect == 'r'})
	}
	return out
}

var (
	answer  = workflows.CallModelOutput{}
	errAway = errors.New("connection refused")
	errLost = temporal.NewApplicationError("another process runs this turn", workflows.FencedError)
	errNone = temporal.NewNonRetryableApplicationError("there is no such thing", "not_found", nil)
)
