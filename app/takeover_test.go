package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/workflows"
)

// A process is killed in the middle of an answer. The others see it in the database, long before Temporal misses it: one of them ends the run of
// the turn's workflow and begins another, and the person reads on.
func TestTheTurnOfAKilledProcessGoesOnInAnotherRun(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Roles: app.Roles{API: true}, Env: provider.Env()})
	first := p.Spawn(t, "worker", provider.Env())
	chat := p.Admin.Conversation(t, nil)
	stream, _ := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	id := p.Column(t, `SELECT id::text FROM ai_turns`)[0]
	others := []*apptest.Process{p.Spawn(t, "worker", provider.Env()), p.Spawn(t, "worker", provider.Env())}

	provider.Answer(apptest.Events("stop", apptest.Text("Here it is.")))
	first.Kill()
	turn := stream.Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, "Here it is.", turn.Text(), "the half answer that was lost is gone")
	requireStored(t, chat, turn)

	// A machine that has no time lets Temporal miss the process first.
	told := 0
	for _, o := range others {
		told += strings.Count(o.Log.String(), "goes on in another run")
	}
	require.LessOrEqual(t, told, 1, "one of the two has seen to it")
	workflow := workflows.TurnID(uuid.MustParse(id))
	p.AwaitWorkflow(t, workflow)
	runs := map[int][]string{0: {"Completed"}, 1: {"Completed", "Terminated"}}
	apptest.Eventually(t, "its runs are listed", func() bool { return slices.Equal(p.Runs(t, workflow), runs[told]) })
}
