package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/audit"
)

type changePage struct {
	Changes []audit.ChangeEntry `json:"changes"`
}

// historyOf is what somebody reads of what happened to an object.
func historyOf(t *testing.T, c *apptest.Client, objectType, id string) []audit.ChangeEntry {
	t.Helper()
	var page changePage
	c.Get(t, "/api/history/"+objectType+"/"+id, &page)
	return page.Changes
}

// A change that was proposed names who asked and who decided, once, with the proposal.
func TestAnAppliedProposalIsOneChangeOfTwoPeople(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	proposer, _ := member(t, p)
	second, _ := member(t, p)
	card := proposer.Conversation(t, nil).Perform(t, createSystem).Card(t, "proposal")
	second.Apply(t, card.ProposalID)
	apptest.Eventually(t, "the change is on record", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE proposal_id = $1`, card.ProposalID) > 0
	})
	var page changePage
	p.Admin.Get(t, "/api/ai/audit/changes?proposal="+card.ProposalID.String()+"&action=created", &page)
	require.Len(t, page.Changes, 1)
	e := page.Changes[0]
	require.Equal(t, proposer.ID, e.Actor.ID)
	require.Equal(t, second.ID, e.AppliedBy.ID)
	require.Equal(t, audit.ByChat, e.Transport)
	require.Equal(t, "create-system", e.Operation)
	p.Admin.Get(t, "/api/ai/audit/changes?objectType=catalog.system&objectId="+e.Object.ID+"&action=created", &page)
	require.Len(t, page.Changes, 1, "it is one change")
}
