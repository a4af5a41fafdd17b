package proposal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
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
	_, err := w.db.Conn(
		t.Context(),
	).Exec(
		t.Context(),
		"UPDATE throttled_failures SET last_at = last_at + interval '1 hour', kept_until = kept_until + interval '1 hour'",
	)
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

func TestWrongTokensAreOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	token := w.token(t, p, card.ProposalID)
	wrong := token[:len(token)-64] + strings.Repeat("0", 64)
	count := func(query string, args ...any) (n int) {
		t.Helper()
		require.NoError(t, w.db.Conn(t.Context()).QueryRow(t.Context(), query, args...).Scan(&n))
		return n
	}
	for range 30 {
		_, err := w.Begin(t.Context(), p, wrong, "", "")
		require.Error(t, err)
		_, err = w.Begin(t.Context(), p, "nonsense", "", "")
		require.Error(t, err)
	}
	judged := count(`SELECT sum(failures) FROM throttled_failures`)
	const refused = `SELECT count(*) FROM ai_audit_entries WHERE action = 'token-refused' AND object_type = 'ai.proposal'`
	require.Equal(t, judged, count(refused), "each that was judged, and those that had to wait not")
	require.Less(t, judged, 30)
	require.Equal(t, judged, count(refused+` AND principal_kind = 'user' AND principal_id = $1`, p.ID))
	require.Zero(t, count(`SELECT count(*) FROM ai_audit_entries e LEFT JOIN ai_audit_personal p ON p.entry_id = e.id
		WHERE concat_ws(' ', e.*, p.data) ~ '(nonsense|0{64})' OR strpos(concat_ws(' ', e.*, p.data), $1) > 0`, wrong), "nothing of what was sent")
	require.Equal(t, 1, count(`SELECT count(*) FROM ai_proposals WHERE status = 'proposed'`))
}
