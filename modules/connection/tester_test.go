package connection_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/connection"
)

// provider is an OpenAI-compatible server that knows one key and one model.
func provider(t *testing.T) *httptest.Server {
	t.Helper()
	refuse := func(w http.ResponseWriter, status int, text string) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": text, "type": "invalid_request_error"}})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+key {
			refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+r.Header.Get("Authorization")+".")
			return
		}
		if r.URL.Path == "/v1/models" {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"gpt-x"},{"id":"gpt-y"}]}`)
			return
		}
		var request struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&request)
		if request.Model != "gpt-x" {
			refuse(w, http.StatusNotFound, "The model `"+request.Model+"` does not exist.")
			return
		}
		_, _ = io.WriteString(
			w,
			`{"id":"1","model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"ready"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
		)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestATestTellsInTheProvidersWords(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	server := provider(t)
	test := func(change func(n *connection.NewConnection)) connection.TestResult {
		n := valid("Connection")
		n.BaseURL = server.URL + "/v1"
		change(&n)
		c, err := a.Create(t.Context(), n)
		require.NoError(t, err)
		got := apitest.Decode[connection.TestResult](t, a.do(t, "*", http.MethodPost, path+"/"+c.ID.String()+"/test", nil))
		require.NoError(t, a.Delete(manager(t), c.ID, nil))
		return got
	}

	good := test(func(*connection.NewConnection) {})
	require.True(t, good.OK, good.Message)
	require.Contains(t, good.Message, "gpt-x answered")
	require.Equal(t, []string{"gpt-x", "gpt-y"}, good.Models)

	wrongModel := test(func(n *connection.NewConnection) { n.DefaultModel = "gpt-9" })
	require.False(t, wrongModel.OK)
	require.Contains(t, wrongModel.Message, "The model `gpt-9` does not exist.")
	require.Equal(t, []string{"gpt-x", "gpt-y"}, wrongModel.Models, "the list helps to correct it")

	wrongKey := test(func(n *connection.NewConnection) { n.APIKey = "sk-wrong-0123456789" })
	require.False(t, wrongKey.OK)
	require.Contains(t, wrongKey.Message, "Incorrect API key provided")
	require.NotContains(t, wrongKey.Message, "sk-wrong-0123456789", "the provider's text quotes the key")

	for name, answer := range map[string]struct {
		status     int
		kind, body string
	}{
		"a page":           {http.StatusOK, "text/html", "<html><title>Vault of keys</title>Vault of keys</html>"},
		"a text":           {http.StatusOK, "text/plain", "Vault of keys"},
		"a failed page":    {http.StatusForbidden, "text/html", "<html><title>Vault of keys</title></html>"},
		"a failed text":    {http.StatusBadRequest, "text/plain", "Vault of keys"},
		"a JSON text":      {http.StatusBadRequest, "application/json", `"Vault of keys"`},
		"JSON of its own":  {http.StatusBadRequest, "application/json", `{"keys":["Vault of keys"]}`},
		"redirect to page": {http.StatusFound, "text/html", "<html><title>Vault of keys</title></html>"},
	} {
		other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", answer.kind)
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.body)
		}))
		t.Cleanup(other.Close)
		notProvider := test(func(n *connection.NewConnection) { n.BaseURL = other.URL })
		require.False(t, notProvider.OK, name)
		text, err := json.Marshal(notProvider)
		require.NoError(t, err)
		require.NotContains(t, string(text), "Vault", "%s: an answer that is no error object of a provider is not shown", name)
	}

	nobody := test(func(n *connection.NewConnection) { n.BaseURL = "http://127.0.0.1:1/v1" })
	require.False(t, nobody.OK)
	require.Contains(t, nobody.Message, "could not be reached")
	require.Contains(t, nobody.Message, "127.0.0.1:1", "whoever manages connections sees the detail")
	require.Equal(t, http.StatusNotFound, a.do(t, "*", http.MethodPost, path+"/00000000-0000-0000-0000-000000000001/test", nil).Status)
}
