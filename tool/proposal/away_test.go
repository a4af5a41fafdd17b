package proposal_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/tool/proposal"
)

// While no workflow can be told, waiting is in vain: the decision stands, and whoever made it is told so.
func TestAnApplyDoesNotWaitForAnEngineThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	w.driver.fail.Store(true)
	applying, err := w.Apply(t.Context(), p, token, "key", "", time.Hour)
	require.NoError(t, err)
	require.Equal(t, proposal.Applying, applying.Status)

	again, err := w.Apply(t.Context(), p, token, "key", "", time.Hour)
	require.NoError(t, err, "a repeat is told the same")
	require.Equal(t, proposal.Applying, again.Status)

	w.driver.fail.Store(false)
	done, err := w.Run(t.Context(), card.ProposalID)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, done.Status)
	last, err := w.Apply(t.Context(), p, token, "key", "", time.Hour)
	require.NoError(t, err)
	require.Equal(t, proposal.Applied, last.Status)
}
