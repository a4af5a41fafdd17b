package oauth

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// However a program asks, what is granted has a PKCE digest and known scopes, and the answer goes to the address as it was written.
func FuzzParseRequest(f *testing.F) {
	f.Add(
		"response_type=code&client_id=x&redirect_uri=https%3A%2F%2Fa.example%2F&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&state=1e5",
	)
	f.Add("a=1&a=2")
	f.Add("%zz;")
	f.Fuzz(func(t *testing.T, query string) {
		text := wrapped(query)
		if back, ok := unwrapped(text); ok {
			require.Equal(t, query, back)
		}
		r, refused, err := parseRequest(text, "https://ops.example/mcp")
		if err != nil {
			return
		}
		if refused == nil {
			require.True(t, isDigest(r.challenge))
			require.NotEmpty(t, r.scopes)
		}
		require.NotEmpty(t, r.redirectURI)
		if redirectProblem(r.redirectURI) == "" {
			to := r.answer("https://ops.example", url.Values{"code": {"c"}})
			require.True(t, strings.HasPrefix(to, r.redirectURI))
			parsed, err := url.Parse(to)
			require.NoError(t, err)
			require.Equal(t, "c", parsed.Query().Get("code"))
		}
	})
}

// An address that is good is read alike by whoever reads it: it has a host or a scheme of its own, and nothing that scripts.
func FuzzRedirect(f *testing.F) {
	for _, seed := range []string{"https://a.example/cb", "http://127.0.0.1:1/cb", "org.example:/cb", "cursor://x/y", "javascript:alert(1)", "https://a@b/", "http://localhost/#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if redirectProblem(address) != "" {
			require.False(t, allows([]string{address}, address))
			return
		}
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Empty(t, u.Opaque)
		require.Nil(t, u.User)
		switch u.Scheme {
		case "http":
			require.True(t, isLoopback(u.Hostname()))
		case "https":
			require.NotEmpty(t, u.Host)
		default:
			require.NotContains(t, []string{"javascript", "data", "file", "blob", "about", "vbscript", "filesystem"}, u.Scheme)
		}
		require.True(t, allows([]string{address}, address))
	})
}

func FuzzMetadata(f *testing.F) {
	f.Add([]byte(`{"client_id":"https://a.example/x","client_name":"A","redirect_uris":["https://a.example/cb"]}`))
	f.Add([]byte(`{"redirect_uris":[]}`))
	f.Add([]byte(`{"client_name":"\u202e"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, why := parseMetadata(body)
		if why != "" {
			return
		}
		require.NotEmpty(t, m.RedirectURIs)
		require.NotEmpty(t, m.Name)
		require.LessOrEqual(t, len([]rune(m.Name)), 200)
	})
}
