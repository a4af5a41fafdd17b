package apptest

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// Second is a second administrator, for applies that need another person. The account is created outside of the tested
// decisions.
func (p *Product) Second(t testing.TB) *Client {
	t.Helper()
	p.secondOnce.Do(func() {
		as := Credentials{Email: "second@example.com", Password: p.Admin.Password}
		p.Exec(t, `INSERT INTO users (id, email, name, password_hash)
			SELECT gen_random_uuid(), $1, 'Second Administrator', password_hash FROM users WHERE id = $2`, as.Email, p.Admin.ID)
		p.Exec(
			t,
			`INSERT INTO user_roles (user_id, role_id) SELECT id, '00000000-0000-4000-8000-0000000000ad' FROM users WHERE email = $1`,
			as.Email,
		)
		p.second = p.SignIn(t, as)
	})
	return p.second
}

// Countersign lets Second apply a proposed write. It does nothing for any other response.
func (p *Product) Countersign(t testing.TB, answer Answer) {
	t.Helper()
	var w struct {
		ProposalID uuid.UUID `json:"proposalId"`
		TwoPerson  bool      `json:"twoPerson"`
	}
	if answer.Status != http.StatusAccepted {
		return
	}
	answer.Decode(t, &w)
	require.True(t, w.TwoPerson, "%s", answer.Body)
	p.Second(t).Apply(t, w.ProposalID)
}
