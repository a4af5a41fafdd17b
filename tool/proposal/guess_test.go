package proposal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/problem"
)

func TestWhoSendsWrongTokensHasToWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.people.add("Ada", rule), w.people.add("Bob", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	wrong := token[:len(token)-64] + strings.Repeat("0", 64)
	for i := range 20 {
		guess := []string{wrong, validToken, "nonsense"}[i%3]
		_, err := w.Begin(t.Context(), p, guess, "", "")
		require.True(t, problem.Is(err, problem.NotFound), err)
	}
	_, err := w.db.Conn(t.Context()).Exec(t.Context(), "UPDATE throttled_failures SET last_at = last_at + interval '1 hour', kept_until = kept_until + interval '1 hour'")
	require.NoError(t, err)
	_, err = w.Begin(t.Context(), p, token, "", "")
	require.True(t, problem.Is(err, problem.Throttled), err)
	require.NotZero(t, problem.As(err).RetryAfter)
	_, err = w.Begin(t.Context(), other, wrong, "", "")
	require.True(t, problem.Is(err, problem.NotFound), "everybody by themselves: %v", err)

	_, err = w.db.Conn(t.Context()).Exec(t.Context(), "UPDATE throttled_failures SET last_at = last_at - interval '2 hours'")
	require.NoError(t, err)
	_, err = w.Begin(t.Context(), p, token, "", "")
	require.NoError(t, err)
}
