package oauth_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth/oauth"
)

// A program whose answer to a refresh is lost sends the old token again. It is told the same, as long as nobody has used it.
func TestAProgramThatLostTheAnswerIsToldTheSameAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor, other := s.registered(t), s.registered(t)
	first := ada.connected(t, editor)
	lost := editor.refresh(t, first.RefreshToken)
	require.Equal(t, http.StatusOK, lost.status, lost)
	require.Equal(t, "invalid_grant", other.refresh(t, first.RefreshToken).Error, "another program is told nothing")
	for range 2 {
		again := editor.refresh(t, first.RefreshToken)
		require.Equal(t, http.StatusOK, again.status, again)
		require.Equal(t, lost.AccessToken, again.AccessToken)
		require.Equal(t, lost.RefreshToken, again.RefreshToken)
		require.Equal(t, lost.Scope, again.Scope)
		require.InDelta(t, 3600, again.ExpiresIn, 60)
	}
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM oauth_tokens WHERE kind = 'refresh' AND used_at IS NULL"), "there is one successor")
	require.Zero(t, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE action = 'withdrawn'"))

	_, status := s.acts(t, lost.AccessToken)
	require.Equal(t, http.StatusOK, status)
	next := editor.refresh(t, lost.RefreshToken)
	require.Equal(t, http.StatusOK, next.status, "and it goes on")
	require.NotEqual(t, lost.RefreshToken, next.RefreshToken)
	require.NotEqual(t, lost.AccessToken, next.AccessToken)

	t.Log("answers that cross each other are the same")
	answers := make([]tokenAnswer, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = editor.refresh(t, next.RefreshToken) })
	}
	all.Wait()
	for _, answer := range answers {
		require.Equal(t, http.StatusOK, answer.status, answer)
		require.Equal(t, answers[0].RefreshToken, answer.RefreshToken)
		require.Equal(t, answers[0].AccessToken, answer.AccessToken)
	}
}

// Whoever sends the old token when the new ones are in use is not the program that lost them, or the program is not who uses them.
func TestARepeatedRefreshThatIsNoLostAnswerEndsTheConnection(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(t *testing.T, s *site, p *program, after tokenAnswer){
		"the access token was used": func(t *testing.T, s *site, _ *program, after tokenAnswer) {
			_, status := s.acts(t, after.AccessToken)
			require.Equal(t, http.StatusOK, status)
		},
		"the refresh token was used": func(t *testing.T, _ *site, p *program, after tokenAnswer) {
			require.Equal(t, http.StatusOK, p.refresh(t, after.RefreshToken).status)
		},
		"the moment is over": func(t *testing.T, s *site, _ *program, _ tokenAnswer) {
			s.exec(t, "UPDATE oauth_tokens SET used_at = used_at - interval '31 seconds' WHERE used_at IS NOT NULL")
		},
		"the access token was revoked": func(t *testing.T, _ *site, p *program, after tokenAnswer) {
			answer := p.post(t, oauth.RevokePath, url.Values{"token": {after.AccessToken}, "client_id": {p.id}})
			require.Equal(t, http.StatusOK, answer.status)
		},
		"the person may not sign in": func(t *testing.T, s *site, _ *program, _ tokenAnswer) {
			s.exec(t, "UPDATE users SET disabled = true")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			ada := s.person(t, "ada@example.org")
			editor := s.registered(t)
			first := ada.connected(t, editor)
			after := editor.refresh(t, first.RefreshToken)
			require.Equal(t, http.StatusOK, after.status, after)
			happens(t, s, editor, after)
			require.Equal(t, "invalid_grant", editor.refresh(t, first.RefreshToken).Error)
			require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_consents"), "it has ended for both")
			require.Equal(t, 1, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE summary LIKE 'A refresh token came a second time%'"))
			_, status := s.acts(t, after.AccessToken)
			require.Equal(t, http.StatusUnauthorized, status)
			require.Equal(t, "invalid_grant", editor.refresh(t, after.RefreshToken).Error)
		})
	}
}
