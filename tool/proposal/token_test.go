package proposal_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool/proposal"
)

const validToken = "propose:0199aa00-0000-7000-8000-000000000001.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestATokenHasOneForm(t *testing.T) {
	t.Parallel()
	id, nonce, ok := proposal.ParseToken(validToken)
	require.True(t, ok)
	require.Equal(t, "0199aa00-0000-7000-8000-000000000001", id.String())
	require.Len(t, nonce, 64)

	for name, token := range map[string]string{
		"nothing":         "",
		"no prefix":       strings.TrimPrefix(validToken, "propose:"),
		"another prefix":  strings.Replace(validToken, "propose:", "PROPOSE:", 1),
		"a short nonce":   validToken[:len(validToken)-1],
		"a long nonce":    validToken + "0",
		"an upper nonce":  strings.Replace(validToken, "abcdef", "ABCDEF", 1),
		"no hex":          strings.Replace(validToken, "abcdef", "abcdeg", 1),
		"an upper id":     strings.Replace(validToken, "0199aa00", "0199AA00", 1),
		"an id in braces": "propose:{0199aa00-0000-7000-8000-00000000000}." + strings.Repeat("0", 64),
		"an id as a urn":  "propose:urn:uuid:0199aa00-0000-7000-8000-0000." + strings.Repeat("0", 64),
		"blanks":          " " + validToken,
		"a line break":    validToken + "\n",
		"a dot in the id": strings.Replace(validToken, "-7000-", ".7000.", 1),
	} {
		_, _, ok := proposal.ParseToken(token)
		require.False(t, ok, name)
	}
}

func FuzzParseTokenTakesExactlyWhatItWrites(f *testing.F) {
	f.Add(validToken)
	f.Add("propose:.")
	f.Add(strings.Replace(validToken, "-", "", 4))
	f.Fuzz(func(t *testing.T, token string) {
		id, nonce, ok := proposal.ParseToken(token)
		require.Equal(t, ok, ok && token == "propose:"+id.String()+"."+nonce)
	})
}

func TestTheTokenIsDerivedAndNeverStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card := w.propose(t, p, "A")
	require.Empty(t, card.Token, "only who reads the card gets it")

	token := w.token(t, p, card.ProposalID)
	require.Equal(t, token, w.token(t, p, card.ProposalID), "a reload gives the same")
	_, nonce, ok := proposal.ParseToken(token)
	require.True(t, ok)
	var row string
	require.NoError(
		t,
		w.db.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT p::text || c::text FROM ai_proposals p JOIN ai_tool_calls c USING (id) WHERE id = $1`,
			card.ProposalID,
		).Scan(
			&row,
		),
	)
	require.NotContains(t, row, nonce)

	// With the same database and another key, nothing can be applied.
	stolen := newProcess(t, w.db, w.people, []byte("another key"))
	_, err := stolen.Begin(t.Context(), p, token, "", "")
	refused(t, err, problem.NotFound)
	shown, err := stolen.Get(t.Context(), p, card.ProposalID)
	require.NoError(t, err)
	require.Empty(t, shown.Token)
}

func TestATokenThatIsWrongTellsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.people.add("Ada", rule)
	card, other := w.propose(t, p, "A"), w.propose(t, p, "B")
	_, nonce, _ := proposal.ParseToken(w.token(t, p, other.ProposalID))
	var details []string
	for _, token := range []string{
		"", validToken, "propose:" + card.ProposalID.String() + "." + strings.Repeat("0", 64),
		"propose:" + card.ProposalID.String() + "." + nonce, "propose:" + uuid.NewString() + "." + nonce,
	} {
		_, err := w.Begin(t.Context(), p, token, "", "")
		details = append(details, refused(t, err, problem.NotFound).Detail)
	}
	for _, detail := range details {
		require.Equal(t, details[0], detail, "what exists cannot be found out")
	}
	require.Equal(t, "proposed", w.audit(t, card.ProposalID))
}
