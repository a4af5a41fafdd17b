package oauth_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/auth/oauth"
)

// Programs drop a registration and make another one on invalid_client (RFC 6749, 5.2).
func TestAClientIDThatIsNotKnownIsNoClient(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	got := ada.connected(t, editor)
	code := ada.code(t, editor)
	s.exec(t, "DELETE FROM oauth_clients")
	for name, answer := range map[string]tokenAnswer{
		"a refresh":         editor.refresh(t, got.RefreshToken),
		"a code":            editor.exchange(t, code),
		"another grant":     editor.refresh(t, got.RefreshToken, "grant_type", "password"),
		"nonsense":          editor.refresh(t, "x", "client_id", "nobody"),
		"what is no text":   editor.refresh(t, "x", "client_id", "a\x00b"),
		"an address":        editor.refresh(t, "x", "client_id", "https://client.example/metadata.json"),
		"too long a text":   editor.refresh(t, "x", "client_id", strings.Repeat("x", 501)),
		"a revocation":      s.post(t, oauth.RevokePath, url.Values{"token": {got.RefreshToken}, "client_id": {editor.id}}),
		"no client":         editor.refresh(t, "x", "client_id", "-"),
		"a resource beside": editor.refresh(t, got.RefreshToken, "resource", "https://other.example/mcp"),
	} {
		require.Equal(t, http.StatusUnauthorized, answer.status, name)
		require.Equal(t, "invalid_client", answer.Error, name)
		require.Empty(t, answer.AccessToken, name)
	}

	again := s.registered(t)
	require.Equal(t, "invalid_grant", again.refresh(t, got.RefreshToken).Error, "a known program with a token that is not good")
	require.Equal(t, http.StatusOK, again.refresh(t, ada.connected(t, again).RefreshToken).status)
}

// A refusal names the scheme that the program has tried (RFC 6749, 5.2).
func TestAProgramThatTriesBasicIsAnsweredInItsScheme(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for want, header := range map[string]string{`Basic realm="countersign"`: "Basic eDp5", "": "Bearer x"} {
		body := strings.NewReader(url.Values{"grant_type": {"refresh_token"}, "client_id": {"nobody"}}.Encode())
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+oauth.TokenPath, body)
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", header)
		answer := do(t, caller, r, nil)
		require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
		require.Equal(t, want, answer.Header.Get("WWW-Authenticate"))
	}
}

// A registration that nobody has connected lives for 30 days, and a connected one as long as its connection.
func TestHowLongARegistrationIsKnown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	unconnected, connected, idle := s.registered(t), s.registered(t), s.registered(t)
	got := ada.connected(t, connected)
	ada.connected(t, idle)
	s.exec(t, `UPDATE oauth_consents SET expires_at = now() - interval '1 second'
		WHERE client = (SELECT id FROM oauth_clients WHERE client_id = $1)`, idle.id)
	s.exec(t, "DELETE FROM oauth_codes")
	age := func(of *program, days int) {
		t.Helper()
		s.exec(t, `UPDATE oauth_clients SET created_at = now() - make_interval(days => $2),
			allowed_at = CASE WHEN allowed_at IS NOT NULL THEN now() - make_interval(days => $2) END WHERE client_id = $1`, of.id, days)
		require.NoError(t, s.programs.Sweep(t.Context()))
	}
	known := func(of *program) bool {
		t.Helper()
		s.exec(t, "DELETE FROM throttled_failures")
		return of.refresh(t, "csr_x").Error == "invalid_grant"
	}
	age(unconnected, 29)
	require.True(t, known(unconnected))
	age(unconnected, 31)
	require.False(t, known(unconnected))
	age(idle, 89)
	require.True(t, known(idle))
	age(idle, 91)
	require.False(t, known(idle))
	age(connected, 400)
	require.True(t, known(connected))
	require.Equal(t, http.StatusOK, connected.refresh(t, got.RefreshToken).status)
}

// One address is one resource, however its end, its host and its port are written.
func TestTheResourceInItsSpellings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	editor := s.registered(t)
	for _, same := range []string{s.url + "/mcp", s.url + "/mcp/", strings.Replace(s.url, "http", "HTTP", 1) + "/mcp"} {
		code := ada.code(t, editor, "resource", same)
		got := editor.exchange(t, code, "resource", same)
		require.Equal(t, http.StatusOK, got.status, same)
		got = editor.refresh(t, got.RefreshToken, "resource", same)
		require.Equal(t, http.StatusOK, got.status, same)
		_, status := s.acts(t, got.AccessToken)
		require.Equal(t, http.StatusOK, status, same)
	}
	for _, other := range []string{
		s.url, s.url + "/", s.url + "/mcp/x", s.url + "/MCP", s.url + "/mcp?x",
		s.url + "/mcp#x", s.url + "/mcp//", s.url + "1/mcp", "mcp",
	} {
		require.Equal(t, "invalid_target", ada.allows(t, editor.asks("resource", other)).Query().Get("error"), other)
	}
}
