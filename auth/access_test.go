package auth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/auth/credential"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
)

const resource = "https://ops.example.org/mcp"

func reachable(o *auth.Options) { o.URL = "https://ops.example.org/" }

// connect lets a program act for a user, and returns the consent and its access token.
func (a *app) connect(t testing.TB, user uuid.UUID, audience string, scopes ...string) (consent uuid.UUID, token string) {
	t.Helper()
	client, consent := uuid.New(), uuid.New()
	text, hash := credential.New()
	a.exec(
		t,
		"INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris) VALUES ($1, $2, 'registered', 'Editor', '{https://client.example/cb}')",
		client,
		client.String(),
	)
	a.exec(
		t,
		"INSERT INTO oauth_consents (id, user_id, client, scopes, resource, expires_at) VALUES ($1, $2, $3, $4, $5, now() + interval '1 day')",
		consent,
		user,
		client,
		scopes,
		audience,
	)
	a.exec(
		t,
		"INSERT INTO oauth_tokens (hash, consent_id, kind, expires_at) VALUES ($1, $2, 'access', now() + interval '1 hour')",
		hash,
		consent,
	)
	return consent, auth.AccessPrefix + text
}

func at(path string) with {
	return func(r *http.Request) { r.URL.Path = path }
}

func TestAProgramActsAsThePersonWithTheirRightsOfThisMoment(t *testing.T) {
	t.Parallel()
	a := newApp(t, reachable)
	role := a.role(t, "Editors", "catalog.system.manage")
	ada := a.user(t, "ada@example.org", role.ID)
	consent, token := a.connect(t, ada.ID, resource, principal.ScopeRead, principal.ScopeWrite)

	p, err := a.principalOf(t, bearer(token), at(auth.ResourcePath))
	require.NoError(t, err)
	require.Equal(t, principal.User, p.Kind)
	require.Equal(t, ada.ID, p.ID)
	require.Equal(t, consent, p.SessionID)
	require.NotEmpty(t, p.Client.ID)
	require.Equal(t, &principal.Client{ID: p.Client.ID, Name: "Editor", Scopes: []string{principal.ScopeRead, principal.ScopeWrite}}, p.Client)
	require.False(t, p.ReadOnly())
	require.True(t, p.Has("catalog.system.manage"))
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM oauth_consents WHERE last_used_at > now() - interval '1 minute'"))

	loaded, err := a.Authenticator.Load(t.Context(), principal.User, ada.ID, consent)
	require.NoError(t, err)
	require.Equal(t, p, loaded)

	a.exec(t, "DELETE FROM user_roles")
	p, err = a.principalOf(t, bearer(token), at(auth.ResourcePath))
	require.NoError(t, err)
	require.False(t, p.Has("catalog.system.manage"))
}

func TestAnAccessTokenIsForOneAddressAlone(t *testing.T) {
	t.Parallel()
	a := newApp(t, reachable)
	ada := a.user(t, "ada@example.org")
	_, token := a.connect(t, ada.ID, resource, principal.ScopeRead)
	_, foreign := a.connect(t, ada.ID, "https://other.example.org/mcp", principal.ScopeRead)
	for _, path := range []string{"/api/me", "/api/users", "/mcp/", "/mcp/x", "/MCP", "/"} {
		_, err := a.principalOf(t, bearer(token), at(path))
		require.True(t, problem.Is(err, problem.Unauthorized), path)
	}
	_, err := a.principalOf(t, bearer(foreign), at(auth.ResourcePath))
	require.True(t, problem.Is(err, problem.Unauthorized))
	require.Equal(t, http.StatusUnauthorized, a.do(t, http.MethodGet, "/api/me", nil, bearer(token)).status)
	require.Equal(t, 0, a.count(t, "SELECT count(*) FROM oauth_consents WHERE last_used_at IS NOT NULL"))

	nowhere := newProcess(t, a.db, a.key)
	_, err = nowhere.principalOf(t, bearer(token), at(auth.ResourcePath))
	require.True(t, problem.Is(err, problem.Unauthorized), "a server that does not know its address has no tokens")
}

func TestAnAccessTokenEndsWithWhatItRestsOn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"the token is old":      "UPDATE oauth_tokens SET expires_at = now() - interval '1 second'",
		"it is a refresh token": "UPDATE oauth_tokens SET kind = 'refresh'",
		"the consent is old":    "UPDATE oauth_consents SET expires_at = now() - interval '1 second'",
		"it was taken back":     "DELETE FROM oauth_consents",
		"disabled":              "UPDATE users SET disabled = true",
		"a foreign password":    "UPDATE users SET must_change_password = true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, reachable)
			ada := a.user(t, "ada@example.org")
			_, token := a.connect(t, ada.ID, resource, principal.ScopeRead)
			_, err := a.principalOf(t, bearer(token), at(auth.ResourcePath))
			require.NoError(t, err)
			a.exec(t, end)
			_, err = a.principalOf(t, bearer(token), at(auth.ResourcePath))
			require.True(t, problem.Is(err, problem.Unauthorized))
		})
	}
}

func TestAProgramThatMayReadChangesNothing(t *testing.T) {
	t.Parallel()
	a := newApp(t, reachable)
	ada := a.user(t, "ada@example.org", auth.AdminRole)
	a.user(t, "bob@example.org")
	for _, scopes := range [][]string{{principal.ScopeRead}, {principal.ScopeRead, principal.ScopeWrite}} {
		_, token := a.connect(t, ada.ID, resource, scopes...)
		p, err := a.principalOf(t, bearer(token), at(auth.ResourcePath))
		require.NoError(t, err)
		client := a.inProcess(a.Delegator.Mint(p, uuid.New(), time.Minute))
		_, err = client.Get(t.Context(), "/api/users", nil)
		require.NoError(t, err)
		_, err = client.Do(t.Context(), http.MethodPost, "/api/teams", map[string]any{"name": "By " + scopes[len(scopes)-1]}, nil)
		if !p.ReadOnly() {
			require.NoError(t, err)
			continue
		}
		require.True(t, problem.Is(err, problem.Forbidden))
		require.Equal(t, principal.ScopeWrite, problem.As(err).Extra["missingScope"])
		require.Contains(t, a.Authenticator.Challenge(err), `error="insufficient_scope"`)
	}
	require.Equal(t, 1, a.count(t, "SELECT count(*) FROM teams WHERE name LIKE 'By %'"))
}

func TestNoProgramHandlesPasswordsAndSessions(t *testing.T) {
	t.Parallel()
	a := newApp(t, reachable)
	ada := a.user(t, "ada@example.org")
	consent, token := a.connect(t, ada.ID, resource, principal.ScopeRead, principal.ScopeWrite)
	p, err := a.principalOf(t, bearer(token), at(auth.ResourcePath))
	require.NoError(t, err)
	client := a.inProcess(a.Delegator.Mint(p, uuid.New(), time.Minute))
	_, err = client.Do(
		t.Context(),
		http.MethodPost,
		"/api/auth/password",
		map[string]any{"currentPassword": goodPassword, "newPassword": "another one"},
		nil,
	)
	require.True(t, problem.Is(err, problem.Forbidden))
	_, err = client.Get(t.Context(), "/api/auth/sessions", nil)
	require.True(t, problem.Is(err, problem.Forbidden))

	// What it does in the background ends with the consent.
	a.exec(t, "DELETE FROM oauth_consents WHERE id = $1", consent)
	_, err = client.Get(t.Context(), "/api/me", nil)
	require.True(t, problem.Is(err, problem.Unauthorized))
}

func TestAnotherPasswordDisconnectsPrograms(t *testing.T) {
	t.Parallel()
	a := newApp(t, reachable)
	a.user(t, "root@example.org", auth.AdminRole)
	ada := a.user(t, "ada@example.org")
	a.connect(t, ada.ID, resource, principal.ScopeRead)
	session := a.signIn(t, "ada@example.org")
	changed := a.do(
		t,
		http.MethodPost,
		"/api/auth/password",
		map[string]any{"currentPassword": goodPassword, "newPassword": "another one"},
		session,
	)
	require.Equal(t, http.StatusNoContent, changed.status, string(changed.body))
	require.Zero(t, a.count(t, "SELECT count(*) FROM oauth_consents"))

	a.connect(t, ada.ID, resource, principal.ScopeRead)
	_, err := a.Directory.UpdateUser(t.Context(), root, ada.ID, auth.UserChange{Disabled: new(true)}, nil)
	require.NoError(t, err)
	require.Zero(t, a.count(t, "SELECT count(*) FROM oauth_consents"))
}

func TestTheChallengeSaysWhereToAskForAToken(t *testing.T) {
	t.Parallel()
	a := newApp(t, reachable)
	const first = `Bearer resource_metadata="https://ops.example.org/.well-known/oauth-protected-resource/mcp", scope="countersign:read countersign:write"`
	require.Equal(t, first, a.Authenticator.Challenge(nil))
	require.Equal(t, first, a.Authenticator.Challenge(problem.MissingRule("see it", "a.b.read")), "another token does not help")
	require.Equal(t, first+`, error="invalid_token"`, a.Authenticator.Challenge(problem.Errorf(problem.Unauthorized, "No.")))
	require.Equal(t, first+`, error="insufficient_scope"`, a.Authenticator.Challenge(tool.ReadOnly("change it")))
}
