package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/modules/inspector"
	"countersign/workflows"
)

// A process is killed in the middle of an answer. The others see it in the database, long before Temporal misses it:
// one of them ends the run of the turn's workflow and begins another, and the person reads on.
func TestTheTurnOfAKilledProcessGoesOnInAnotherRun(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_TURN_TASK_TIMEOUT"] = "1m"
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}, Env: env})
	first := p.Spawn(t, "worker", env)
	chat := p.Admin.Conversation(t, nil)
	stream, _ := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	id := p.Column(t, `SELECT id::text FROM ai_turns`)[0]
	others := []*apptest.Process{p.Spawn(t, "worker", env), p.Spawn(t, "worker", env)}

	provider.Answer(apptest.Events("stop", apptest.Text("Here it is.")))
	first.Kill()
	turn := stream.Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, "Here it is.", turn.Text(), "the half answer that was lost is gone")
	requireStored(t, chat, turn)

	told := 0
	for _, o := range others {
		told += strings.Count(o.Log.String(), "Orphaned turn restarted")
	}
	require.Equal(t, 1, told, "one of the two has seen to it")
	workflow := workflows.TurnID(uuid.MustParse(id))
	p.AwaitWorkflow(t, workflow)
	apptest.Eventually(t, "its runs are listed", func() bool { return slices.Equal(p.Runs(t, workflow), []string{"Completed", "Terminated"}) })

	// The page of the turn has what the second process has spent.
	var report inspector.Report
	p.Admin.Get(t, "/api/ai/turns/"+id, &report)
	require.True(
		t,
		slices.ContainsFunc(report.Entries, func(e inspector.Entry) bool { return e.Kind == inspector.ModelEntry && e.Status == "done" }),
		"%+v",
		report.Entries,
	)
}
