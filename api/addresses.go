package api

import (
	"net/http"
	"slices"
	"strings"

	"countersign/api/openai"
)

// consentPath is the one page of the web app among the addresses of programs.
const consentPath = "/oauth/consent"

// probed are addresses at which MCP clients look for the event streams and the authorization endpoints of older
// revisions (2024-11-05 and 2025-03-26).
var probed = []string{"/sse", "/message", "/messages", "/authorize", "/token", "/register", "/revoke", "/introspect"}

// isPage reports whether a request can be for a page of the web app. Programs probe addresses for metadata and
// endpoints, and must not take a page for an answer.
func isPage(r *http.Request, mcpPath string) bool {
	path := r.URL.Path
	switch {
	case isAPI(path), slices.Contains(probed, strings.TrimSuffix(path, "/")):
		return false
	case (strings.HasPrefix(path, "/oauth/") || path == "/oauth") && path != consentPath:
		return false
	case mcpPath != "" && (path == mcpPath || strings.HasPrefix(path, mcpPath+"/")):
		return false
	}
	return !slices.Contains(strings.Split(path, "/"), ".well-known") && takesPages(r.Header.Values("Accept"))
}

// takesPages reports whether headers Accept admit HTML; absent ones admit everything.
func takesPages(accept []string) bool {
	kinds := strings.Split(strings.Join(accept, ","), ",")
	return len(accept) == 0 || slices.ContainsFunc(kinds, func(kind string) bool {
		kind, _, _ = strings.Cut(kind, ";")
		return slices.Contains([]string{"", "*/*", "text/*", "text/html", "application/xhtml+xml"},
			strings.ToLower(strings.TrimSpace(kind)))
	})
}

// withoutSlash serves an address of programs with a slash at its end as the one without. A redirect would lose the body
// or the token of many clients.
func withoutSlash(mcpPath string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, slash := strings.CutSuffix(r.URL.Path, "/")
		ofPrograms := slices.ContainsFunc([]string{"/oauth/", "/.well-known/", openai.Path}, func(prefix string) bool {
			return strings.HasPrefix(path, prefix)
		})
		if slash && (ofPrograms || mcpPath != "" && path == mcpPath) {
			address := *r.URL
			address.Path, address.RawPath = path, strings.TrimSuffix(address.RawPath, "/")
			r = r.WithContext(r.Context())
			r.URL = &address
		}
		next.ServeHTTP(w, r)
	})
}
