package app_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// proposedWrite is the answer to a write that waits for a decision.
type proposedWrite struct {
	ProposalID uuid.UUID `json:"proposalId"`
	Status     string    `json:"status"`
	Summary    string    `json:"summary"`
	Detail     string    `json:"detail"`
	TwoPerson  bool      `json:"twoPerson"`
	Link       string    `json:"link"`
}

// waits makes a write that has to become a proposal.
func waits(t *testing.T, c *apptest.Client, method, path string, body any, headers ...apptest.Header) proposedWrite {
	t.Helper()
	answer := c.Call(t, method, path, body, headers...)
	require.Equal(t, http.StatusAccepted, answer.Status, "%s %s: %s", method, path, answer.Body)
	var w proposedWrite
	answer.Decode(t, &w)
	require.Equal(t, "proposed", w.Status)
	require.Equal(t, "/api/ai/proposals/"+w.ProposalID.String(), answer.Header.Get("Location"))
	require.Equal(t, "/proposals?proposal="+w.ProposalID.String(), w.Link)
	return w
}

// systemAt is the address of a new system.
func systemAt(t *testing.T, c *apptest.Client, name string) string {
	t.Helper()
	return "/api/catalog/systems/" + newSystem(t, c, name).String()
}

// The finding: with "Delete system needs a second person" anybody with the rule deleted a system in the catalog.
func TestAWriteThatNeedsASecondPersonBecomesAProposalOnEveryWay(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	operator, _ := member(t, p)
	second, _ := member(t, p)
	robot := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	byPerson, byRobot := systemAt(t, operator, "Payments API"), systemAt(t, operator, "Ledger")
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})

	w := waits(t, operator, http.MethodDelete, byPerson, nil)
	require.Equal(t, "Delete the system Payments API", w.Summary)
	require.True(t, w.TwoPerson)
	operator.Get(t, byPerson, nil)
	mine := operator.Proposal(t, w.ProposalID)
	require.Empty(t, mine.Token)
	require.Equal(t, "catalog.deleteSystem", mine.ToolName)
	require.Equal(t, []uuid.UUID{w.ProposalID}, inbox(t, second))
	applied := second.Apply(t, w.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	operator.Refused(t, problem.NotFound, http.MethodGet, byPerson, nil)

	// Whoever made the token of an application stands behind it and is no second person.
	w = waits(t, robot, http.MethodDelete, byRobot, nil)
	require.Contains(t, p.Admin.Proposal(t, w.ProposalID).Blocked, "whose token you have made")
	require.Equal(t, proposal.Applied, second.Apply(t, w.ProposalID).Status)

	// The history says by what way it was asked for, and not by what way it was decided about.
	byPage := waits(
		t,
		operator,
		http.MethodDelete,
		systemAt(t, operator, "By Page"),
		nil,
		apptest.Header{Name: "Sec-Fetch-Site", Value: "same-origin"},
	)
	require.Equal(t, proposal.Applied, second.Apply(t, byPage.ProposalID).Status)
	require.Equal(
		t,
		[]string{"page"},
		p.Column(t, `SELECT DISTINCT transport FROM ai_audit_entries WHERE proposal_id = $1`, byPage.ProposalID),
	)
	require.Equal(
		t,
		[]string{"application"},
		p.Column(t, `SELECT DISTINCT transport FROM ai_audit_entries WHERE proposal_id = $1`, w.ProposalID),
	)

	// What the policy is not about happens at once.
	third := systemAt(t, operator, "Third")
	operator.Patch(t, third, map[string]any{"description": "changed"}, nil)
}

// Rights, revisions and bad requests are answered as without the policy.
func TestAWriteThatWouldBeRefusedMakesNoProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	operator, _ := member(t, p)
	reader := p.Person(t)
	path := systemAt(t, operator, "Payments API")
	bad := map[string]any{"name": ""}
	before := []problem.Error{
		reader.Refused(t, problem.Forbidden, http.MethodDelete, path, nil),
		operator.Refused(t, problem.NotFound, http.MethodDelete, "/api/catalog/systems/"+uuid.Nil.String(), nil),
		operator.Refused(t, problem.Precondition, http.MethodDelete, path, nil, apptest.Header{Name: "If-Match", Value: `"7"`}),
		operator.Refused(t, problem.Invalid, http.MethodPatch, path, bad),
	}
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": true})
	after := []problem.Error{
		reader.Refused(t, problem.Forbidden, http.MethodDelete, path, nil),
		operator.Refused(t, problem.NotFound, http.MethodDelete, "/api/catalog/systems/"+uuid.Nil.String(), nil),
		operator.Refused(t, problem.Precondition, http.MethodDelete, path, nil, apptest.Header{Name: "If-Match", Value: `"7"`}),
		operator.Refused(t, problem.Invalid, http.MethodPatch, path, bad),
	}
	for i := range before {
		require.Equal(t, before[i].Detail, after[i].Detail)
		require.Equal(t, before[i].Issues, after[i].Issues)
	}
	operator.Refused(t, problem.NotAcceptable, http.MethodPatch, path, `{"name":`)
	operator.Refused(t, problem.Invalid, http.MethodPatch, path, map[string]any{"surprise": 1})
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))

	// A change that was proposed on what has changed since is not made.
	w := waits(t, operator, http.MethodPatch, path, map[string]any{"description": "one"}, apptest.Header{Name: "If-Match", Value: `"1"`})
	second, _ := member(t, p)
	other := waits(t, operator, http.MethodPatch, path, map[string]any{"description": "two"})
	require.Equal(t, proposal.Applied, second.Apply(t, other.ProposalID).Status)
	second.Refused(
		t,
		problem.Drift,
		http.MethodPost,
		"/api/ai/proposals/apply",
		map[string]any{"token": second.Proposal(t, w.ProposalID).Token},
	)
}

func TestARepeatedWriteIsTheSameProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	operator, _ := member(t, p)
	path := systemAt(t, operator, "Payments API")
	key := func() apptest.Header { return apptest.Header{Name: "Idempotency-Key", Value: "one"} }
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": true})
	body := map[string]any{"description": "changed", "tags": nil}
	first := waits(t, operator, http.MethodPatch, path, body, key())
	again := waits(t, operator, http.MethodPatch, path, body, key())
	require.Equal(t, first, again)
	operator.Refused(t, problem.KeyReused, http.MethodPatch, path, map[string]any{"description": "else"}, key())
	// Also when the policy has gone since: the first answer counts.
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": false})
	require.Equal(t, first, waits(t, operator, http.MethodPatch, path, body, key()))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_proposals WHERE tool_name = 'catalog.updateSystem'`))
}

func TestOffMeansOffAndAlwaysAskMeansAPerson(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	operator, _ := member(t, p)
	robot := p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
	path := systemAt(t, operator, "Payments API")
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"alwaysConfirm": true})
	operator.Patch(t, path, map[string]any{"description": "by a click"}, nil)
	w := waits(t, robot, http.MethodPatch, path, map[string]any{"description": "by a program"})
	require.False(t, w.TwoPerson)
	shown := robot.Proposal(t, w.ProposalID)
	require.Empty(t, shown.Token)
	require.Contains(t, shown.Blocked, "an application is not a person")
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, w.ProposalID).Status)

	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"enabled": false})
	for _, c := range []*apptest.Client{operator, robot, p.Admin} {
		e := c.Refused(t, problem.Forbidden, http.MethodDelete, path, nil)
		require.Contains(t, e.Detail, "switched this off")
	}
}

// Whoever could loosen a policy alone could do alone what it is there to prevent.
func TestAPolicyIsNotSwitchedOffByOne(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	second := p.Second(t)
	const path = "/api/ai/policies/catalog.deleteSystem"
	var policy toolPolicy
	p.Admin.Patch(t, path, map[string]any{"twoPerson": true}, &policy)
	require.True(t, policy.TwoPerson)
	for _, name := range []string{path, "/api/ai/policies/catalog_deleteSystem"} {
		for _, body := range []string{`{"twoPerson":false}`, `{"TWOPERSON":false}`, `{"twoPerson":true,"twoPerson":false}`, `{"twoPerson":false,"alwaysConfirm":false}`} {
			answer := p.Admin.Call(t, http.MethodPatch, name, body)
			require.NotEqual(t, http.StatusOK, answer.Status, "%s %s", name, body)
			p.Admin.Get(t, path, &policy)
			require.True(t, policy.TwoPerson, body)
		}
	}
	p.Admin.Refused(t, problem.Invalid, http.MethodPatch, "/api/ai/policies/ai.setToolPolicy", map[string]any{"enabled": false})
	// Tightening is anybody's who may set policies.
	p.Admin.Patch(t, path, map[string]any{"alwaysConfirm": true}, nil)

	w := waits(t, p.Admin, http.MethodPatch, path, map[string]any{"twoPerson": false})
	require.Equal(t, "Change the policy of catalog.deleteSystem: no longer ask for a second person", w.Summary)
	require.Equal(t, proposal.Applied, second.Apply(t, w.ProposalID).Status)
	p.Admin.Get(t, path, &policy)
	require.False(t, policy.TwoPerson)
	// The tool that changes policies is none for models or programs.
	require.NotContains(t, offeredTools(t, p.Admin), "ai.setToolPolicy")
	for _, name := range []string{"ai.setToolPolicy", "ai_setToolPolicy"} {
		p.Admin.Refused(
			t,
			problem.NotFound,
			http.MethodPost,
			"/api/ai/tools/"+name+"/propose",
			map[string]any{"input": map[string]any{"tool": "catalog.deleteSystem", "enabled": true}},
		)
	}
	turn := p.Admin.Conversation(
		t,
		nil,
	).Perform(
		t,
		`tool=ai_setToolPolicy input={"tool":"catalog.deleteSystem","enabled":false} text="Sorry."`,
	)
	require.Contains(t, turn.ToolCalls()[0].ErrorText, "cannot do")
}

func TestPeopleLearnBeforeTheyClickWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t)
	asked := func() map[string]string {
		var list struct {
			Operations []struct{ Operation, Tool, Asks string } `json:"operations"`
		}
		person.Get(t, "/api/ai/operations", &list)
		found := map[string]string{}
		for _, o := range list.Operations {
			found[o.Operation] = o.Asks
		}
		return found
	}
	require.Empty(t, asked())
	setPolicy(t, p, "catalog.deleteSystem", map[string]any{"twoPerson": true})
	setPolicy(t, p, "catalog.removeSystemLink", map[string]any{"enabled": false})
	found := asked()
	require.Equal(t, "secondPerson", found["DELETE /api/catalog/systems/{id}"])
	require.Equal(t, "off", found["DELETE /api/catalog/systems/{id}/links/{linkId}"])
	require.Equal(t, "maybeSecondPerson", found["PATCH /api/ai/policies/{tool}"])
	require.NotContains(t, found, "PATCH /api/catalog/systems/{id}")
	_, err := json.Marshal(found)
	require.NoError(t, err)
}
