package mcp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

// trust lets the programs that are connected decide for their people.
func trust(t *testing.T, p *apptest.Product) {
	t.Helper()
	var list struct {
		Programs []struct {
			ProgramID uuid.UUID `json:"programId"`
		} `json:"programs"`
	}
	p.Admin.Get(t, "/api/oauth/programs?everybody=true", &list)
	ids := []uuid.UUID{}
	for _, one := range list.Programs {
		ids = append(ids, one.ProgramID)
	}
	answer := p.Admin.Call(t, http.MethodPut, "/api/mcp/policy", map[string]any{"trusted": ids})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
}

// A program that may decide for its person decides about what it has asked for itself: neither about what waits in a chat of the same
// person, with all that the chat has read, nor about what somebody else has asked for.
func TestATrustedProgramDecidesAboutWhatItHasAskedForItself(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	role := p.Role(t, "catalog.system.read", "catalog.system.manage", "ai.proposal.manage")
	ada, bob := &signedIn{Client: p.Person(t, role), p: p}, p.Person(t, role)
	var system struct{ ID uuid.UUID }
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Stays as it is"}, &system)
	session := ada.connectAs(t)
	trust(t, p)
	change := map[string]any{"id": system.ID, "description": "Changed by a program"}
	waiting := map[string]uuid.UUID{
		"of a chat": ada.Conversation(
			t,
			nil,
		).Perform(
			t,
			`tool=catalog.createSystem input={"name":"Of a chat"}`,
		).Card(
			t,
			"proposal",
		).ProposalID,
		"over the API":   ada.Propose(t, "catalog.createSystem", map[string]any{"name": "Over the API"}).ProposalID,
		"of a colleague": bob.Propose(t, "catalog.updateSystem", change).ProposalID,
	}
	for what, id := range waiting {
		card := ada.Proposal(t, id)
		require.NotEmpty(t, card.Token, "%s: the person may decide", what)
		waited := call(t, session, "proposal_wait", map[string]any{"proposalId": id})
		require.False(t, waited.IsError, what)
		require.Empty(t, outcomeOf(t, waited).Token, what)
		require.NotContains(t, textOf(waited), "propose:", what)
		refused := call(t, session, "proposal_apply", map[string]any{"token": card.Token})
		require.True(t, refused.IsError, what)
		require.Contains(t, textOf(refused), "in the app", what)
		require.Equal(t, proposal.Proposed, ada.Proposal(t, id).Status, what)
	}
	own := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Its own"})
	require.Contains(t, ada.Proposal(t, own.ProposalID).WhyConfirm, "The program “Stock client” asks", "the card says whose wish it is")
	require.NotEmpty(t, own.Token)
	require.Equal(t, own.Token, outcome(t, session, "proposal_wait", map[string]any{"proposalId": own.ProposalID}).Token)
	require.Equal(t, proposal.Applied, outcome(t, session, "proposal_apply", map[string]any{"token": own.Token}).Status)
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM catalog_systems`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE description <> ''`))
}

// Of two programs that the same person has connected, and that are both trusted, neither decides about what the other has asked for.
func TestATrustedProgramDoesNotDecideForAnother(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	ada := &signedIn{Client: p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage")), p: p}
	one, other := ada.connectAs(t), ada.connectAs(t)
	trust(t, p)
	asked := outcome(t, one, "catalog_createSystem", map[string]any{"name": "Asked for by one"})
	require.NotEmpty(t, asked.Token)
	require.Empty(t, outcome(t, other, "proposal_wait", map[string]any{"proposalId": asked.ProposalID}).Token)
	refused := call(t, other, "proposal_apply", map[string]any{"token": asked.Token})
	require.True(t, refused.IsError)
	require.Contains(t, textOf(refused), "in the app")
	require.Equal(t, proposal.Proposed, ada.Proposal(t, asked.ProposalID).Status)
	require.Equal(t, proposal.Applied, outcome(t, one, "proposal_apply", map[string]any{"token": asked.Token}).Status)
}

// A form shows all that it asks about. What does not fit into one is decided about at the card.
func TestAFormShowsAllThatItAsksAbout(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	c := manager(t, p)
	var asked []string
	session := connect(t, p, c, "", answering(form, func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked = append(asked, r.Params.Message)
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "apply"}}, nil
	}))
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Small", "description": "What nobody would see in the summary"})
	require.Equal(t, proposal.Applied, o.Status)
	require.Len(t, asked, 1)
	require.Contains(t, asked[0], "What nobody would see in the summary")

	o = outcome(
		t,
		session,
		"catalog_createSystem",
		map[string]any{"name": "Large", "description": strings.Repeat("a", 300) + " and what stands behind it"},
	)
	require.Equal(t, proposal.Proposed, o.Status, "it is not asked about in a form that hides a part of it")
	require.Len(t, asked, 1)
	require.GreaterOrEqual(t, len(o.Diff), 2, "its answer has everything")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Large'`))
}

// A program that its person has connected, and that may decide for them, asks them by a form within the call, once; before it may, and for
// what removes something, nobody is asked by a form.
func TestATrustedProgramAsksItsPersonByAForm(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var asked []string
	before := func() {}
	ada := &signedIn{
		Client: p.Person(t, p.Role(t, "catalog.system.read", "catalog.system.manage")), p: p,
		options: answering(form, func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			asked = append(asked, r.Params.Message)
			before()
			return agreeing(ctx, r)
		}),
	}
	session := ada.connectAs(t)
	untrusted := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Before"})
	require.Equal(t, proposal.Proposed, untrusted.Status)
	require.Empty(t, untrusted.Token)
	require.Empty(t, asked)

	trust(t, p)
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "By a form"})
	require.Equal(t, proposal.Applied, o.Status)
	require.Equal(t, "Looks right", o.Reason)
	require.Len(t, asked, 1)
	require.Contains(t, asked[0], "By a form")
	require.Equal(t, 1, ada.asked, "signing in was enough")
	require.Equal(t, []string{"By a form"}, p.Column(t, `SELECT name FROM catalog_systems`))
	card := ada.Proposal(t, o.ProposalID)
	require.Equal(t, ada.ID, card.DecidedBy.ID)
	require.Equal(
		t,
		1,
		p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE id = $1 AND status = 'applied' AND transport = 'mcp'`, o.ProposalID),
	)

	removal := outcome(t, session, "catalog_deleteSystem", map[string]any{"id": systemNamed(t, p, "By a form")})
	require.Equal(t, proposal.Proposed, removal.Status)
	require.Len(t, asked, 1, "what removes something is decided about at the card")

	// What the program may is asked when the answer comes, too.
	before = func() {
		answer := p.Admin.Call(t, http.MethodPut, "/api/mcp/policy", map[string]any{"trusted": []any{}})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	late := call(t, session, "catalog_createSystem", map[string]any{"name": "Too late"})
	require.Len(t, asked, 2)
	require.True(t, late.IsError)
	require.Contains(t, textOf(late), "in the app")
	require.Equal(t, []string{"By a form"}, p.Column(t, `SELECT name FROM catalog_systems`))
}

func systemNamed(t *testing.T, p *apptest.Product, name string) (id uuid.UUID) {
	t.Helper()
	p.Row(t, `SELECT id FROM catalog_systems WHERE name = $1`, []any{name}, &id)
	return id
}

// Who waits for a decision and loses its token meanwhile does not hear of it.
func TestWhoIsRevokedWhileItWaitsHearsNothing(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	c := manager(t, p)
	session := connect(t, p, c, "", nil)
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Waited for"})
	var heard string
	wait := background(t, func(ctx context.Context) {
		result, err := session.CallTool(
			ctx,
			&sdk.CallToolParams{Name: "proposal_wait", Arguments: map[string]any{"proposalId": o.ProposalID, "seconds": 45}},
		)
		if err == nil {
			heard = textOf(result)
		}
	})
	require.Eventually(
		t,
		func() bool { return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp wait'`) == 1 },
		time.Minute,
		20*time.Millisecond,
	)
	p.Admin.Delete(t, "/api/applications/"+c.ID.String())
	p.Admin.Post(t, "/api/ai/proposals/"+o.ProposalID.String()+"/decline", map[string]any{"reason": "For our ears only"}, nil)
	wait()
	require.NotContains(t, heard, "For our ears only")
	require.NotContains(t, heard, "declined")
}
