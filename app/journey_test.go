package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/catalog"
	"countersign/tool/proposal"
)

// systems are the systems that the client sees in the catalog.
func systems(t *testing.T, c *apptest.Client) []catalog.System {
	t.Helper()
	var list struct {
		Systems []catalog.System `json:"systems"`
	}
	c.Get(t, "/api/catalog/systems", &list)
	return list.Systems
}

// TestAPersonAddsASystemThroughTheAssistant is the main path of the product, from the question to the acknowledgement.
func TestAPersonAddsASystemThroughTheAssistant(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)

	// The assistant looks up the team and proposes the system; nothing has changed yet.
	answer := chat.Say(t, "Add a system called Payments API owned by the platform team")
	require.Equal(t, "done", answer.Metadata.Status)
	card := answer.Card(t, "proposal")
	require.Equal(t, "catalog.createSystem", card.ToolName)
	require.Equal(t, proposal.Proposed, card.Status)
	require.Contains(t, card.Summary, "Payments API")
	require.Contains(t, string(card.Payload), `"Payments API"`)
	require.Empty(t, card.Token, "a streamed card holds no token")
	require.Empty(t, systems(t, p.Admin))

	// The person reads the card, which has the token, and applies it.
	applied := p.Admin.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	created := systems(t, p.Admin)
	require.Len(t, created, 1)
	require.Equal(t, "Payments API", created[0].Name)
	require.Len(t, created[0].Owners, 1)
	require.Equal(t, "Platform", created[0].Owners[0].TeamName)

	// The model acknowledges it, and the conversation keeps all of it under a name of its own.
	acknowledgement := chat.Decide(t, card.ProposalID, "apply")
	require.Contains(t, acknowledgement.Text(), "applied and live")
	messages := chat.Messages(t)
	require.Len(t, messages, 3)
	require.Equal(t, []string{"user", "assistant", "assistant"}, []string{messages[0].Role, messages[1].Role, messages[2].Role})
	require.JSONEq(t, encode(t, answer.Message), encode(t, messages[1]))
	require.JSONEq(t, encode(t, acknowledgement.Message), encode(t, messages[2]))
	var conversation struct {
		Title string `json:"title"`
	}
	p.Admin.Get(t, "/api/ai/conversations/"+chat.ID.String(), &conversation)
	require.NotEmpty(t, conversation.Title)
}
