package oauth_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"github.com/stretchr/testify/require"

	"countersign/auth"
	"countersign/auth/oauth"
	"countersign/internal/egress"
)

const documented = "https://editor.example/oauth/client.json"

// answers stands for the servers of programs: the documents by their addresses.
type answers struct {
	served map[string]func(w http.ResponseWriter)
	asked  atomic.Int32
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked.Add(1)
	serve, ok := a.served[r.URL.String()]
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	w := httptest.NewRecorder()
	serve(w)
	response := w.Result()
	response.Request = r
	return response, nil
}

func document(members map[string]any) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(members)
	}
}

func text(kind, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, body)
	}
}

func serving(a *answers) func(*tuning) {
	return func(o *tuning) {
		o.fetch = &http.Client{Transport: a, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
}

// A stock client that has a metadata document signs in by it, without registering itself.
func TestAStockClientIsKnownByItsDocument(t *testing.T) {
	t.Parallel()
	const redirect = "http://127.0.0.1:50123/cb"
	a := &answers{served: map[string]func(http.ResponseWriter){
		documented: document(
			map[string]any{
				"client_id":                  documented,
				"client_name":                "Editor",
				"redirect_uris":              []string{redirect},
				"token_endpoint_auth_method": "none",
			},
		),
	}}
	s := newSite(t, serving(a))
	ada := s.person(t, "ada@example.org")
	stock, err := sdkauth.NewAuthorizationCodeHandler(&sdkauth.AuthorizationCodeHandlerConfig{
		ClientIDMetadataDocumentConfig: &sdkauth.ClientIDMetadataDocumentConfig{URL: documented},
		DynamicClientRegistrationConfig: &sdkauth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{RedirectURIs: []string{redirect}},
		},
		RedirectURL: redirect,
		Client:      caller,
		AuthorizationCodeFetcher: func(_ context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
			asked, err := url.Parse(args.URL)
			if err != nil {
				return nil, err
			}
			back := ada.allows(t, asked.Query()).Query()
			return &sdkauth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
		},
	})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+auth.ResourcePath, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer csa_x")
	refused, err := caller.Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, refused.StatusCode)
	// It closes the body of the answer.
	require.NoError(t, stock.Authorize(t.Context(), r, refused))
	source, err := stock.TokenSource(t.Context())
	require.NoError(t, err)
	token, err := source.Token()
	require.NoError(t, err)
	p, status := s.acts(t, token.AccessToken)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, documented, p.Client.ID)
	require.Equal(t, "Editor", p.Client.Name)
	require.Equal(t, []string{"document"}, s.column(t, "SELECT kind FROM oauth_clients"), "none has registered itself")
}

func TestAProgramIsKnownByItsDocument(t *testing.T) {
	t.Parallel()
	a := &answers{served: map[string]func(http.ResponseWriter){
		documented: document(
			map[string]any{
				"client_id":                  documented,
				"client_name":                "Editor",
				"redirect_uris":              []string{"http://127.0.0.1/cb"},
				"token_endpoint_auth_method": "none",
			},
		),
	}}
	s := newSite(t, serving(a))
	ada := s.person(t, "ada@example.org")
	editor := &program{s, documented, "http://127.0.0.1:50123/cb", verifier}
	var q oauth.Question
	require.Equal(
		t,
		http.StatusOK,
		ada.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": ada.opens(t, editor.asks().Encode())}, &q),
	)
	require.Equal(t, "editor.example", q.Origin)
	require.Equal(t, "this computer", q.ReturnsTo)
	p, status := s.acts(t, ada.connected(t, editor).AccessToken)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, documented, p.Client.ID)
	require.Equal(t, int32(1), a.asked.Load(), "what was read a moment ago is not read again")

	// What the document takes back is gone when it is read anew.
	a.served[documented] = document(map[string]any{"client_id": documented, "redirect_uris": []string{"https://editor.example/cb"}})
	s.exec(t, "UPDATE oauth_clients SET read_at = now() - interval '11 minutes'")
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		ada.call(t, http.MethodPost, "/api/oauth/decision", map[string]any{"request": ada.opens(t, editor.asks().Encode()), "allow": true}, nil),
	)
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM oauth_clients"))
}

func TestNobodysDocumentStandsForAnotherProgram(t *testing.T) {
	t.Parallel()
	good := map[string]any{"client_id": documented, "redirect_uris": []string{callback}}
	with := func(name string, value any) map[string]any {
		m := map[string]any{name: value}
		for k, v := range good {
			if _, set := m[k]; !set {
				m[k] = v
			}
		}
		return m
	}
	for name, serve := range map[string]func(http.ResponseWriter){
		"another client_id":       document(with("client_id", "https://editor.example/other.json")),
		"almost the same":         document(with("client_id", documented+"/")),
		"none":                    document(with("client_id", "")),
		"a secret":                document(with("token_endpoint_auth_method", "client_secret_post")),
		"a secret in it":          document(with("client_secret", "x")),
		"no addresses":            document(with("redirect_uris", []string{})),
		"a script for an address": document(with("redirect_uris", []string{"javascript:alert(1)"})),
		"too large":               document(with("client_name", strings.Repeat("x", 20<<10))),
		"no JSON":                 text("application/json", "<html>"),
		"a page":                  text("text/html", `{"client_id": "`+documented+`", "redirect_uris": ["`+callback+`"]}`),
		"a member twice":          text("application/json", `{"client_id": "https://evil.example/x", "client_id": "`+documented+`", "redirect_uris": ["`+callback+`"]}`),
		"a member in two cases":   text("application/json", `{"Client_ID": "https://evil.example/x", "client_id": "`+documented+`", "redirect_uris": ["`+callback+`"]}`),
		"gone":                    func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"elsewhere": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://evil.example/x")
			w.WriteHeader(http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &answers{served: map[string]func(http.ResponseWriter){documented: serve, "https://evil.example/x": document(good)}}
			s := newSite(t, serving(a))
			ada := s.person(t, "ada@example.org")
			editor := &program{s, documented, callback, verifier}
			require.Equal(
				t,
				http.StatusUnprocessableEntity,
				ada.call(
					t,
					http.MethodPost,
					"/api/oauth/decision",
					map[string]any{"request": ada.opens(t, editor.asks().Encode()), "allow": true},
					nil,
				),
			)
			require.Zero(t, s.count(t, "SELECT count(*) FROM oauth_clients"))
			require.Equal(t, int32(1), a.asked.Load(), "no redirect is followed")
		})
	}
}

// Whoever has not signed in makes the server read nothing, and whoever has makes it read nothing of its own network.
func TestDocumentsAreReadFromPublicAddressesAlone(t *testing.T) {
	t.Parallel()
	a := &answers{served: map[string]func(http.ResponseWriter){}}
	s := newSite(t, serving(a))
	ada := s.person(t, "ada@example.org")
	stranger := &browser{
		site:   s,
		client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	query := (&program{s, documented, callback, verifier}).asks().Encode()
	require.Equal(
		t,
		http.StatusUnauthorized,
		stranger.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": stranger.opens(t, query)}, nil),
	)
	for _, bad := range []string{
		"http://editor.example/client.json", "https://editor.example", "https://editor.example/", "https://127.0.0.1/client.json", "https://[::1]/client.json", "https://localhost/client.json",
		"https://editor.example/a/../client.json", "https://editor.example/%2e%2e/client.json", "https://u@editor.example/client.json", "https://editor.example/client.json#x",
		"https://EDITOR.example/client.json", "https://editor.example:443/client.json", "https://169.254.169.254/latest/meta-data", "file:///etc/passwd", "https://editor.example\\@127.0.0.1/x",
	} {
		p := &program{s, bad, callback, verifier}
		require.Equal(
			t,
			http.StatusUnprocessableEntity,
			ada.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": ada.opens(t, p.asks().Encode())}, nil),
			bad,
		)
	}
	require.Zero(t, a.asked.Load())

	// A name that leads into the network of the server is refused by the guard, with whom the product reads.
	guarded := newSite(t, func(o *tuning) { o.fetch = egress.New(egress.Options{}).Client(5 * time.Second) })
	bob := guarded.person(t, "bob@example.org")
	var out struct{ Detail string }
	inner := &program{guarded, "https://service.internal/client.json", callback, verifier}
	require.Equal(
		t,
		http.StatusUnprocessableEntity,
		bob.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": bob.opens(t, inner.asks().Encode())}, &out),
	)
	require.Contains(t, out.Detail, "may not reach")
}

func TestOnePersonMakesTheServerReadSoMuch(t *testing.T) {
	t.Parallel()
	a := &answers{served: map[string]func(http.ResponseWriter){}}
	s := newSite(t, serving(a))
	ada := s.person(t, "ada@example.org")
	opened := ada.opens(t, (&program{s, documented, callback, verifier}).asks().Encode())
	for range 30 {
		require.Equal(
			t,
			http.StatusUnprocessableEntity,
			ada.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": opened}, nil),
		)
	}
	require.Equal(t, http.StatusTooManyRequests, ada.call(t, http.MethodPost, "/api/oauth/question", map[string]any{"request": opened}, nil))
	require.Equal(t, int32(30), a.asked.Load())
}
