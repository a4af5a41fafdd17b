package oidc_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/auth/credential"
	"countersign/auth/oidc"
)

func (s *site) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.db.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// chatToken is one that the person makes.
func (b *browser) chatToken(t testing.TB) string {
	t.Helper()
	r, err := http.NewRequestWithContext(
		t.Context(),
		http.MethodPost,
		b.url+"/api/auth/chat-tokens",
		bytes.NewReader([]byte(`{"name":"Editor"}`)),
	)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	response, err := b.client.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var made struct{ Token string }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&made))
	require.NotEmpty(t, made.Token, response.Status)
	return made.Token
}

// accessToken is one of a program that the person has connected.
func (s *site) accessToken(t testing.TB, user uuid.UUID) string {
	t.Helper()
	client, consent := uuid.New(), uuid.New()
	text, hash := credential.New()
	s.exec(
		t,
		`INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris) VALUES ($1, $2, 'registered', 'Editor', '{https://client.example/}')`,
		client,
		client.String(),
	)
	s.exec(
		t,
		`INSERT INTO oauth_consents (id, user_id, client, scopes, resource, expires_at) VALUES ($1, $2, $3, '{countersign:read}', $4, now() + interval '30 days')`,
		consent,
		user,
		client,
		s.Authenticator.Resource(),
	)
	s.exec(
		t,
		`INSERT INTO oauth_tokens (hash, consent_id, kind, expires_at) VALUES ($1, $2, 'access', now() + interval '1 hour')`,
		hash,
		consent,
	)
	return auth.AccessPrefix + text
}

// opens reports whether a token opens the address that it is for.
func (s *site) opens(t testing.TB, path, token string) bool {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+token)
	p, err := s.Authenticator.Authenticate(t.Context(), r)
	return err == nil && !p.IsZero()
}

// Who is in none of the groups any more keeps nothing from when they were.
func TestWhoLeavesTheGroupsKeepsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(f *auth.Federation) {
		f.Groups, f.Roles = []string{"staff"}, map[string]string{"ops": "Operator"}
	})
	s.role(t, "Operator")
	s.idp.claims = map[string]any{"groups": []string{"staff", "ops"}}
	b := s.browser(t)
	require.Equal(t, "/", b.signIn(t, ""))
	me, _ := b.me(t)
	require.ElementsMatch(t, []string{"users", "Operator"}, names(me.Roles))
	chat, access := b.chatToken(t), s.accessToken(t, me.ID)
	require.True(t, s.opens(t, "/v1/models", chat))
	require.True(t, s.opens(t, "/mcp", access))

	s.idp.claims = map[string]any{"groups": []string{"ops"}}
	require.Equal(t, "/sign-in?failed=group", s.browser(t).signIn(t, ""))
	_, status := b.me(t)
	require.Equal(t, http.StatusUnauthorized, status, "the session of before")
	require.False(t, s.opens(t, "/v1/models", chat))
	require.False(t, s.opens(t, "/mcp", access))
	require.Zero(t, s.count(t, `SELECT count(*) FROM user_roles`))
	require.Zero(t, s.count(t, `SELECT (SELECT count(*) FROM oauth_consents) + (SELECT count(*) FROM sessions)`))
	require.Equal(t, 1, s.count(t, `SELECT count(*) FROM ai_audit_entries WHERE summary LIKE 'Signed out everywhere%'`))
	require.Equal(t, "/sign-in?failed=group", s.browser(t).signIn(t, ""))
	require.Equal(
		t,
		1,
		s.count(t, `SELECT count(*) FROM ai_audit_entries WHERE summary LIKE 'Signed out everywhere%'`),
		"there is nothing more to end",
	)
}

// Programs act for somebody whose only way in is the provider as long as a session would: what the provider knows by now, such as that they
// have left, is asked for again and again.
func TestProgramsActForWhoWasAtTheProviderLately(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.browser(t)
	b.signIn(t, "")
	me, _ := b.me(t)
	local, err := s.Directory.CreateUser(t.Context(), root, auth.NewUser{Email: "local@example.org", Name: "Local", Password: "correct horse"})
	require.NoError(t, err)
	chat, access, own := b.chatToken(t), s.accessToken(t, me.ID), s.accessToken(t, local.ID)
	for _, c := range []struct {
		ago   string
		opens bool
	}{{"6 days", true}, {"8 days", false}} {
		s.exec(t, `UPDATE auth_identities SET seen_at = now() - $1::text::interval`, c.ago)
		s.exec(t, `UPDATE sessions SET last_seen_at = now() - interval '2 minutes' WHERE kind = 'chat'`)
		s.exec(t, `UPDATE oauth_consents SET last_used_at = now() - interval '2 minutes'`)
		for range 2 {
			require.Equal(t, c.opens, s.opens(t, "/v1/models", chat), c.ago)
		}
		require.Equal(t, c.opens, s.opens(t, "/mcp", access), c.ago)
		require.True(t, s.opens(t, "/mcp", own), "a local account has another way in")
	}
	require.Equal(t, "/", s.browser(t).signIn(t, ""))
	require.True(t, s.opens(t, "/v1/models", chat))
	require.True(t, s.opens(t, "/mcp", access))
}

func TestAProviderChangesItsKeys(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	require.Equal(t, "/", s.browser(t).signIn(t, ""))
	old := s.idp.key
	for _, kid := range []string{"two", "two"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		s.idp.key, s.idp.kid = key, kid
		require.Equal(t, "/", s.browser(t).signIn(t, ""), "a new key, also under a name that is known")
	}
	s.idp.forge = func(claims []byte) string { return sign(t, old, "one", claims) }
	require.Equal(t, "/sign-in?failed=provider", s.browser(t).signIn(t, ""), "a key that was taken back signs nobody in")
}

// A provider that names itself in its answers does so in each.
func TestAnAnswerNamesItsProvider(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.idp.metadata = map[string]any{"authorization_response_iss_parameter_supported": true}
	require.Equal(t, "/sign-in?failed=provider", s.browser(t).signIn(t, ""))
	s.idp.answer = func(v url.Values) { v.Set("iss", s.idp.url) }
	require.Equal(t, "/", s.browser(t).signIn(t, ""))
}

func TestGroupsStandInTheTokenOrBesideIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(f *auth.Federation) { f.Groups = []string{"staff"} })
	s.idp.claims = map[string]any{"groups": nil}
	s.idp.userinfo = map[string]any{"sub": "ada-1", "groups": []string{"staff"}, "email": "somebody.else@example.org"}
	b := s.browser(t)
	require.Equal(t, "/", b.signIn(t, ""))
	me, _ := b.me(t)
	require.Equal(t, "ada@example.org", me.Email, "what the token says counts")
	s.idp.userinfo = map[string]any{"sub": "ada-1"}
	require.Equal(t, "/sign-in?failed=group", s.browser(t).signIn(t, ""))
}

// Who waits for a provider that does not answer, and goes, waits no longer.
func TestNobodyQueuesForAProviderThatHangs(t *testing.T) {
	t.Parallel()
	asked, release := make(chan struct{}, 10), make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	defer hanging.Close()
	provider, err := oidc.New(oidc.Options{Issuer: hanging.URL, ClientID: "x", RedirectURL: "http://localhost" + auth.CallbackPath()})
	require.NoError(t, err)
	first := make(chan error, 1)
	go func() {
		_, _, err := provider.Begin(t.Context())
		first <- err
	}()
	<-asked
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = provider.Begin(gone)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, asked, "it is asked once for all")
	close(release)
	require.Error(t, <-first)
}
