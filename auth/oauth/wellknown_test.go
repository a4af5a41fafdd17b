package oauth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Programs look for metadata at many addresses. Each holds the right document, or nothing, and nothing is said as JSON.
func TestMetadataIsThereOrNot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, member := range map[string]string{
		"/.well-known/oauth-protected-resource": "resource", "/.well-known/oauth-protected-resource/": "resource",
		"/.well-known/oauth-protected-resource/mcp": "resource", "/.well-known/oauth-protected-resource/mcp/": "resource",
		"/.well-known/oauth-authorization-server": "issuer", "/.well-known/oauth-authorization-server/": "issuer",
	} {
		var m map[string]any
		answer := s.get(t, path, &m)
		require.Equal(t, http.StatusOK, answer.StatusCode, path)
		require.Contains(t, m[member], s.url, path)
	}
	for _, path := range []string{
		"/.well-known/oauth-authorization-server/mcp", "/.well-known/openid-configuration", "/.well-known/openid-configuration/mcp",
		"/.well-known/oauth-protected-resource/v1", "/.well-known/", "/.well-known/mcp.json", "/.well-known/jwks.json",
	} {
		var problem map[string]any
		answer := s.get(t, path, &problem)
		require.Equal(t, http.StatusNotFound, answer.StatusCode, path)
		require.Contains(t, answer.Header.Get("Content-Type"), "json", path)
		if strings.TrimRight(path, "/") != "/.well-known" {
			require.Equal(t, "*", answer.Header.Get("Access-Control-Allow-Origin"),
				"%s: pages of other sites read that it is not there", path)
		}
	}
}

// Addresses with a slash at their end are those without, with no redirect, which would lose a body.
func TestEndpointsWithASlashAtTheirEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.person(t, "ada@example.org")
	var made struct {
		ID string `json:"client_id"`
	}
	raw := strings.NewReader(`{"client_name": "Editor", "redirect_uris": ["` + callback + `"]}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/oauth/register/", raw)
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	require.Equal(t, http.StatusCreated, do(t, caller, r, &made).StatusCode)
	editor := &program{s, made.ID, callback, verifier}
	got := editor.post(t, "/oauth/token/", changed(editor.asks(), []string{
		"grant_type", "authorization_code", "code", ada.code(t, editor), "code_verifier", verifier,
	}))
	require.Equal(t, http.StatusOK, got.status, got)
	r, err = http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/oauth/authorize/?"+editor.asks().Encode(), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, do(t, ada.client, r, nil).StatusCode)
	require.Equal(t, http.StatusOK, editor.post(t, "/oauth/revoke/", changed(editor.asks(), []string{"token", got.RefreshToken})).status)
}
