package workflows_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
	tlog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"countersign/internal/secret"
	"countersign/modules/automation"
	"countersign/modules/modelcheck"
	"countersign/modules/oncall"
	"countersign/worker"
	"countersign/worker/payload"
)

// Turns and proposals may be running while a new version is deployed. Its workflow code must do what the old one did:
// these histories are real ones, of every shape, and each has to replay. Package app records them (TestRecordHistories)
// into a folder for each generation of the workflow code; the older folders are never written again.
func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.json"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 60)
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			t.Parallel()
			log := tlog.NewStructuredLogger(slog.New(slog.DiscardHandler))
			for _, replayer := range replayers(t) {
				register(replayer)
				require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(log, file))
			}
		})
	}
}

// register registers all workflows, with those of modules.
func register(r worker.WorkflowRegistry) {
	worker.RegisterWorkflows(r)
	modules := slices.Concat((&modelcheck.Module{}).Workflows(), (&oncall.Module{}).Workflows(), (&automation.Module{}).Workflows())
	for _, m := range modules {
		r.RegisterWorkflowWithOptions(m.Workflow.Code, workflow.RegisterOptions{Name: m.Workflow.Name})
	}
}

// replayers are those of an ordinary process, and of one in which encryption and tracing were switched on since.
func replayers(t *testing.T) []sdkworker.WorkflowReplayer {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{Tracer: sdktrace.NewTracerProvider().Tracer("test")})
	require.NoError(t, err)
	later, err := sdkworker.NewWorkflowReplayerWithOptions(sdkworker.WorkflowReplayerOptions{
		DataConverter: worker.DataConverter(payload.Codec{Keys: payload.NewKeys(keys, nil), Encrypt: true}),
		Interceptors:  []interceptor.WorkerInterceptor{tracing},
	})
	require.NoError(t, err)
	return []sdkworker.WorkflowReplayer{sdkworker.NewWorkflowReplayer(), later}
}

// names collects the workflows that are registered.
type names map[string]bool

func (n names) RegisterWorkflowWithOptions(_ any, o workflow.RegisterOptions) { n[o.Name] = true }

// A workflow without a recorded history could be changed without anybody noticing what that does to running ones.
func TestEveryWorkflowHasARecordedHistory(t *testing.T) {
	t.Parallel()
	registered, recorded := names{}, names{}
	register(registered)
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var h history.History
		require.NoError(t, protojson.Unmarshal(text, &h), file)
		started := h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
		require.True(t, registered[started.GetWorkflowType().GetName()], "%s is of a workflow that no longer exists", file)
		recorded[started.GetWorkflowType().GetName()] = true
	}
	require.Equal(t, registered, recorded, "add a scenario of the workflow to app/record_test.go and record it")
}
