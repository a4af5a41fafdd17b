package activities_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/workflows"
)

// A conversation can be deleted while its cards are decided about. Its workflow ends then instead of trying for ever.
func TestADecisionInADeletedConversationIsTakenNoteOfByNobody(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	id := p.begin(t, "Hello")
	p.answers(callsOf("shelf_putBox", "a")...)
	p.call(t, id, 1)
	require.True(t, p.use(t, id, 1, 1).Ends)
	card := uuid.MustParse(p.text(t, `SELECT id::text FROM ai_proposals WHERE turn_id = $1`, id))
	p.exec(t, `UPDATE ai_proposals SET status = 'declined', finished_at = now()`)
	p.exec(t, `DELETE FROM ai_conversations`)
	a := &activities.Proposal{Proposals: p.Proposals, Turns: p.store}
	_, err := a.StartFollowUp(t.Context(), workflows.StartFollowUpInput{ProposalID: card})
	require.NoError(t, err)
}
