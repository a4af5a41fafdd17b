package connection_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/connection"
)

// apiAt is a provider whose API stands below a path, with a list of models or without. Everything else is a page that is
// not found. asked are the paths that were asked with the key.
func apiAt(t *testing.T, path string, lists bool) (server string, asked func() []string) {
	t.Helper()
	var mu sync.Mutex
	var paths []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if r.Header.Get("Authorization") == "Bearer "+key {
			paths = append(paths, r.URL.Path)
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == path+"/models" && lists:
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"gpt-x"}]}`)
		case r.URL.Path == path+"/chat/completions":
			_, _ = io.WriteString(
				w,
				`{"id":"1","model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`,
			)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"detail":"Not Found"}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return paths
	}
}

func TestACorrectedAddressIsOffered(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for path, written := range map[string][]string{
		"/v1":        {"", "/", "/models", "/chat/completions", "/v1/models", "/v1/models/", "/v1/v1", "/v1/embeddings"},
		"/api/v1":    {"", "/", "/api/v1/models"},
		"/openai/v1": {""},
		"":           {"/v1", "/v1/"},
	} {
		server, _ := apiAt(t, path, true)
		for _, w := range written {
			got := a.offered(t, map[string]any{"baseUrl": server + w, "apiKey": key})
			require.Equal(t, server+path, got.CorrectedURL, "%s%s: %s", server, w, got.Message)
			require.Contains(t, got.Message, got.CorrectedURL)
			took := a.offered(t, map[string]any{"baseUrl": got.CorrectedURL, "apiKey": key})
			require.Equal(t, "listed", took.Outcome)
			require.Empty(t, took.CorrectedURL)
		}
	}
}

func TestAnAddressWithoutItsSchemeIsCompleted(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	server, _ := apiAt(t, "/v1", true)
	bare := strings.TrimPrefix(server, "http://")
	got := a.offered(t, map[string]any{"baseUrl": bare + "/v1", "apiKey": key})
	require.Equal(t, "listed", got.Outcome, got.Message)
	require.Equal(t, server+"/v1", got.CorrectedURL)
	got = a.offered(t, map[string]any{"baseUrl": bare, "apiKey": key})
	require.Equal(t, server+"/v1", got.CorrectedURL, got.Message)
	for _, wrong := range []string{"ftp://" + bare, "no address", "model"} {
		a.do(t, "*", http.MethodPost, offerPath, map[string]any{"baseUrl": wrong}).Refused(t, problem.Invalid)
	}
	n := valid("Connection")
	n.BaseURL = "api.example.com/v1"
	_, err := a.Create(t.Context(), n)
	require.ErrorContains(t, err, "must be an address such as https://api.example.com/v1")
}

// The test of a stored connection corrects its address with its key, which goes to no other server.
func TestATestOffersACorrectedAddress(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, lists := range map[string]bool{"with a list of models": true, "without": false} {
		server, asked := apiAt(t, "/v1", lists)
		n := valid("Connection " + name)
		n.BaseURL = server
		c, err := a.Create(t.Context(), n)
		require.NoError(t, err)
		got := apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, path+"/"+c.ID.String()+"/test", nil))
		require.False(t, got.OK)
		require.Equal(t, server+"/v1", got.CorrectedURL, "%s: %s", name, got.Message)
		require.Contains(t, got.Message, "The API answers at "+server+"/v1")
		require.Contains(t, asked(), "/v1/models")
		stored, err := a.Get(manager(t), c.ID)
		require.NoError(t, err)
		require.Equal(t, server, stored.BaseURL, "nothing is changed")
	}
}

// A gateway that wants a header answers a test at the corrected address, which sends it there, too.
func TestACorrectedAddressIsAskedWithTheHeaders(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("X-Gateway") != "open-sesame" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"detail":"Not Found"}`)
			return
		}
		_, _ = io.WriteString(
			w,
			`{"id":"1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}]}`,
		)
	}))
	t.Cleanup(server.Close)
	n := valid("Behind a gateway")
	n.BaseURL, n.ExtraHeaders = server.URL, []connection.ExtraHeader{{Name: "X-Gateway", Value: new("open-sesame")}}
	c, err := a.Create(t.Context(), n)
	require.NoError(t, err)
	got := apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, path+"/"+c.ID.String()+"/test", nil))
	require.Equal(t, server.URL+"/v1", got.CorrectedURL, got.Message)
}

// What fails for another reason than the address is asked once.
func TestARightAddressIsNotCorrected(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, test := range map[string]struct {
		status int
		body   string
	}{
		"a refused key": {http.StatusUnauthorized, `{"error":{"message":"Incorrect API key"}}`},
		"a failure":     {http.StatusInternalServerError, `{"error":{"message":"out of order"}}`},
		"a busy server": {http.StatusTooManyRequests, `{"error":{"message":"Rate limit reached"}}`},
	} {
		base, keys := lists(t, test.status, test.body)
		require.Empty(t, a.offered(t, map[string]any{"baseUrl": base, "apiKey": key}).CorrectedURL, name)
		require.Len(t, *keys, 1, name)
	}
	server := provider(t)
	n := valid("Another model")
	n.BaseURL, n.DefaultModel = server.URL+"/v1", "none"
	c, err := a.Create(t.Context(), n)
	require.NoError(t, err)
	got := apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, path+"/"+c.ID.String()+"/test", nil))
	require.Contains(t, got.Message, "does not exist")
	require.Empty(t, got.CorrectedURL)
}
