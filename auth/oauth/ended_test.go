package oauth_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/auth/oauth"
	"countersign/internal/principal"
)

// A code that a program holds already ends with the sign-ins of its person, and does not come back with them.
func TestACodeEndsWithTheSignIns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.person(t, "admin@example.org", auth.AdminRole)
	editor := s.registered(t)
	for what, end := range map[string]func(b *browser){
		"a new password of their own": func(b *browser) {
			in := map[string]any{"currentPassword": goodPassword, "newPassword": "another correct horse"}
			require.Equal(t, http.StatusNoContent, b.call(t, http.MethodPost, "/api/auth/password", in, nil))
		},
		"a password that an administrator has set": func(b *browser) {
			_, err := s.Directory.UpdateUser(t.Context(), root, b.id, auth.UserChange{Password: new("another correct horse")}, nil)
			require.NoError(t, err)
		},
		"disabled for a moment": func(b *browser) {
			for _, disabled := range []bool{true, false} {
				_, err := s.Directory.UpdateUser(t.Context(), root, b.id, auth.UserChange{Disabled: &disabled}, nil)
				require.NoError(t, err)
			}
		},
	} {
		ada := s.person(t, what[:1]+"."+what[len(what)-3:]+"@example.org")
		code := ada.code(t, editor)
		end(ada)
		require.Equal(t, "invalid_grant", editor.exchange(t, code).Error, what)
		require.Zero(t, s.count(t, `SELECT count(*) FROM oauth_consents WHERE user_id = $1`, ada.id), what)
	}
}

// Whoever holds a session that is just being ended cannot keep a program in its place.
func TestNobodyAllowsAProgramWhileTheyAreSignedOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, editor := s.person(t, "ada@example.org"), s.registered(t)
	decision := map[string]any{"request": ada.opens(t, editor.asks().Encode()), "allow": true}
	status := make(chan int, 1)
	err := s.db.InTx(t.Context(), func(ctx context.Context) error {
		c := s.db.Conn(ctx)
		if _, err := c.Exec(ctx, `SELECT FROM users WHERE id = $1 FOR UPDATE`, ada.id); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, `DELETE FROM sessions WHERE user_id = $1`, ada.id); err != nil {
			return err
		}
		go func() { status <- ada.call(t, http.MethodPost, "/api/oauth/decision", decision, nil) }()
		require.Eventually(t, func() bool {
			return s.count(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
		}, time.Minute, 5*time.Millisecond, "the click waits for the end of the session")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, <-status)
	require.Zero(t, s.count(t, `SELECT count(*) FROM oauth_codes`))
}

// The page says of a program that an administrator trusts that it does not ask.
func TestThePageSaysWhatATrustedProgramMayDo(t *testing.T) {
	t.Parallel()
	trusted := false
	s := newSite(t, func(with *tuning) {
		with.trusts = func(_ context.Context, c principal.Client) (bool, error) { return trusted && c.Name == "Editor", nil }
	})
	ada, editor := s.person(t, "ada@example.org"), s.registered(t)
	says := func() string {
		var q oauth.Question
		in := map[string]any{"request": ada.opens(t, editor.asks().Encode())}
		require.Equal(t, http.StatusOK, ada.call(t, http.MethodPost, "/api/oauth/question", in, &q))
		require.Len(t, q.Scopes, 2)
		require.Equal(t, write, q.Scopes[1].ID)
		return q.Scopes[1].Text
	}
	require.Contains(t, says(), "waits until you")
	ada.connected(t, editor)
	trusted = true
	require.Contains(t, says(), "without asking you")
	var list struct{ Programs []oauth.ConnectedProgram }
	require.Equal(t, http.StatusOK, ada.call(t, http.MethodGet, "/api/oauth/programs", nil, &list))
	require.Contains(t, list.Programs[0].Scopes[1].Text, "without asking you", "it is said of what is connected already, too")
}
