package attack_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// A chat that was set to ask about every change asks in the turn after a decision too, and a chat that was put away does
// nothing by itself, whatever its mode was when the change was proposed.
func TestATurnAfterADecisionHeedsTheModeOfItsChat(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(t *testing.T, operator *apptest.Client, chat *apptest.Conversation){
		"set to approve": func(t *testing.T, operator *apptest.Client, chat *apptest.Conversation) {
			operator.Patch(t, "/api/ai/conversations/"+chat.ID.String(), map[string]any{"permissionMode": "approve"}, nil)
		},
		"archived": func(t *testing.T, operator *apptest.Client, chat *apptest.Conversation) {
			operator.Post(t, "/api/ai/conversations/"+chat.ID.String()+"/archive", nil, nil)
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			g := beguile(t)
			operator := g.Person(t, g.Role(t, "catalog.system.manage"))
			system := g.made(t, "admin", "old", "/api/catalog/systems", map[string]any{"name": "Old"})
			chat := operator.Conversation(t, apptest.Settings{"permissionMode": "auto"})
			g.calls(call("catalog_deleteSystem", `{"id":"`+system+`"}`))
			card := chat.Say(t, "Delete it").Card(t, "proposal")
			change(t, operator, chat)
			g.calls(call("catalog_createSystem", `{"name":"Evil"}`))
			g.says("Done.")
			operator.Post(t, apply, token(operator.Proposal(t, card.ProposalID).Token), nil)
			apptest.Eventually(t, "the turn after the decision has ended", func() bool {
				return g.Count(t, `SELECT count(*) FROM ai_turns WHERE proposal_id = $1 AND status NOT IN ('pending', 'running')`, card.ProposalID) == 1
			})
			require.Zero(t, g.evils(t), "nobody has clicked")
			require.Equal(
				t,
				1,
				g.Count(t, `SELECT count(*) FROM ai_proposals WHERE tool_name = 'catalog.createSystem' AND status = 'proposed'`),
				"it is only proposed",
			)
		})
	}
}
