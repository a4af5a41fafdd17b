package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// An operator can terminate anything in the Temporal Web UI. The person is told, and the conversation can go on.
func TestATurnWhoseWorkflowWasTerminatedEndsVisibly(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	stream, _ := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	id := p.Column(t, `SELECT id::text FROM ai_turns`)[0]
	p.Terminate(t, "turn/"+id)
	turn := stream.Rest(t)
	require.Equal(t, "failed", turn.Metadata.Status)
	require.Contains(t, turn.Text(), "broken off")
	require.Equal(t, "done", chat.Perform(t, "text=hi").Metadata.Status)
}

// A process that stood still and goes on takes a turn from the one that has it by now. That one takes it back, and the person
// never learns of it.
func TestATurnThatAStaleProcessHasTakenGoesOn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	chat := p.Admin.Conversation(t, nil)
	stream, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	p.Exec(t, `UPDATE ai_turns SET claim = claim + 1`)
	provider.Answer(apptest.Events("stop", apptest.Text("Here it is.")))
	pause.Resume(apptest.Text("all is well."))
	turn := stream.Rest(t)
	require.Equal(t, "done", turn.Metadata.Status)
	require.Equal(t, "Here it is.", turn.Text(), "the half answer that was lost is gone")
	requireStored(t, chat, turn)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns WHERE status = 'done' AND claim = 3`))
}

// A proposal outlives its workflow: the decision starts another one.
func TestAProposalWhoseWorkflowWasTerminatedIsApplied(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	p.Terminate(t, "proposal/"+card.ProposalID.String())
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, card.ProposalID).Status)
	require.Contains(t, chat.Decide(t, card.ProposalID, "apply").Text(), "applied and live")
	require.Len(t, systems(t, p.Admin), 1)
}

// Proposals have a queue of their own. Those that a process of an earlier version has started are on that of turns, and are carried out
// there.
func TestAProposalOfAnEarlierVersionIsApplied(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	id := workflows.ProposalID(card.ProposalID)
	require.Equal(t, p.Prefix()+workflows.ProposalQueue, p.Queue(t, id))
	p.Move(t, id, p.Prefix()+workflows.TurnQueue)
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, card.ProposalID).Status)
	require.Equal(t, p.Prefix()+workflows.TurnQueue, p.Queue(t, id))
	require.Contains(t, chat.Decide(t, card.ProposalID, "apply").Text(), "applied and live")
	require.Len(t, systems(t, p.Admin), 1)
}

// One that nobody decides about expires, although nobody waits for it.
func TestAProposalWithoutAWorkflowExpires(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_PROPOSAL_TTL": "2s"}})
	card := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
	p.Terminate(t, "proposal/"+card.ProposalID.String())
	apptest.Eventually(t, "the proposal expires", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'expired'`) == 1
	})
	p.Admin.Refused(t, problem.Expired, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": card.Token})
}
