package proposal_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool"
	"countersign/tool/proposal"

	"github.com/google/uuid"
)

func TestAProposalIsCarriedOutAsItWasStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	require.Equal(t, proposal.Proposed, card.Status)
	require.Equal(t, "proposed", w.audit(t, card.ProposalID))
	require.Equal(t, int32(1), w.driver.started.Load())
	var client tool.Client
	w.onApply(func(c tool.Caller, in boxInput) (boxInput, error) {
		client = *c.Client
		require.Equal(t, p.ID, c.Principal.ID)
		return in, nil
	})

	applying, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	require.Equal(t, proposal.Applying, applying.Status)
	require.Equal(t, "applying", w.audit(t, card.ProposalID))
	require.Equal(t, int32(1), w.driver.decided.Load())
	require.Zero(t, w.applied.Load(), "the decision is one thing, the change another")

	applied, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, applied.Status)
	require.JSONEq(t, `{"name":"A"}`, string(applied.Result))
	require.Equal(t, "Ada", applied.DecidedBy.Name)
	require.Equal(t, "applied", w.audit(t, card.ProposalID))
	require.Equal(t, card.ProposalID.String(), client.IdempotencyKey, "a repeated write is one write")
	require.Equal(t, `"7"`, client.IfMatch, "and never over somebody else's change")

	// A repeated activity finds the outcome.
	again, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, again.Status)
	require.Equal(t, int32(1), w.applied.Load())
}

func TestOneOfTwoHundredAppliesWins(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	known := &people{revoked: map[uuid.UUID]bool{}, rules: map[uuid.UUID][]string{}}
	var processes [2]*world
	for i := range processes {
		db, err := store.Open(t.Context(), url, store.Options{MaxConns: 8})
		require.NoError(t, err)
		t.Cleanup(db.Close)
		processes[i] = newProcess(t, db, known, []byte("key"))
	}
	p := known.add("Ada", rule)
	card := processes[0].propose(t, p, "A")
	token := processes[0].token(t, p, card.ProposalID)
	var won, lost atomic.Int32
	var applying sync.WaitGroup
	for i := range 200 {
		applying.Go(func() {
			_, err := processes[i%2].Begin(t.Context(), p, token, "", "")
			switch {
			case err == nil:
				won.Add(1)
			case problem.Is(err, problem.Conflict):
				lost.Add(1)
			}
		})
	}
	applying.Wait()
	require.Equal(t, int32(1), won.Load())
	require.Equal(t, int32(199), lost.Load())
	require.Equal(t, int32(1), processes[0].driver.decided.Load()+processes[1].driver.decided.Load())
}

// A client that did not get the answer asks again with the same key, and is told how it went.
func TestARepeatWithTheSameKeyGetsTheFirstOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.people.add("Ada", rule), w.people.add("Max", rule, proposal.ManageRule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	_, err := w.Begin(t.Context(), p, token, "key-1", "")
	require.NoError(t, err)
	_, err = w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)

	again, err := w.Begin(t.Context(), p, token, "key-1", "")
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, again.Status)
	_, err = w.Begin(t.Context(), p, token, "key-2", "")
	refused(t, err, problem.Conflict)
	_, err = w.Begin(t.Context(), p, token, "", "")
	refused(t, err, problem.Conflict)
	_, err = w.Begin(t.Context(), other, token, "key-1", "")
	refused(t, err, problem.Conflict)
	require.Equal(t, int32(1), w.applied.Load())
}

func TestATokenEndsWithItsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	w.expire(t, card.ProposalID)

	_, err := w.Begin(t.Context(), p, token, "", "")
	refused(t, err, problem.Expired)
	_, err = w.Decline(t.Context(), p, card.ProposalID, "")
	refused(t, err, problem.Expired)

	// Nobody has looked yet, and it is expired all the same.
	shown, err := w.Get(t.Context(), p, card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Expired, shown.Status)
	require.Empty(t, shown.Token)
	require.Equal(t, "proposed", w.audit(t, card.ProposalID))
	marked, err := w.Expire(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Expired, marked.Status)
	require.Equal(t, "expired", w.audit(t, card.ProposalID))
}

func TestOnlyWhatIsDueExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	fresh, err := w.Expire(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Proposed, fresh.Status)

	_, err = w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	w.expire(t, card.ProposalID)
	decided, err := w.Expire(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applying, decided.Status, "a decision in time is carried out, however long that takes")
}

func TestADeclinedProposalIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	declined, err := w.Decline(t.Context(), p, card.ProposalID, "")
	require.NoError(t, err)
	require.Equal(t, proposal.Declined, declined.Status)
	require.Equal(t, "Ada", declined.DecidedBy.Name)
	require.Equal(t, "declined", w.audit(t, card.ProposalID))

	_, err = w.Begin(t.Context(), p, token, "", "")
	refused(t, err, problem.Conflict)
	_, err = w.Decline(t.Context(), p, card.ProposalID, "")
	refused(t, err, problem.Conflict)
	left, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Declined, left.Status)
	require.Zero(t, w.applied.Load())
}

func TestARefusalMakesTheProposalFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	w.onApply(func(tool.Caller, boxInput) (boxInput, error) {
		return boxInput{}, problem.InvalidInput("The name is taken.", problem.Issue{Path: "name", Message: "is taken"})
	})
	failed := w.begin(t, p, card.ProposalID)
	require.Equal(t, proposal.Failed, failed.Status)
	require.Equal(t, problem.Invalid, failed.Error.Code)
	require.Equal(t, []problem.Issue{{Path: "name", Message: "is taken"}}, failed.Error.Issues)
	require.Equal(t, "failed", w.audit(t, card.ProposalID))
}

// What is a fault of the host is tried again until it is known how it went.
func TestAHostFailureLeavesTheProposalApplying(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	away := errors.New("connection refused")
	w.onApply(func(_ tool.Caller, in boxInput) (boxInput, error) {
		if w.applied.Load() == 1 {
			return in, away
		}
		return in, nil
	})
	_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
	require.NoError(t, err)
	_, err = w.Run(t.Context(), card.ProposalID)
	require.ErrorIs(t, err, away)
	require.Equal(t, "applying", w.audit(t, card.ProposalID))

	applied, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, applied.Status)
}

// When the target has changed, nothing is applied, and the card shows what the change would be now.
func TestDriftIsRefusedWithAFreshDiff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	w.onApply(func(tool.Caller, boxInput) (boxInput, error) {
		return boxInput{}, problem.Errorf(problem.Precondition, "It has revision 8.")
	})
	failed := w.begin(t, p, card.ProposalID)
	require.Equal(t, proposal.Failed, failed.Status)
	require.Equal(t, problem.Drift, failed.Error.Code)
	require.Equal(t, []tool.Change{{Path: "name", After: "A"}}, failed.Error.Diff)
}

// Rights count at the moment of the apply, not at that of the proposal or the decision.
func TestRightsThatWereLostStopTheApply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose func(w *world, id, session uuid.UUID)
		code problem.Code
	}{
		"the rule":    {func(w *world, id, _ uuid.UUID) { w.people.setRules(id) }, problem.Forbidden},
		"the session": {func(w *world, _, session uuid.UUID) { w.people.revoke(session) }, problem.Unauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.people.add("Ada", rule)
			card := w.propose(t, p, "A")
			_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "", "")
			require.NoError(t, err)
			c.lose(w, p.ID, p.SessionID)
			failed, err := w.Run(t.Context(), card.ProposalID)
			require.NoError(t, err)
			require.Equal(t, proposal.Failed, failed.Status)
			require.Equal(t, c.code, failed.Error.Code)
			require.Zero(t, w.applied.Load())
		})
	}
}

func TestWhoLacksTheRuleCannotDecide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	p.Rules = nil
	_, err := w.Begin(t.Context(), p, token, "", "")
	require.Equal(t, []string{rule}, refused(t, err, problem.Forbidden).MissingRules)
	_, err = w.Decline(t.Context(), p, card.ProposalID, "")
	refused(t, err, problem.Forbidden)
	shown, err := w.Get(t.Context(), p, card.ProposalID)
	require.NoError(t, err)
	require.Empty(t, shown.Token, "a proposer who may not apply sees the card without a token")
}

// A token is no right: with it, only who may decide about proposals of others applies one. The record names who did.
func TestAnApplyByAnotherPersonIsOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proposer, applier, thief := w.people.add("Ada", rule), w.people.add("Max", rule, proposal.ManageRule), w.people.add("Eve", rule)
	card := w.propose(t, proposer, "A")
	token := w.token(t, proposer, card.ProposalID)
	_, none := w.Begin(t.Context(), thief, "propose:"+uuid.NewString()+token[len(token)-65:], "", "")
	_, err := w.Begin(t.Context(), thief, token, "", "")
	require.Equal(
		t,
		refused(t, none, problem.NotFound).Detail,
		refused(t, err, problem.NotFound).Detail,
		"nor does it say that the proposal exists",
	)
	require.Zero(t, w.driver.decided.Load())
	_, err = w.Begin(t.Context(), applier, token, "", "")
	require.NoError(t, err)
	applied, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposer.ID, applied.Proposer.ID)
	require.Equal(t, applier.ID, applied.DecidedBy.ID)
	var by uuid.UUID
	require.NoError(
		t,
		w.db.Conn(t.Context()).QueryRow(t.Context(), `SELECT applied_by_id FROM ai_tool_calls WHERE id = $1`, card.ProposalID).Scan(&by),
	)
	require.Equal(t, applier.ID, by)
}
