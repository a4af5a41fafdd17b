package app_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/proposal"
)

// next makes a new proposal of an ended one.
func next(t *testing.T, c *apptest.Client, of uuid.UUID, step proposal.Step, status int) proposal.Card {
	t.Helper()
	answer := c.Call(t, http.MethodPost, nextPath(of, step), nil)
	require.Equal(t, status, answer.Status, "%s", answer.Body)
	var card proposal.Card
	answer.Decode(t, &card)
	return card
}

func nextPath(of uuid.UUID, step proposal.Step) string {
	return "/api/ai/proposals/" + of.String() + "/" + string(step)
}

func lapse(t *testing.T, p *apptest.Product, id uuid.UUID) {
	t.Helper()
	p.Exec(t, `UPDATE ai_proposals SET expires_at = now() - interval '1 second' WHERE id = $1`, id)
}

type systemRecord struct {
	ID          uuid.UUID      `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Tags        []string       `json:"tags"`
	Metadata    map[string]any `json:"metadata"`
}

func systemOf(t *testing.T, c *apptest.Client, id uuid.UUID) (s systemRecord) {
	t.Helper()
	c.Get(t, "/api/catalog/systems/"+id.String(), &s)
	return s
}

// What has expired or failed is proposed again with the same arguments, looked at as things are now; it is a proposal of its own,
// which somebody decides about.
func TestAnEndedProposalIsProposedAgain(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person, _ := member(t, p)
	var system systemRecord
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments API", "description": "One"}, &system)
	old := person.Propose(t, "catalog.updateSystem", map[string]any{"id": system.ID, "description": "Three"})
	require.Equal(t, "Payments API", old.Labels[system.ID.String()], "the server names what it is about")
	require.Nil(t, old.Again)
	person.Refused(t, problem.Conflict, http.MethodPost, nextPath(old.ProposalID, proposal.Again), nil)

	lapse(t, p, old.ProposalID)
	require.NotNil(t, person.Proposal(t, old.ProposalID).Again)
	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"description": "Two"}, nil)

	// A double click, on whatever processes, makes one.
	var wait sync.WaitGroup
	answers := make([]apptest.Answer, 6)
	for i := range answers {
		wait.Go(func() { answers[i] = person.Call(t, http.MethodPost, nextPath(old.ProposalID, proposal.Again), nil) })
	}
	wait.Wait()
	var again proposal.Card
	made := 0
	for _, answer := range answers {
		require.Less(t, answer.Status, 300, "%s", answer.Body)
		var card proposal.Card
		answer.Decode(t, &card)
		if answer.Status == http.StatusCreated {
			made++
		}
		require.True(t, again.ProposalID == uuid.Nil || again.ProposalID == card.ProposalID)
		again = card
	}
	require.Equal(t, 1, made, "one call did it")
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	require.Equal(t, again.ProposalID, *person.Proposal(t, old.ProposalID).Again.ProposalID)
	require.Equal(t, proposal.Proposed, again.Status)
	require.Equal(t, []tool.Change{{Path: "description", Before: "Two", After: "Three"}}, again.Diff, "as things are now")
	require.Equal(t, "Two", systemOf(t, p.Admin, system.ID).Description, "nothing has changed yet")
	require.NotEqual(t, old.Token, again.Token)
	person.Refused(t, problem.Expired, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": old.Token})

	// What changes in between stops it like any other, and what has failed is proposed again.
	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"tags": []string{"new"}}, nil)
	person.Refused(t, problem.Drift, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": again.Token})
	third := next(t, person, again.ProposalID, proposal.Again, http.StatusCreated)
	require.Equal(t, proposal.Applied, person.Apply(t, third.ProposalID).Status)
	require.Equal(t, "Three", systemOf(t, p.Admin, system.ID).Description)
	require.Equal(
		t,
		third.ProposalID,
		next(t, person, again.ProposalID, proposal.Again, http.StatusOK).ProposalID,
		"it is that one, however it stands",
	)
	person.Refused(t, problem.Conflict, http.MethodPost, nextPath(third.ProposalID, proposal.Again), nil)

	// What would change nothing any more is refused, and the refusal leaves nothing that stands in the way.
	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"description": "Five"}, nil)
	idle := person.Propose(t, "catalog.updateSystem", map[string]any{"id": system.ID, "description": "Four"})
	lapse(t, p, idle.ProposalID)
	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"description": "Four"}, nil)
	person.Refused(t, problem.Invalid, http.MethodPost, nextPath(idle.ProposalID, proposal.Again), nil)
	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"description": "Six"}, nil)
	next(t, person, idle.ProposalID, proposal.Again, http.StatusCreated)
}

// In a chat, too: the new proposal keeps what the person who decides has to know, and no turn follows it.
func TestAProposalOfAChatIsProposedAgain(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	person, _ := member(t, p)
	second, _ := member(t, p)
	chat := person.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	lapse(t, p, card.ProposalID)
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": false})

	again := next(t, person, card.ProposalID, proposal.Again, http.StatusCreated)
	require.True(t, again.TwoPerson, "it never needs fewer people than before")
	require.Empty(t, again.Token)
	require.Equal(t, chat.ID, *again.ConversationID)
	require.Equal(t, person.Proposal(t, card.ProposalID).Request, again.Request)
	require.Equal(t, proposal.Applied, second.Apply(t, again.ProposalID).Status)
	require.Len(t, chat.Messages(t), 2)
}

// What was applied is taken back by a proposal of the opposite, where there is one.
func TestAnAppliedChangeIsTakenBackByAProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var system systemRecord
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{
		"name": "Payments API", "description": "Before", "tags": []string{"a", "b"}, "metadata": map[string]any{"region": "eu", "tier": 1},
	}, &system)
	before := systemOf(t, p.Admin, system.ID)
	apply := func(name string, input map[string]any) proposal.Card {
		t.Helper()
		card := p.Admin.Apply(t, p.Admin.Propose(t, name, input).ProposalID)
		require.Equal(t, proposal.Applied, card.Status)
		return card
	}
	undo := func(of proposal.Card, summary string) proposal.Card {
		t.Helper()
		require.NotNil(t, of.Undo, "%s can be taken back", of.ToolName)
		card := next(t, p.Admin, of.ProposalID, proposal.Undo, http.StatusCreated)
		require.Equal(t, summary, card.Summary)
		require.Equal(t, proposal.Proposed, card.Status)
		require.Equal(t, "This takes back an earlier change.", card.WhyConfirm)
		return p.Admin.Apply(t, card.ProposalID)
	}

	update := apply("catalog.updateSystem", map[string]any{
		"id": system.ID, "name": "Payments", "description": "", "tags": []string{"c"}, "metadata": map[string]any{"region": "us", "owner": "x"},
	})
	undone := undo(update, "Rename the system Payments to Payments API and change the description and the metadata and the tags")
	require.Equal(t, before, systemOf(t, p.Admin, system.ID))
	undo(undone, "Rename the system Payments API to Payments and change the description and the metadata and the tags")
	require.Equal(t, "Payments", systemOf(t, p.Admin, system.ID).Name)

	group := apply("catalog.createGroup", map[string]any{"name": "Shop"})
	var groups struct {
		Groups []systemRecord `json:"groups"`
	}
	p.Admin.Get(t, "/api/catalog/groups", &groups)
	member := apply("catalog.addSystemToGroup", map[string]any{"groupId": groups.Groups[0].ID, "systemId": system.ID})
	removed := undo(member, "Take the system Payments out of the group Shop")
	undo(removed, "Put the system Payments into the group Shop")
	gone := undo(group, "Delete the group Shop")
	require.Equal(t, tool.Destructive, gone.Effect)
	undo(gone, "Create the group Shop with Payments")

	link := apply("catalog.addSystemLink", map[string]any{"systemId": system.ID, "label": "Runbook", "url": "https://example.com/"})
	undo(link, "Remove the link to https://example.com/ from the system Payments")
	contact := apply(
		"catalog.addSystemContact",
		map[string]any{"systemId": system.ID, "type": "mailbox", "email": "a@example.com", "label": ""},
	)
	undo(contact, "Remove a@example.com from the contacts of the system Payments")
	memory := apply("ai.saveMemory", map[string]any{"scope": "user", "recallHint": "Deploys", "content": "On Mondays"})
	changed := apply("ai.saveMemory", map[string]any{"scope": "user", "recallHint": "Deploys", "content": "On Tuesdays"})
	undo(changed, `Update the memory "Deploys"`)
	undo(memory, `Delete the memory "Deploys"`)
}

// Taking back is a change like any other: it is refused to whoever may not make it, and it shows what it does to what others have
// changed meanwhile.
func TestAnUndoIsAChangeLikeAnyOther(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person, loseRights := member(t, p)
	var system systemRecord
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments API", "description": "One"}, &system)
	update := person.Apply(t, person.Propose(t, "catalog.updateSystem", map[string]any{"id": system.ID, "description": "Two"}).ProposalID)
	p.Admin.Patch(t, "/api/catalog/systems/"+system.ID.String(), map[string]any{"description": "Three"}, nil)
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": true})
	undo := next(t, person, update.ProposalID, proposal.Undo, http.StatusCreated)
	require.Equal(t, []tool.Change{{Path: "description", Before: "Three", After: "One"}}, undo.Diff)
	require.Empty(t, undo.Token, "a second person has to apply it")
	require.Equal(t, undo.ProposalID, next(t, person, update.ProposalID, proposal.Undo, http.StatusOK).ProposalID)
	require.Equal(t, "Three", systemOf(t, p.Admin, system.ID).Description)

	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": false, "enabled": false})
	other := p.Admin.Call(t, http.MethodPost, nextPath(update.ProposalID, proposal.Undo), nil)
	require.Equal(t, http.StatusForbidden, other.Status, "%s", other.Body)
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"enabled": true})
	loseRights()
	lapse(t, p, undo.ProposalID)
	person.Refused(t, problem.Forbidden, http.MethodPost, nextPath(undo.ProposalID, proposal.Again), nil)
	require.Nil(t, person.Proposal(t, undo.ProposalID).Again)
	require.Nil(t, person.Proposal(t, update.ProposalID).Undo)
}
