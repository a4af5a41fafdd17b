package oauth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth"
)

func TestAFloodOfRegistrationsIsHeldBackOverAllProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	second := newSite(t, func(o *tuning) { o.db = s.db })
	in := map[string]any{"redirect_uris": []string{callback}}
	for i := range 20 {
		on := []*site{s, second}[i%2]
		require.Equal(t, http.StatusCreated, on.register(t, in, nil).StatusCode, i)
	}
	for _, on := range []*site{s, second} {
		held := on.register(t, in, nil)
		require.Equal(t, http.StatusTooManyRequests, held.StatusCode)
		require.NotEmpty(t, held.Header.Get("Retry-After"))
	}
	require.Equal(t, 20, s.count(t, "SELECT count(*) FROM oauth_clients"))

	// However many there are, those that nobody has used make room.
	s.exec(t, `INSERT INTO oauth_clients (id, client_id, kind, name, redirect_uris, created_at)
		SELECT gen_random_uuid(), 'old' || n, 'registered', 'Flood', '{https://x.example/}', now() - interval '1 hour'
		FROM generate_series(1, 6000) n`)
	s.exec(t, "DELETE FROM throttled_failures")
	require.Equal(t, http.StatusCreated, s.register(t, in, nil).StatusCode)
	require.Equal(t, 5000, s.count(t, "SELECT count(*) FROM oauth_clients"))
	require.Equal(t, 21, s.count(t, "SELECT count(*) FROM oauth_clients WHERE name <> 'Flood'"), "the newest stay")
}

func TestAnAdministratorSwitchesRegistrationOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, chief := s.person(t, "ada@example.org"), s.person(t, "chief@example.org", auth.AdminRole)
	editor := s.registered(t)
	got := ada.connected(t, editor)
	require.Equal(t, http.StatusForbidden, ada.call(t, http.MethodPut, "/api/oauth/registration", map[string]any{"enabled": false}, nil))
	require.Equal(t, http.StatusOK, chief.call(t, http.MethodPut, "/api/oauth/registration", map[string]any{"enabled": false}, nil))
	require.Equal(t, http.StatusForbidden, s.register(t, map[string]any{"redirect_uris": []string{callback}}, nil).StatusCode)
	var m map[string]any
	s.get(t, "/.well-known/oauth-authorization-server", &m)
	require.NotContains(t, m, "registration_endpoint")
	_, status := s.acts(t, got.AccessToken)
	require.Equal(t, http.StatusOK, status, "what is granted stays")
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM ai_audit_entries WHERE object_type = 'oauth.registration'"))
}

func TestARegisteredProgramLooksItselfUpAndGoes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	var made struct {
		ID    string `json:"client_id"`
		URI   string `json:"registration_client_uri"`
		Token string `json:"registration_access_token"`
	}
	require.Equal(
		t,
		http.StatusCreated,
		s.register(
			t,
			map[string]any{"client_name": "Editor", "redirect_uris": []string{callback}, "token_endpoint_auth_method": "client_secret_post"},
			&made,
		).StatusCode,
	)
	ada.connected(t, &program{s, made.ID, callback, verifier})
	managed := func(method, token string) int {
		r, err := http.NewRequestWithContext(t.Context(), method, made.URI, nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		return do(t, caller, r, nil).StatusCode
	}
	require.Equal(t, http.StatusUnauthorized, managed(http.MethodGet, strings.Repeat("A", 43)))
	require.Equal(t, http.StatusUnauthorized, managed(http.MethodDelete, "x"))
	require.Equal(t, http.StatusOK, managed(http.MethodGet, made.Token))
	require.Equal(t, http.StatusNoContent, managed(http.MethodDelete, made.Token))
	require.Equal(t, http.StatusUnauthorized, managed(http.MethodGet, made.Token))
	require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_consents"))
}

func TestOnePersonHasSoManyConnections(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	first := ada.connected(t, editor)
	s.exec(t, `INSERT INTO oauth_consents (id, user_id, client, scopes, resource, created_at, expires_at)
		SELECT gen_random_uuid(), user_id, client, scopes, resource, now() + n * interval '1 second', expires_at FROM oauth_consents, generate_series(1, 60) n`)
	ada.connected(t, editor)
	require.Equal(t, 50, s.count(t, "SELECT count(*) FROM oauth_consents"))
	_, status := s.acts(t, first.AccessToken)
	require.Equal(t, http.StatusUnauthorized, status, "what was used longest ago makes room")
}
