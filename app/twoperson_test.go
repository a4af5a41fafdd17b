package app_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// inbox are the ids of the open proposals that somebody sees.
func inbox(t *testing.T, c *apptest.Client) []uuid.UUID {
	t.Helper()
	var list struct {
		Proposals []proposal.Card `json:"proposals"`
	}
	c.Get(t, "/api/ai/proposals?status=proposed", &list)
	var ids []uuid.UUID
	for _, card := range list.Proposals {
		require.Empty(t, card.Token)
		ids = append(ids, card.ProposalID)
	}
	return ids
}

func TestASecondPersonAppliesWhatNeedsOne(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	proposer, _ := member(t, p)
	second, _ := member(t, p)
	stranger := p.Person(t)

	// In auto mode too, it waits.
	chat := proposer.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	require.True(t, card.TwoPerson)
	require.Contains(t, card.WhyConfirm, "A second person has to apply this")

	mine := proposer.Proposal(t, card.ProposalID)
	require.Empty(t, mine.Token)
	require.Contains(t, mine.Blocked, "you have proposed it yourself")
	theirs := second.Proposal(t, card.ProposalID)
	require.NotEmpty(t, theirs.Token)
	require.Equal(t, proposer.ID, theirs.Proposer.ID)
	require.Equal(t, []uuid.UUID{card.ProposalID}, inbox(t, second), "the tool's rules are enough to see it")
	require.Equal(t, []uuid.UUID{card.ProposalID}, inbox(t, proposer))
	require.Empty(t, inbox(t, stranger))
	stranger.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/proposals/"+card.ProposalID.String(), nil)

	// Also with a token that somebody has passed on.
	e := proposer.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": theirs.Token})
	require.Contains(t, e.Detail, "A second person")
	require.Empty(t, systems(t, p.Admin))

	applied := second.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	require.Equal(t, second.ID, applied.DecidedBy.ID)
	apptest.Eventually(t, "the model acknowledges it to the proposer", func() bool { return len(chat.Messages(t)) == 3 })
	require.Equal(
		t,
		1,
		p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND applied_by_id = $2`, proposer.ID, second.ID),
	)
}

// The rule holds for what was proposed before it was set, and for what was proposed under it after it was taken away.
func TestTheTwoPersonRuleOnlyEverTightens(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	before := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Before"})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	p.Admin.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": before.Token})
	second, _ := member(t, p)
	require.Equal(t, []uuid.UUID{before.ProposalID}, inbox(t, second))
	under := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Under"})
	require.Empty(t, under.Token)
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": false})
	require.NotEmpty(t, p.Admin.Proposal(t, before.ProposalID).Token)
	require.Empty(t, p.Admin.Proposal(t, under.ProposalID).Token)
	require.Equal(t, proposal.Applied, second.Apply(t, under.ProposalID).Status)

	// The proposer may always take it back.
	last := setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	require.True(t, last.TwoPerson)
	p.Admin.Post(t, "/api/ai/proposals/"+before.ProposalID.String()+"/decline", nil, nil)
}

func TestAnApplicationIsNoSecondPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	card := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
	robot := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage", "ai.proposal.manage"))
	shown := robot.Proposal(t, card.ProposalID)
	require.Empty(t, shown.Token)
	require.Contains(t, shown.Blocked, "an application is not a person")
	second, _ := member(t, p)
	robot.Refused(
		t,
		problem.Forbidden,
		http.MethodPost,
		"/api/ai/proposals/apply",
		map[string]any{"token": second.Proposal(t, card.ProposalID).Token},
	)
	require.Empty(t, systems(t, p.Admin))
}

// A plan with a change that needs a second person is applied as a whole by that person only.
func TestAPlanNeedsTheSecondPersonOfItsChanges(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createGroup", map[string]any{"twoPerson": true})
	chat := p.Admin.Conversation(t, nil)
	turn := chat.Perform(t, creates("A")+`tool=catalog.createGroup input={"name":"Core"}`)
	plan := readPlan(t, p.Admin, turn.Metadata.TurnID)
	require.Len(t, tokensOf(plan), 1)
	p.Admin.Refused(
		t,
		problem.Conflict,
		http.MethodPost,
		"/api/ai/plans/"+plan.PlanID.String()+"/apply",
		map[string]any{"tokens": tokensOf(plan)},
	)

	second := p.Person(t, p.Role(t, "catalog.system.manage", "catalog.group.manage", "ai.proposal.manage"))
	theirs := readPlan(t, second, plan.PlanID)
	require.Len(t, tokensOf(theirs), 2)
	p.Admin.Refused(
		t,
		problem.Forbidden,
		http.MethodPost,
		"/api/ai/plans/"+plan.PlanID.String()+"/apply",
		map[string]any{"tokens": tokensOf(theirs)},
	)
	require.Equal(t, proposal.Applied, applyPlan(t, second, theirs).Status)
}

// What a request of the tool is shown from is its own dry run, which waits for nobody.
func TestARequestToTheOutsideWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	var sent atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent.Add(1) }))
	t.Cleanup(service.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.1"}})
	role := p.Role(t, "http.request.send", "ai.proposal.manage", "ai.chat.read")
	proposer, second := p.Person(t, role), p.Person(t, role)
	setPolicy(t, p, "http.request", map[string]any{"twoPerson": true})
	request := map[string]any{"method": "POST", "url": service.URL + "/refunds", "body": "7"}

	proposer.Post(t, "/api/http-requests/preview", request, nil)
	card := proposer.Propose(t, "http.request", request)
	require.True(t, card.TwoPerson)
	w := waits(t, proposer, http.MethodPost, "/api/http-requests", request)
	require.Equal(t, card.Summary, w.Summary)
	require.True(t, w.TwoPerson)
	proposer.Refused(t, problem.Invalid, http.MethodPost, "/api/http-requests", map[string]any{"method": "GET", "url": "http://10.0.0.1/"})
	var governed struct {
		Operations []struct{ Operation, Asks string }
	}
	proposer.Get(t, "/api/ai/operations", &governed)
	for _, one := range governed.Operations {
		require.NotEqual(t, "POST /api/http-requests/preview", one.Operation, "it needs nobody")
	}
	require.Zero(t, sent.Load())
	require.Equal(t, proposal.Applied, second.Apply(t, w.ProposalID).Status)
	require.EqualValues(t, 1, sent.Load())

	setPolicy(t, p, "http.request", map[string]any{"enabled": false})
	proposer.Refused(t, problem.Forbidden, http.MethodPost, "/api/http-requests/preview", request)
	proposer.Refused(t, problem.Forbidden, http.MethodPost, "/api/http-requests", request)
	require.EqualValues(t, 1, sent.Load())
}
