package api_test

import (
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/problem"
)

// A program that looks for a document or an endpoint where none is reads that, and never a page of the web app.
func TestProgramsAreAnsweredNoPage(t *testing.T) {
	t.Parallel()
	app := fstest.MapFS{"index.html": {Data: []byte("the app")}, "assets/app.js": {Data: []byte("1")}}
	served := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("mcp at " + r.URL.Path)) })
	s := newServer(t, func(o *api.Options) { o.Web, o.MCP, o.MCPPath = app, served, "/mcp" })
	for _, path := range []string{
		"/mcp/.well-known/oauth-authorization-server", "/mcp/.well-known/oauth-protected-resource", "/mcp/.well-known/openid-configuration",
		"/mcp/sse", "/mcp/messages", "/mcp/x/", "/sse", "/sse/", "/messages", "/message", "/authorize", "/token",
		"/register", "/revoke", "/introspect",
		"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration/mcp", "/chat/.well-known/openid-configuration",
		"/oauth", "/oauth/", "/oauth/userinfo", "/oauth/jwks", "/api/sse",
	} {
		s.refused(t, problem.NotFound, http.MethodGet, path, "")
		s.refused(t, problem.NotFound, http.MethodGet, path, "", "Accept", "text/html,*/*")
		require.Equal(t, http.StatusNotFound, s.do(t, http.MethodHead, path, "").Code, path)
	}
	for _, accept := range []string{"", "text/html,*/*"} {
		w := s.do(t, http.MethodGet, "/v1/sse", "", "Accept", accept)
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Contains(t, w.Body.String(), `"code":"not_found"`, "in the form of the protocol there")
	}
	for _, path := range []string{"/", "/chat", "/nowhere", "/oauth/consent", "/admin/mcp-servers"} {
		for _, accept := range []string{
			"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "*/*", "text/*", "",
			"application/xhtml+xml;q=1",
		} {
			require.Equal(t, "the app", s.do(t, http.MethodGet, path, "", "Accept", accept).Body.String(), "%s %s", path, accept)
		}
		require.Equal(t, "the app", s.do(t, http.MethodGet, path, "").Body.String(), path)
		for _, accept := range []string{"text/event-stream", "application/json", "application/json, text/event-stream", "image/*"} {
			s.refused(t, problem.NotFound, http.MethodGet, path, "", "Accept", accept)
		}
	}
	for _, path := range []string{"/assets/gone.js", "/assets/gone", "/assets/", "/assets", "/x/../assets/gone.css", "/assets/%67one.js"} {
		for _, accept := range []string{"*/*", "text/html,*/*", "", "application/javascript"} {
			s.refused(t, problem.NotFound, http.MethodGet, path, "", "Accept", accept)
			require.Equal(t, http.StatusNotFound, s.do(t, http.MethodHead, path, "", "Accept", accept).Code, path)
		}
	}
	require.Equal(
		t,
		"1",
		s.do(t, http.MethodGet, "/assets/app.js", "", "Accept", "application/javascript").Body.String(),
		"a file is what it is",
	)
	for _, path := range []string{"/mcp", "/mcp/"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			require.Equal(t, "mcp at /mcp", s.do(t, method, path, "").Body.String(), "%s %s", method, path)
		}
	}
	require.Equal(t, http.StatusForbidden, s.do(t, http.MethodGet, "/mcp/", "", "Sec-Fetch-Site", "cross-site").Code,
		"with the checks of the address without")
}
