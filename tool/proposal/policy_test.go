package proposal_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

// policies are those that a test sets.
type policies struct {
	mu  sync.Mutex
	set map[string]disposition.Policy
}

func (p *policies) Exceptions(context.Context) (map[string]disposition.Policy, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return map[string]disposition.Policy{"shelf.putBox": p.set["shelf.putBox"]}, nil
}

func (p *policies) put(policy disposition.Policy) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set = map[string]disposition.Policy{"shelf.putBox": policy}
}

func withPolicies(t *testing.T) (*world, *policies) {
	t.Helper()
	w, set := newWorld(t), &policies{}
	set.put(disposition.DefaultPolicy)
	w.Policies = set
	return w, set
}

// A tool may be switched off between the decision and the change.
func TestAToolThatIsSwitchedOffMeanwhileIsNotRun(t *testing.T) {
	t.Parallel()
	w, set := withPolicies(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	set.put(disposition.Policy{})
	failed, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Failed, failed.Status)
	require.Equal(t, problem.Forbidden, failed.Error.Code)
	require.Zero(t, w.applied.Load())
}

// The policy may be tightened between the call and its automatic apply.
func TestAutoModeStopsAtAPolicyThatWasSetMeanwhile(t *testing.T) {
	t.Parallel()
	for _, policy := range []disposition.Policy{{}, {Enabled: true, TwoPerson: true}, {Enabled: true, AlwaysConfirm: true}} {
		w, set := withPolicies(t)
		p := w.people.add("Ada", rule)
		card := w.propose(t, p, "A", func(n *proposal.New) { n.Automatic = true })
		set.put(policy)
		_, err := w.BeginAutomatic(t.Context(), p, card.ProposalID)
		refused(t, err, problem.Forbidden)
	}
}

// A policy may be tightened between the decision and the change.
func TestAPolicyThatWasTightenedAfterTheDecisionStopsTheChange(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		policy disposition.Policy
		begin  func(w *world, p principal.Principal) proposal.Card
	}{
		"two people": {disposition.Policy{Enabled: true, TwoPerson: true}, func(w *world, p principal.Principal) proposal.Card {
			card := w.propose(t, p, "A")
			return must(w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", ""))
		}},
		"always ask": {disposition.Policy{Enabled: true, AlwaysConfirm: true}, func(w *world, p principal.Principal) proposal.Card {
			card := w.propose(t, p, "A", func(n *proposal.New) { n.Automatic = true })
			return must(w.BeginAutomatic(t.Context(), p, card.ProposalID))
		}},
	} {
		w, set := withPolicies(t)
		card := one.begin(w, w.people.add("Ada", rule))
		set.put(one.policy)
		failed, err := w.Run(t.Context(), card.ProposalID)
		require.NoError(t, err)
		require.Equal(t, proposal.Failed, failed.Status, name)
		require.Equal(t, problem.Forbidden, failed.Error.Code)
		require.Zero(t, w.applied.Load())
	}
}

// Code that forgets the rule is stopped by the database.
func TestTheDatabaseKnowsTheTwoPersonRule(t *testing.T) {
	t.Parallel()
	w, set := withPolicies(t)
	set.put(disposition.Policy{Enabled: true, TwoPerson: true})
	p, second := w.people.add("Ada", rule), w.people.add("Eve", rule)
	card := w.propose(t, p, "A")
	require.True(t, card.TwoPerson)
	for kind, id := range map[principal.Kind]any{principal.User: p.ID, principal.Application: second.ID} {
		_, err := w.db.Conn(
			t.Context(),
		).Exec(
			t.Context(),
			`UPDATE ai_proposals SET status = 'applying', decided_by_kind = $1, decided_by_id = $2 WHERE id = $3`,
			string(kind),
			id,
			card.ProposalID,
		)
		require.ErrorContains(t, err, "ai_proposals_two_person_check")
	}
	_, err := w.Begin(t.Context(), second, w.token(t, second, card.ProposalID), "", "")
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, must(w.Run(t.Context(), card.ProposalID)).Status)
}

func must(c proposal.Card, err error) proposal.Card {
	if err != nil {
		panic(err)
	}
	return c
}

// Who searches may look through proposals that are none of theirs to see. Neither what is found nor whether there is more tells of them.
func TestASearchTellsNothingOfWhatIsNotSeen(t *testing.T) {
	t.Parallel()
	w, set := withPolicies(t)
	ada, eve := w.people.add("Ada", rule), w.people.add("Eve", rule)
	hidden := w.propose(t, ada, "secret acquisition")
	_, err := w.Decline(t.Context(), ada, hidden.ProposalID, "")
	require.NoError(t, err)
	w.propose(t, eve, "secret guess")
	// From now on a second person is asked about such proposals, for which all that are there are looked through.
	set.put(disposition.Policy{Enabled: true, TwoPerson: true})
	for _, query := range []string{"", "secret", "acquisition", "nothing of that"} {
		cards, next, err := w.Search(t.Context(), eve, query, "", "", 1)
		require.NoError(t, err)
		require.Empty(t, next, "%q", query)
		for _, c := range cards {
			require.Equal(t, "Put secret guess", c.Summary, "%q", query)
		}
	}
}
