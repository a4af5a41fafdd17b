package app_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// grant gives subjects relations to an object, which is private when closed.
func grant(t *testing.T, p *apptest.Product, object string, closed bool, grants ...map[string]any) {
	t.Helper()
	if grants == nil {
		grants = []map[string]any{}
	}
	answer := p.Admin.Call(t, http.MethodPut, "/api/grants/"+object, map[string]any{"private": closed, "grants": grants})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
}

func team(t *testing.T, p *apptest.Product, name string, members ...*apptest.Client) (id uuid.UUID) {
	t.Helper()
	var made struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/teams", map[string]any{"name": name}, &made)
	for _, m := range members {
		answer := p.Admin.Call(t, http.MethodPut, "/api/teams/"+made.ID.String()+"/members/"+m.ID.String(), nil)
		require.Less(t, answer.Status, 300, "%s", answer.Body)
	}
	return made.ID
}

// What a grant lets somebody do in the app, it lets them do by chat and by program too, and no more.
func TestAGrantOnOneRecordOpensTheToolsThatItIsEnoughFor(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	viewer, editor, owner := p.Person(t), p.Person(t), p.Person(t)
	mine, other := newSystem(t, p.Admin, "Mine"), newSystem(t, p.Admin, "Other")
	grant(t, p, "catalog.system/"+mine.String(), true,
		map[string]any{"subjectType": "user", "subjectId": viewer.ID, "relation": "viewer"},
		map[string]any{"subjectType": "team", "subjectId": team(t, p, "Editors", editor), "relation": "editor"},
		map[string]any{"subjectType": "team", "subjectId": team(t, p, "Owners", owner), "relation": "owner"})

	editing := []string{
		"catalog.updateSystem",
		"catalog.addSystemContact",
		"catalog.addSystemLink",
		"catalog.setSystemEnvironments",
		"catalog.removeSystemLink",
	}
	owning := []string{"catalog.deleteSystem"}
	for who, want := range map[*apptest.Client][2]bool{viewer: {false, false}, editor: {true, false}, owner: {true, true}} {
		offered := offeredTools(t, who)
		for _, name := range editing {
			require.Equal(t, want[0], slices.Contains(offered, name), name)
		}
		for _, name := range owning {
			require.Equal(t, want[1], slices.Contains(offered, name), name)
		}
		require.NotContains(t, offered, "catalog.createSystem", "grants are on records that exist")
		require.NotContains(t, offered, "catalog.updateGroup", "they are on records of one kind")
	}

	// In chat, as by the API; nobody else's record.
	chat := editor.Conversation(t, nil)
	turn := chat.Perform(t, `tool=catalog.updateSystem input={"id":"`+mine.String()+`","description":"By the team"}`)
	card := turn.Card(t, "proposal")
	require.Equal(t, proposal.Applied, editor.Apply(t, card.ProposalID).Status)
	turn = editor.Conversation(
		t,
		nil,
	).Perform(
		t,
		`tool=catalog.updateSystem input={"id":"`+other.String()+`","description":"Not theirs"} text="Sorry."`,
	)
	require.Equal(t, "output-error", turn.ToolCalls()[0].State)
	e := editor.Refused(
		t,
		problem.Forbidden,
		http.MethodPost,
		"/api/ai/tools/catalog.deleteSystem/propose",
		map[string]any{"input": map[string]any{"id": mine}},
	)
	require.Equal(t, []string{"catalog.system.manage"}, e.MissingRules)

	// What the team loses is gone with the next call, and an open proposal with it.
	card = editor.Propose(t, "catalog.updateSystem", map[string]any{"id": mine, "description": "Too late"})
	grant(t, p, "catalog.system/"+mine.String(), true, map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"})
	editor.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": card.Token})
	require.NotContains(t, offeredTools(t, editor), "catalog.updateSystem")
	require.Equal(t, proposal.Applied, deletedByOwner(t, p, mine).Status)
}

// deletedByOwner is the deletion of a system by an application that a grant makes its owner.
func deletedByOwner(t *testing.T, p *apptest.Product, system uuid.UUID) proposal.Card {
	t.Helper()
	robot := p.Application(t, p.Role(t, "ai.chat.read"))
	grant(
		t,
		p,
		"catalog.system/"+system.String(),
		true,
		map[string]any{"subjectType": "application", "subjectId": robot.ID, "relation": "owner"},
	)
	return robot.Apply(t, robot.Propose(t, "catalog.deleteSystem", map[string]any{"id": system}).ProposalID)
}
