package connection_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/modules/connection"
	"countersign/principal"
	"countersign/secret"
	"countersign/store"
	"countersign/store/storetest"
)

// key is recognisable wherever it might leak to.
const key = "sk-canary-0123456789abcdef"

// holder signs everybody in with the rules named in the bearer token.
type holder struct{}

func (holder) Authenticate(_ context.Context, r *http.Request) (principal.Principal, error) {
	rules := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if rules == "" {
		return principal.Principal{}, nil
	}
	return principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, Rules: strings.Split(rules, ",")}, nil
}

type app struct {
	*connection.Service
	db     *store.DB
	keys   *secret.Keyset
	server *api.Server
}

func newApp(t testing.TB, tune ...func(*connection.Options)) *app {
	t.Helper()
	keys, err := secret.New()
	require.NoError(t, err)
	db := storetest.New(t)
	o := connection.Options{DB: db, Sealer: keys, Demo: func() connection.Endpoint {
		return connection.Endpoint{BaseURL: "http://127.0.0.1:4711/demo/v1", APIKey: "demo-key"}
	}}
	for _, f := range tune {
		f(&o)
	}
	service, err := connection.New(o)
	require.NoError(t, err)
	server, err := api.New(api.Options{DB: db, Log: slog.New(slog.DiscardHandler), Authenticator: holder{}, Modules: []api.Routes{service}})
	require.NoError(t, err)
	return &app{Service: service, db: db, keys: keys, server: server}
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (a *app) do(t testing.TB, rules, method, path string, body any, headers ...string) answer {
	t.Helper()
	var payload io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		payload = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, payload)
	r.Header.Set("Content-Type", "application/json")
	if rules != "" {
		r.Header.Set("Authorization", "Bearer "+rules)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	require.NotContains(t, w.Body.String(), key, "no answer holds a key")
	require.NotContains(t, w.Body.String(), "demo-key")
	return answer{w.Code, w.Result().Header, w.Body.String()}
}

func decode[T any](t testing.TB, a answer) T {
	t.Helper()
	require.Less(t, a.status, 300, a.body)
	var v T
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	return v
}

func valid(name string) connection.NewConnection {
	return connection.NewConnection{Name: name, BaseURL: "https://models.example.org/v1", APIKey: key, DefaultModel: "gpt-x"}
}
