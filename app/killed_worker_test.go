package app_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/modules/inspector"
	"countersign/workflows"
)

// A worker is killed in the middle of an answer, one is stopped as a deployment does it, and one is taken away. The
// answers continue in the same runs of their workflows: operators find no workflow that was broken.
func TestKilledAndReplacedWorkersLeaveOnlyCompletedWorkflows(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}, Env: env})
	worker := p.Spawn(t, "worker", env)
	for _, how := range []string{"kill", "deploy", "kill"} {
		chat := p.Admin.Conversation(t, nil)
		stream, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
		id := p.Column(t, `SELECT id::text FROM ai_turns ORDER BY created_at DESC LIMIT 1`)[0]
		next := p.Spawn(t, "worker", env)
		if how == "kill" {
			provider.Answer(apptest.Events("stop", apptest.Text("Here it is.")))
			worker.Kill()
		} else {
			pause.Resume(apptest.Text("Here it is."))
			require.NoError(t, worker.Stop())
		}
		worker = next
		turn := stream.Rest(t)
		require.Equal(t, "done", turn.Metadata.Status, how)
		require.Contains(t, turn.Text(), "Here it is.", how)
		requireStored(t, chat, turn)

		workflow := workflows.TurnID(uuid.MustParse(id))
		p.AwaitWorkflow(t, workflow)
		apptest.Eventually(t, "its only run is listed", func() bool { return slices.Equal(p.Runs(t, workflow), []string{"Completed"}) })
		// The page of the turn has what the replaced process has spent.
		var report inspector.Report
		p.Admin.Get(t, "/api/ai/turns/"+id, &report)
		require.True(t, slices.ContainsFunc(report.Entries, func(e inspector.Entry) bool {
			return e.Kind == inspector.ModelEntry && e.Status == "done"
		}), "%+v", report.Entries)
	}
	require.Empty(t, p.BrokenRuns(t))
}
