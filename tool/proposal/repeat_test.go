package proposal_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/tool/proposal"
)

// Whichever of them wins, nobody who asks with its key is told that somebody else was first.
func TestConcurrentRepeatsWithOneKeyAllGetTheOutcome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	token := w.token(t, p, w.propose(t, p, "A").ProposalID)
	const repeats = 50
	errs := make([]error, repeats)
	var applying sync.WaitGroup
	for i := range repeats {
		applying.Go(func() { _, errs[i] = w.Begin(t.Context(), p, token, "key-1", "") })
	}
	applying.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, int32(1), w.driver.decided.Load())
}

// The process that took the decision may die before it tells the workflow; the person's repeat waits elsewhere.
func TestWhoWaitsForAnApplyTellsItsWorkflowOnceMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	_, err := w.Begin(t.Context(), p, w.token(t, p, card.ProposalID), "key-1", "")
	require.NoError(t, err)

	waiting, enough := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() {
		defer enough()
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		for w.driver.decided.Load() < 2 {
			select {
			case <-look.C:
			case <-t.Context().Done():
				return
			}
		}
	})
	card, err = w.Await(waiting, card.ProposalID)
	watching.Wait()
	require.NoError(t, err)
	require.Equal(t, proposal.Applying, card.Status)
	require.Equal(t, int32(2), w.driver.decided.Load())
}
