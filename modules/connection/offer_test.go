package connection_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/modules/connection"
)

const offerPath = "/api/ai/provider-models"

// lists serves an answer to the question for models and notes the keys that came with it.
func lists(t *testing.T, status int, body string) (base string, keys *[]string) {
	t.Helper()
	keys = &[]string{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		*keys = append(*keys, r.Header.Get("Authorization"))
		mu.Unlock()
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", keys
}

func (a *app) offered(t *testing.T, question any) connection.ModelsAnswer {
	t.Helper()
	answer := a.do(t, "*", http.MethodPost, offerPath, question)
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	return apitest.Decode[connection.ModelsAnswer](t, answer)
}

func TestModelsOfAConnectionThatIsNotSaved(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	base, keys := lists(t, http.StatusOK, `{"data":[{"id":"b-model"},{"id":"A-model","context_length":131072},{"id":"b-model"}]}`)
	got := a.offered(t, map[string]any{"baseUrl": base, "apiKey": key})
	require.Equal(t, "listed", got.Outcome)
	require.Equal(t, []connection.OfferedModel{{ID: "A-model", WindowTokens: new(131072)}, {ID: "b-model"}}, got.Models)
	require.Equal(t, []string{"Bearer " + key}, *keys)
	all, err := a.List(t.Context())
	require.NoError(t, err)
	for _, c := range all {
		require.NotEqual(t, base, c.BaseURL, "nothing is stored")
	}
}

// A stored key goes to the server that it was stored for and to no other, whatever address the request has.
func TestAStoredKeyGoesToItsOwnServerOnly(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	const said = `{"data":[{"id":"m"}]}`
	own, atOwn := lists(t, http.StatusOK, said)
	foreign, atForeign := lists(t, http.StatusOK, said)
	n := valid("Stored")
	n.BaseURL = own
	c, err := a.Create(t.Context(), n)
	require.NoError(t, err)

	require.Equal(t, "listed", a.offered(t, map[string]any{"connectionId": c.ID}).Outcome)
	require.Equal(t, "listed", a.offered(t, map[string]any{"connectionId": c.ID, "baseUrl": own + "/other"}).Outcome)
	require.Equal(t, []string{"Bearer " + key, "Bearer " + key}, *atOwn)
	for _, other := range []string{foreign, strings.Replace(own, "127.0.0.1", "localhost", 1), strings.Replace(foreign, "http://", "HTTP://", 1)} {
		a.offered(t, map[string]any{"connectionId": c.ID, "baseUrl": other})
	}
	require.Equal(t, []string{"", ""}, *atForeign)
	require.NotContains(t, (*atOwn)[2:], "Bearer "+key)
	a.offered(t, map[string]any{"connectionId": c.ID, "baseUrl": foreign, "apiKey": "sk-typed-0123456789"})
	require.Equal(t, "Bearer sk-typed-0123456789", (*atForeign)[2])
	require.Equal(t, http.StatusNotFound, a.do(t, "*", http.MethodPost, offerPath, map[string]any{"connectionId": uuid.New()}).Status)
}

func TestWhatIsNoListOfModels(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	for name, test := range map[string]struct {
		status         int
		body           string
		outcome, words string
	}{
		"the key is refused": {
			http.StatusUnauthorized,
			`{"error":{"message":"Incorrect API key provided: ` + key + `"}}`, "refused", "does not accept the key",
		},
		"no such path":   {http.StatusNotFound, `{"detail":"Not Found"}`, "noList", "type the model's name"},
		"no such method": {http.StatusMethodNotAllowed, ``, "noList", "type the model's name"},
		"an empty list":  {http.StatusOK, `{"data":[]}`, "noList", "is empty"},
		"a web page":     {http.StatusOK, `<html><title>Welcome</title>` + key + `</html>`, "unreadable", "no list of models"},
		"no JSON":        {http.StatusOK, `hello ` + key, "unreadable", "no list of models"},
		"another JSON":   {http.StatusOK, `{"data":"none"}`, "unreadable", "no list of models"},
		"nothing":        {http.StatusOK, ``, "unreadable", "no list of models"},
		"ten megabytes": {
			http.StatusOK, `{"data":[{"id":"` + strings.Repeat("x", 10<<20) + `"}]}`, "unreadable",
			"no list of models",
		},
		"a failure":            {http.StatusInternalServerError, `{"error":{"message":"out of order"}}`, "unreachable", "status 500"},
		"a page of a failure":  {http.StatusBadGateway, `<html><title>Bad gateway</title></html>`, "unreachable", "status 502"},
		"deeply nested":        {http.StatusOK, strings.Repeat(`[`, 100_000), "unreadable", "no list of models"},
		"a list of no objects": {http.StatusOK, `[1,null,"x",[]]`, "noList", "is empty"},
	} {
		base, _ := lists(t, test.status, test.body)
		got := a.offered(t, map[string]any{"baseUrl": base, "apiKey": key})
		require.Equal(t, test.outcome, got.Outcome, "%s: %s", name, got.Message)
		require.Contains(t, got.Message, test.words, name)
		for _, quoted := range []string{key, "Welcome", "hello", "out of order", "Bad gateway", "Not Found", "Incorrect"} {
			require.NotContains(t, got.Message, quoted, "%s: what a port of this machine answers is not shown", name)
		}
		require.NotNil(t, got.Models, name)
		require.Empty(t, got.Models, name)
	}
	absent := a.offered(t, map[string]any{"baseUrl": "http://127.0.0.1:1/v1", "apiKey": key})
	require.Equal(t, "unreachable", absent.Outcome)
	require.Contains(t, absent.Message, "could not be reached")
}

func TestAHostileListOfModels(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	var long strings.Builder
	long.WriteString(`{"data":[`)
	for i := range 10_000 {
		_, _ = fmt.Fprintf(&long, `{"id":"model-%05d","context_length":%d},`, i, 4096+i)
	}
	long.WriteString(`{"id":"last"}]}`)
	base, _ := lists(t, http.StatusOK, long.String())
	got := a.offered(t, map[string]any{"baseUrl": base})
	require.Len(t, got.Models, 2000)
	require.Equal(t, 8001, got.LeftOut)

	base, _ = lists(
		t,
		http.StatusOK,
		`{"data":[{"id":"good"},{"id":"evil\u202etpg"},{"id":"\u0000zero"},{"id":"line\nbreak"},{"id":"hid\u200bden"},{"id":"`+strings.Repeat(
			"n",
			5000,
		)+`"},
		{"id":"big","context_length":1e300},{"id":"less","context_length":-5},{"id":"odd","context_length":{"a":1}}]}`,
	)
	got = a.offered(t, map[string]any{"baseUrl": base})
	require.Equal(t, []connection.OfferedModel{{ID: "big"}, {ID: "good"}, {ID: "less"}, {ID: "odd"}}, got.Models)
	require.Equal(t, 5, got.LeftOut)
}

// A redirect is not followed, wherever it leads, and addresses of metadata services are not asked at all.
func TestAProviderLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	var reached atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		_, _ = io.WriteString(w, `{"data":[{"id":"inside"}]}`)
	}))
	t.Cleanup(inside.Close)
	for _, to := range []string{inside.URL + "/v1/models", "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd"} {
		leads := httptest.NewServer(http.RedirectHandler(to, http.StatusTemporaryRedirect))
		t.Cleanup(leads.Close)
		got := a.offered(t, map[string]any{"baseUrl": leads.URL + "/v1", "apiKey": key})
		require.Equal(t, "failed", got.Outcome, got.Message)
		require.Contains(t, got.Message, "redirects to another address")
	}
	require.Zero(t, reached.Load())
	for _, base := range []string{"http://169.254.169.254/v1", "http://trap.example.org/v1", "http://[fd00:ec2::254]/v1", "ftp://models.example.org/v1", "http://user:pass@models.example.org/v1", ""} {
		answer := a.do(t, "*", http.MethodPost, offerPath, map[string]any{"baseUrl": base, "apiKey": key})
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", base, answer.Body)
	}
}

func TestOnlyWhoManagesConnectionsAsksProviders(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	base, keys := lists(t, http.StatusOK, `{"data":[{"id":"m"}]}`)
	for _, rules := range []string{connection.Read, connection.ChatRead, "ai.turn.read", "catalog.system.manage"} {
		require.Equal(t, http.StatusForbidden, a.do(t, rules, http.MethodPost, offerPath, map[string]any{"baseUrl": base}).Status, rules)
	}
	require.Equal(t, http.StatusUnauthorized, a.do(t, "", http.MethodPost, offerPath, map[string]any{"baseUrl": base}).Status)
	require.Empty(t, *keys)
	refused := 0
	for range 40 {
		if answer := a.do(
			t,
			connection.Manage,
			http.MethodPost,
			offerPath,
			map[string]any{"baseUrl": base},
		); answer.Status == http.StatusTooManyRequests {
			require.Contains(t, answer.Body, "Wait")
			refused++
		}
	}
	require.Positive(t, refused, "one who asks on and on has to wait")
	require.LessOrEqual(t, len(*keys), 35)
}
