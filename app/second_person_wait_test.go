package app_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

func waitOf(c proposal.Card) time.Duration { return c.ExpiresAt.Sub(c.CreatedAt).Round(time.Second) }

// Whoever decides about their own waits a few minutes, and a day is left for somebody who has to find it first.
func TestASecondPersonHasADay(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	proposer, _ := member(t, p)
	propose := func(name string) time.Duration {
		return waitOf(proposer.Propose(t, "catalog.createSystem", map[string]any{"name": name}))
	}
	require.Equal(t, 10*time.Minute, propose("One's own"))
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	require.Equal(t, 24*time.Hour, propose("For a second person"))
	direct := waits(t, proposer, http.MethodPost, "/api/catalog/systems", map[string]any{"name": "By page"})
	require.Equal(t, 24*time.Hour, waitOf(proposer.Proposal(t, direct.ProposalID)))
}

// The row and the timer of its workflow end the wait of a second person together; one's own has ended before.
func TestTheWaitForASecondPersonEnds(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_PROPOSAL_TTL": "1s", "COUNTERSIGN_SECOND_PERSON_TTL": "3s"}})
	proposer, _ := member(t, p)
	own := proposer.Propose(t, "catalog.createSystem", map[string]any{"name": "One's own"})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	theirs := proposer.Propose(t, "catalog.createSystem", map[string]any{"name": "For a second person"})
	require.Equal(t, []time.Duration{time.Second, 3 * time.Second}, []time.Duration{waitOf(own), waitOf(theirs)})
	apptest.Eventually(t, "the workflows have ended both", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_proposals WHERE status = 'expired' AND finished_at >= expires_at`) == 2
	})
	require.Equal(t, proposal.Expired, proposer.Proposal(t, theirs.ProposalID).Status)
}

// What the badge of the inbox counts is what is open and not blocked for its reader: not what they proposed and cannot
// decide, and nothing that is decided.
func TestTheInboxListsWhatAPersonCanDecide(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	proposer, _ := member(t, p)
	second, _ := member(t, p)
	decidable := func(c *apptest.Client) []uuid.UUID {
		t.Helper()
		var list struct {
			Proposals []proposal.Card `json:"proposals"`
		}
		c.Get(t, "/api/ai/proposals?status=proposed", &list)
		ids := []uuid.UUID{}
		for _, card := range list.Proposals {
			if card.Blocked == "" {
				ids = append(ids, card.ProposalID)
			}
		}
		return ids
	}
	own := proposer.Propose(t, "catalog.updateSystem", map[string]any{"id": newSystem(t, p.Admin, "Open"), "description": "New"})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	theirs := proposer.Propose(t, "catalog.createSystem", map[string]any{"name": "For a second person"})
	require.Equal(t, []uuid.UUID{own.ProposalID}, decidable(proposer))
	require.Equal(t, []uuid.UUID{theirs.ProposalID}, decidable(second))
	second.Apply(t, theirs.ProposalID)
	require.Empty(t, decidable(second))
	proposer.Post(t, "/api/ai/proposals/"+own.ProposalID.String()+"/decline", nil, nil)
	require.Empty(t, decidable(proposer))
}
