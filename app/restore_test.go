package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/tool"
	"countersign/tool/proposal"
)

// found is the one record of a list with a name.
func found[T any](t *testing.T, c *apptest.Client, path, member, name string) (record T) {
	t.Helper()
	var list map[string]any
	c.Get(t, path+"?name="+strings.ReplaceAll(name, " ", "+"), &list)
	records, _ := list[member].([]any)
	require.Len(t, records, 1, name)
	first, _ := records[0].(map[string]any)
	c.Get(t, path+"/"+first["id"].(string), &record)
	return record
}

// remake is what comes of restoring what a proposal has deleted.
func remake(t *testing.T, c *apptest.Client, of proposal.Card) proposal.Card {
	t.Helper()
	require.Equal(t, proposal.Applied, of.Status)
	require.NotNil(t, of.Undo, "%s can be taken back", of.ToolName)
	card := next(t, c, of.ProposalID, proposal.Undo, http.StatusCreated)
	require.Equal(t, proposal.Proposed, card.Status)
	require.Equal(t, tool.Mutate, card.Effect)
	return card
}

// A deletion is taken back by a proposal that makes again what was there, and both cards say what does not come back.
func TestADeletionIsTakenBackByAProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := stage{t, p}
	owners := team(t, p, "Reliability")
	group, environment := s.group(), s.environment()
	var system catalog.System
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{
		"name":        "Payments API",
		"description": "Money",
		"tags":        []string{"a"},
		"metadata":    map[string]any{"tier": 1},
		"ownerTeamId": owners,
		"contacts": []any{
			map[string]any{"type": "phone", "label": "On-call", "address": "+49 30 1234567"},
			map[string]any{"type": "user", "userId": p.Admin.ID},
		},
		"links":          []any{map[string]any{"label": "Runbook", "url": "https://example.com/runbook"}},
		"environmentIds": []string{idOf(environment)},
		"groupIds":       []string{idOf(group)},
	}, &system)
	at := "/api/catalog/systems/" + system.ID.String()
	require.Len(t, system.Contacts, 2)
	require.Len(t, system.Groups, 1)
	require.Len(t, system.Environments, 1)
	apply := func(name string, input map[string]any) proposal.Card {
		t.Helper()
		return p.Admin.Apply(t, p.Admin.Propose(t, name, input).ProposalID)
	}

	// Parts of it come back as they were.
	for _, contact := range system.Contacts {
		p.Admin.Apply(
			t,
			remake(t, p.Admin, apply("catalog.removeSystemContact", map[string]any{"systemId": system.ID, "contactId": contact.ID})).ProposalID,
		)
	}
	p.Admin.Apply(
		t,
		remake(t, p.Admin, apply("catalog.removeSystemLink", map[string]any{"systemId": system.ID, "linkId": system.Links[0].ID})).ProposalID,
	)
	var now catalog.System
	p.Admin.Get(t, at, &now)
	require.Len(t, now.Contacts, 2)
	require.Equal(t, "+49 30 1234567", now.Contacts[0].Address)
	require.Equal(t, p.Admin.ID, *now.Contacts[1].UserID)
	require.Equal(t, "https://example.com/runbook", now.Links[0].URL)

	// All of it, as something new.
	card := p.Admin.Propose(t, "catalog.deleteSystem", map[string]any{"id": system.ID})
	require.Contains(
		t,
		card.Effects,
		"An undo can propose to make it again, under a new id. Its grants, memories, health checks and history do not come back.",
	)
	require.Nil(t, card.Undo)
	deleted := p.Admin.Apply(t, card.ProposalID)
	again := remake(t, p.Admin, deleted)
	require.Equal(t, "catalog.createSystem", again.ToolName)
	require.Equal(t, "This takes back an earlier change.", again.WhyConfirm)
	require.Contains(
		t,
		again.Effects,
		"Everybody whose roles allow it sees the new one: grants do not come back, and it is not private if it was.",
	)
	require.Equal(t, "Reliability", again.Labels[owners.String()])
	p.Admin.Refused(t, problem.NotFound, http.MethodGet, at, nil)
	require.Equal(t, again.ProposalID, next(t, p.Admin, deleted.ProposalID, proposal.Undo, http.StatusOK).ProposalID, "once")
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, again.ProposalID).Status)
	restored := found[catalog.System](t, p.Admin, "/api/catalog/systems", "systems", "Payments API")
	require.NotEqual(t, system.ID, restored.ID)
	require.Equal(t, []any{system.Description, system.Tags, system.Metadata, system.Owners, system.Groups, system.Environments},
		[]any{restored.Description, restored.Tags, restored.Metadata, restored.Owners, restored.Groups, restored.Environments})
	require.Len(t, restored.Contacts, 2)
	require.Len(t, restored.Links, 1)

	// Groups and environments with the systems that were in them.
	for _, place := range []struct{ tool, at, path, member string }{
		{"catalog.deleteGroup", group, "/api/catalog/groups", "groups"}, {"catalog.deleteEnvironment", environment, "/api/catalog/environments", "environments"},
	} {
		var before, after struct {
			Name      string
			SystemIDs []uuid.UUID `json:"systemIds"`
		}
		p.Admin.Get(t, place.at, &before)
		require.Equal(t, []uuid.UUID{restored.ID}, before.SystemIDs)
		p.Admin.Apply(t, remake(t, p.Admin, apply(place.tool, map[string]any{"id": idOf(place.at)})).ProposalID)
		after = found[struct {
			Name      string
			SystemIDs []uuid.UUID `json:"systemIds"`
		}](t, p.Admin, place.path, place.member, before.Name)
		require.Equal(t, before, after)
	}

	// A health check with what it did, and for its one system.
	check := idOf(s.check())
	s.put(
		"/api/healthcheck/checks/"+check+"/systems/"+restored.ID.String(),
		map[string]any{"enabled": false, "thresholds": map[string]any{"mode": "consecutive"}},
	)
	assignment := func(check string) string {
		return string(p.Admin.Call(t, http.MethodGet, "/api/healthcheck/checks/"+check+"/systems", nil).Body)
	}
	former := assignment(check)
	p.Admin.Apply(t, remake(t, p.Admin, apply("healthcheck.unassign", map[string]any{"checkId": check, "systemId": restored.ID})).ProposalID)
	require.Contains(t, assignment(check), `"enabled":false`)
	require.Contains(t, former, `"enabled":false`)
	var definition, second map[string]any
	p.Admin.Get(t, "/api/healthcheck/checks/"+check, &definition)
	gone := apply("healthcheck.delete", map[string]any{"id": check})
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, remake(t, p.Admin, gone).ProposalID).Status)
	second = found[map[string]any](t, p.Admin, "/api/healthcheck/checks", "checks", definition["name"].(string))
	for _, field := range []string{"strategyId", "config", "intervalSeconds", "collectors", "paused", "description"} {
		require.Equal(t, definition[field], second[field], field)
	}
	require.Contains(t, assignment(second["id"].(string)), restored.ID.String())

	// What somebody wants forgotten is not kept.
	memory := apply("ai.saveMemory", map[string]any{"scope": "user", "recallHint": "Deploys", "content": "On Mondays"})
	forgotten := p.Admin.Apply(t, next(t, p.Admin, memory.ProposalID, proposal.Undo, http.StatusCreated).ProposalID)
	require.Equal(t, "ai.deleteMemory", forgotten.ToolName)
	require.Nil(t, forgotten.Undo)
	p.Admin.Refused(t, problem.Conflict, http.MethodPost, nextPath(forgotten.ProposalID, proposal.Undo), nil)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE tool_name = 'ai.deleteMemory' AND before IS NOT NULL`))
}

// What has gone meanwhile is left out and said; a name that is taken is refused, and so is what looks like a credential.
func TestARestoreFitsThingsAsTheyAreByThen(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := stage{t, p}
	owners := team(t, p, "Reliability")
	group, environment, kept := s.group(), s.environment(), s.environment()
	leaver := p.Person(t)
	made := map[string]any{
		"name":           "Payments API",
		"ownerTeamId":    owners,
		"contacts":       []any{map[string]any{"type": "user", "userId": leaver.ID}, map[string]any{"type": "mailbox", "email": "a@example.com"}},
		"environmentIds": []string{idOf(environment), idOf(kept)},
		"groupIds":       []string{idOf(group)},
	}
	var system catalog.System
	p.Admin.Post(t, "/api/catalog/systems", made, &system)
	deleted := p.Admin.Apply(t, p.Admin.Propose(t, "catalog.deleteSystem", map[string]any{"id": system.ID}).ProposalID)
	for _, path := range []string{"/api/teams/" + owners.String(), environment, group, "/api/users/" + leaver.ID.String()} {
		require.Less(t, p.Admin.Call(t, http.MethodDelete, path, nil).Status, 300, path)
	}

	// Somebody has taken the name, and who asks is told.
	taken := newSystem(t, p.Admin, "payments api")
	refused := p.Admin.Refused(t, problem.Invalid, http.MethodPost, nextPath(deleted.ProposalID, proposal.Undo), nil)
	require.Contains(t, refused.Detail, "taken")
	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/catalog/systems/"+taken.String(), nil).Status, 300)
	again := remake(t, p.Admin, deleted)
	for _, said := range []string{
		"No team owns it: the one that did is gone, or you may not see teams.", "A contact is left out, because its account is gone.",
		"One environment that it was with is left out: it is gone, or not yours to use for this.", "One group that it was with is left out: it is gone, or not yours to use for this.",
	} {
		require.Contains(t, again.Effects, said)
	}

	// It is taken between the card and the decision, too.
	taken = newSystem(t, p.Admin, "Payments API")
	p.Admin.Refused(
		t,
		problem.Conflict,
		http.MethodPost,
		"/api/ai/proposals/apply",
		map[string]any{"token": p.Admin.Proposal(t, again.ProposalID).Token},
	)
	require.Less(t, p.Admin.Call(t, http.MethodDelete, "/api/catalog/systems/"+taken.String(), nil).Status, 300)
	third := next(t, p.Admin, again.ProposalID, proposal.Again, http.StatusCreated)
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, third.ProposalID).Status)
	restored := found[catalog.System](t, p.Admin, "/api/catalog/systems", "systems", "Payments API")
	require.Empty(t, restored.Owners)
	require.Empty(t, restored.Groups)
	require.Len(t, restored.Environments, 1)
	require.Len(t, restored.Contacts, 1)

	// Nothing is kept of what may hold a credential, and the card says so before.
	secret := newSystem(t, p.Admin, "Ledger")
	p.Admin.Patch(t, "/api/catalog/systems/"+secret.String(), map[string]any{"metadata": map[string]any{"password": "hunter2-hunter2"}}, nil)
	card := p.Admin.Propose(t, "catalog.deleteSystem", map[string]any{"id": secret})
	require.Contains(
		t,
		card.Effects,
		"It cannot be taken back by an undo: it is too large to be kept for that, or holds what looks like a credential.",
	)
	require.Nil(t, p.Admin.Apply(t, card.ProposalID).Undo)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals p WHERE strpos(p::text, 'hunter2') > 0`))
}

// To make something again takes the right to make it, and whoever may delete one thing need not have that.
func TestARestoreNeedsTheRightsToMakeIt(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person, loseRights := member(t, p)
	owner := p.Person(t)
	deletes := func(c *apptest.Client, name string) proposal.Card {
		t.Helper()
		system := newSystem(t, p.Admin, name)
		grant(t, p, "catalog.system/"+system.String(), false, map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"})
		return c.Apply(t, c.Propose(t, "catalog.deleteSystem", map[string]any{"id": system}).ProposalID)
	}
	mine := deletes(owner, "Mine")
	require.Equal(t, proposal.Applied, mine.Status)
	require.Nil(t, mine.Undo, "an owner of one system makes none")
	owner.Refused(t, problem.Forbidden, http.MethodPost, nextPath(mine.ProposalID, proposal.Undo), nil)

	theirs := deletes(person, "Theirs")
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	undo := next(t, person, theirs.ProposalID, proposal.Undo, http.StatusCreated)
	require.True(t, undo.TwoPerson)
	require.Empty(t, undo.Token)
	require.Equal(t, proposal.Applied, p.Second(t).Apply(t, undo.ProposalID).Status)
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": false})
	other := deletes(person, "Other")
	setPolicy(t, p, "catalog.createSystem", map[string]any{"enabled": false})
	person.Refused(t, problem.Forbidden, http.MethodPost, nextPath(other.ProposalID, proposal.Undo), nil)
	setPolicy(t, p, "catalog.createSystem", map[string]any{"enabled": true})
	loseRights()
	person.Refused(t, problem.Forbidden, http.MethodPost, nextPath(other.ProposalID, proposal.Undo), nil)
	require.Nil(t, person.Proposal(t, other.ProposalID).Undo)
}
