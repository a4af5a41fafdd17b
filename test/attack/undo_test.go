package attack_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

// Whoever takes back the change of somebody else is told what kind of content that chat had held, and not which pages and memories.
func TestTakingBackTellsNothingOfTheChatBehindIt(t *testing.T) {
	t.Parallel()
	p := scripted(t, map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.0/8"})
	role := p.Role(t, "catalog.system.manage", "ai.proposal.manage")
	owner, other := p.Person(t, role), p.Person(t, role)
	intranet := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Who has to go") }),
	)
	t.Cleanup(intranet.Close)
	page := intranet.URL + "/layoffs"
	card := owner.Conversation(
		t,
		nil,
	).Perform(
		t,
		`r1.tool=ai.probeUrl r1.input={"url":"`+page+`"} r2.tool=catalog.createSystem r2.input={"name":"Ledger"}`,
	).Card(
		t,
		"proposal",
	)
	require.Equal(t, page, card.Outside[0].Source)
	require.Equal(t, proposal.Applied, owner.Apply(t, card.ProposalID).Status)
	path := "/api/ai/proposals/" + card.ProposalID.String()
	seen := other.Call(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, seen.Status, "%s", seen.Body)
	require.NotContains(t, string(seen.Body), page)

	undo := other.Call(t, http.MethodPost, path+"/undo", nil)
	require.Equal(t, http.StatusCreated, undo.Status, "%s", undo.Body)
	require.NotContains(t, string(undo.Body), page)
	var made proposal.Card
	undo.Decode(t, &made)
	require.Len(t, made.Outside, 1, "that the chat had held something is said still")
	require.Equal(t, disposition.ToolTaint, made.Outside[0].Kind)
	again := other.Call(t, http.MethodGet, "/api/ai/proposals/"+made.ProposalID.String(), nil)
	require.NotContains(t, string(again.Body), page)

	own := owner.Call(t, http.MethodPost, path+"/undo", nil)
	require.Equal(t, http.StatusCreated, own.Status, "%s", own.Body)
	require.Contains(t, string(own.Body), page, "one's own chat is no secret to oneself")
}
