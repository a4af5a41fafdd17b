package attack_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// Nobody makes a new proposal of what somebody else has proposed, or learns of it, and none takes a way around the decision.
func nobodyProposesAgainForOthers(t *testing.T, f *fort) {
	victim := f.people["victim"]
	expired := victim.Propose(t, "catalog.updateSystem", map[string]any{"id": f.ids["hidden system"], "description": "Something else"})
	f.Exec(t, `UPDATE ai_proposals SET expires_at = now() - interval '1 second' WHERE id = $1`, expired.ProposalID)
	f.ids["expired proposal"] = expired.ProposalID.String()
	for _, who := range []string{"anonymous", "gone", "user", "editor", "operator", "countersigner", "ai.proposal.manage", "application", "powerless application", "second", "admin"} {
		for _, step := range []string{"again", "undo"} {
			for _, name := range []string{"expired proposal", "proposal", "hidden proposal", "conversation"} {
				f.refuses(t, attempt{name: step + " of another's", by: who, method: http.MethodPost, path: "/api/ai/proposals/{" + name + "}/" + step})
			}
		}
	}
	for _, name := range []string{"proposal", "hidden proposal"} {
		f.refuses(
			t,
			attempt{
				name:   "again while it waits",
				by:     "victim",
				method: http.MethodPost,
				path:   "/api/ai/proposals/{" + name + "}/again",
				sees:   []string{"hidden system"},
			},
		)
	}

	// Whoever tells what it is to be tells it to nobody: the arguments are those that are stored.
	again := f.try(t, attempt{
		name:   "again with other arguments",
		by:     "victim",
		method: http.MethodPost,
		path:   "/api/ai/proposals/{expired proposal}/again",
		body: map[string]any{
			"payload": map[string]any{"description": "Evil"},
			"status":  "applied",
		},
		status: []int{http.StatusCreated, http.StatusUnprocessableEntity, http.StatusBadRequest},
		sees:   []string{"hidden system", "hidden description"},
	})
	if again.Status == http.StatusCreated {
		require.NotContains(t, string(again.Body), "Evil")
	}
	var made proposal.Card
	victim.Post(t, "/api/ai/proposals/"+f.ids["expired proposal"]+"/again", nil, &made)
	require.Equal(t, proposal.Proposed, made.Status)
	require.NotEqual(t, expired.Token, made.Token)
	// The old token is worth nothing for the new proposal.
	f.refuses(t, attempt{name: "the old token", by: "victim", method: http.MethodPost, path: apply, body: token(expired.Token)})
	victim.Post(t, "/api/ai/proposals/"+made.ProposalID.String()+"/decline", nil, nil)
	// What somebody has declined is not proposed again by a click.
	f.refuses(
		t,
		attempt{
			name:   "again after a no",
			by:     "victim",
			method: http.MethodPost,
			path:   "/api/ai/proposals/" + made.ProposalID.String() + "/again",
		},
	)
}

// What was altered in the database gets no new seal by being proposed again.
func whatWasAlteredIsNotProposedAgain(t *testing.T, f *fort) {
	operator := f.people["operator"]
	card := operator.Propose(t, "catalog.createSystem", map[string]any{"name": "Ledger"})
	f.Exec(t, `UPDATE ai_proposals SET expires_at = now() - interval '1 second', payload = '{"name":"Evil"}' WHERE id = $1`, card.ProposalID)
	f.refuses(
		t,
		attempt{name: "altered", by: "operator", method: http.MethodPost, path: "/api/ai/proposals/" + card.ProposalID.String() + "/again"},
	)
	applied := operator.Apply(t, operator.Propose(t, "catalog.createGroup", map[string]any{"name": "Taken back"}).ProposalID)
	f.Exec(t, `UPDATE ai_proposals SET payload = '{"name":"Evil"}' WHERE id = $1`, applied.ProposalID)
	f.refuses(
		t,
		attempt{name: "altered", by: "operator", method: http.MethodPost, path: "/api/ai/proposals/" + applied.ProposalID.String() + "/undo"},
	)
}

// An application repeats what it has proposed and nothing else, and the person who made its token is no second person for that either.
func anApplicationProposesAgainForItselfAlone(t *testing.T, f *fort) {
	application, admin := f.people["application"], f.people["admin"]
	card := application.Propose(t, "catalog.createSystem", map[string]any{"name": "Made by a program"})
	f.Exec(t, `UPDATE ai_proposals SET expires_at = now() - interval '1 second' WHERE id = $1`, card.ProposalID)
	f.refuses(
		t,
		attempt{
			name:   "the issuer of its token",
			by:     "admin",
			method: http.MethodPost,
			path:   "/api/ai/proposals/" + card.ProposalID.String() + "/again",
		},
	)
	f.Countersign(t, admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"twoPerson": true, "anyway": true}, nil))
	var again proposal.Card
	application.Post(t, "/api/ai/proposals/"+card.ProposalID.String()+"/again", nil, &again)
	require.True(t, again.TwoPerson)
	require.Empty(t, again.Token)
	var seen proposal.Card
	admin.Get(t, "/api/ai/proposals/"+again.ProposalID.String(), &seen)
	require.Empty(t, seen.Token, "who made its token stands behind it")
	application.Refused(t, problem.Conflict, http.MethodPost, "/api/ai/proposals/"+again.ProposalID.String()+"/undo", nil)
	f.Countersign(t, admin.Patch(t, "/api/ai/policies/catalog.createSystem", map[string]any{"twoPerson": false}, nil))
}

// What was deleted comes back for nobody who could not make it, or who was not to see it; what was kept of it is told to nobody.
func nobodyRestoresForOthers(t *testing.T, f *fort) {
	f.made(t, "admin", "doomed", "/api/catalog/systems", map[string]any{
		"name": "Doomed " + f.canary(
			"doomed",
		),
		"description": f.canary("doomed description"),
		"metadata":    map[string]any{"k": f.canary("doomed metadata")},
		"links":       []any{map[string]any{"label": f.canary("doomed link"), "url": "https://example.com/"}},
	})
	f.grant(t, "catalog.system", f.ids["doomed"], true, "user", f.ids["victim"], "owner")
	victim := f.people["victim"]
	deleted := victim.Apply(t, victim.Propose(t, "catalog.deleteSystem", map[string]any{"id": f.ids["doomed"]}).ProposalID)
	require.Equal(t, proposal.Applied, deleted.Status)
	f.ids["deletion"] = deleted.ProposalID.String()
	for _, who := range []string{"anonymous", "gone", "user", "editor", "operator", "countersigner", "ai.proposal.manage", "application", "powerless application", "second", "admin"} {
		f.refuses(t, attempt{name: "restore of another's", by: who, method: http.MethodPost, path: "/api/ai/proposals/{deletion}/undo"})
		f.refuses(t, attempt{name: "deletion of another's", by: who, method: http.MethodGet, path: "/api/ai/proposals/{deletion}"})
	}
	// Who owned it could delete it, and makes none.
	f.refuses(
		t,
		attempt{
			name:   "restore without the right to create",
			by:     "victim",
			method: http.MethodPost,
			path:   "/api/ai/proposals/{deletion}/undo",
			sees:   []string{"doomed"},
		},
	)
	card := string(victim.Call(t, http.MethodGet, "/api/ai/proposals/"+f.ids["deletion"], nil).Body)
	for _, kept := range []string{"doomed description", "doomed metadata", "doomed link"} {
		require.NotContains(t, card, f.canaries[kept], "what is kept stands on no card")
	}

	// What was altered in the database is not made again.
	operator := f.people["operator"]
	f.made(t, "operator", "short lived", "/api/catalog/groups", map[string]any{"name": "Short lived"})
	gone := operator.Apply(t, operator.Propose(t, "catalog.deleteGroup", map[string]any{"id": f.ids["short lived"]}).ProposalID)
	f.Exec(t, `UPDATE ai_proposals SET before = '{"name":"Evil"}' WHERE id = $1`, gone.ProposalID)
	f.refuses(
		t,
		attempt{name: "altered", by: "operator", method: http.MethodPost, path: "/api/ai/proposals/" + gone.ProposalID.String() + "/undo"},
	)
}
