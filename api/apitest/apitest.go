// Package apitest serves a module's operations in a test, over a database of its own and with test users. A user's name
// is the bearer token.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/tool"
)

// Server is the API with the modules of a test. It authenticates requests and is the directory of user names.
type Server struct {
	DB     *store.DB
	Log    Log
	api    *api.Server
	router tool.Router
	tools  []tool.Tool

	mu     sync.Mutex
	people map[string]principal.Principal
}

// New creates a server without operations, to construct the modules with. Mount completes it.
func New(t testing.TB) *Server {
	t.Helper()
	return &Server{DB: storetest.New(t), people: map[string]principal.Principal{}}
}

// Mount serves the operations of these modules and registers their tools.
func (s *Server) Mount(t testing.TB, modules ...api.Routes) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(&s.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	s.api, err = api.New(api.Options{DB: s.DB, Log: log, Authenticator: s, IdempotencyKey: []byte("key of the test"), Modules: modules})
	require.NoError(t, err)
	s.router.Bind(s.api)
	for _, m := range modules {
		if with, ok := m.(interface{ Tools() []tool.Tool }); ok {
			s.tools = append(s.tools, with.Tools()...)
		}
	}
}

// Person creates and signs in a user with exactly these access rules.
func (s *Server) Person(name string, rules ...string) principal.Principal {
	p := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: name, Rules: rules}
	s.SignIn(name, p)
	return p
}

// SignIn makes a name the credential of a principal, replacing the previous one.
func (s *Server) SignIn(name string, p principal.Principal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.people[name] = p
}

// SignOut removes a credential and its principal.
func (s *Server) SignOut(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.people, name)
}

// Principal returns the principal of a name, zero when there is none.
func (s *Server) Principal(name string) principal.Principal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.people[name]
}

// Authenticate implements api.Authenticator.
func (s *Server) Authenticate(_ context.Context, r *http.Request) (principal.Principal, error) {
	return s.Principal(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")), nil
}

// Names returns the names of the signed-in users among ids.
func (s *Server) Names(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[uuid.UUID]string{}
	for _, p := range s.people {
		for _, id := range ids {
			if p.ID == id && p.Kind == principal.User {
				names[id] = p.Name
			}
		}
	}
	return names, nil
}

// Exec runs SQL that no API call can express, such as backdating a row.
func (s *Server) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.DB.Conn(t.Context()).Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
}

// Count returns the number that a query selects.
func (s *Server) Count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.DB.Conn(t.Context()).QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// Do sends a request as the named user, "" for an anonymous one. A string body is sent unchanged, nil is no body,
// anything else is encoded as JSON. Headers are name, value, name, value.
func (s *Server) Do(t testing.TB, as, method, path string, body any, headers ...string) Answer {
	t.Helper()
	return s.DoIn(t.Context(), t, as, method, path, body, headers...)
}

// DoIn is Do with a request context.
func (s *Server) DoIn(ctx context.Context, t testing.TB, as, method, path string, body any, headers ...string) Answer {
	t.Helper()
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		payload = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		require.NoError(t, err)
		payload = bytes.NewReader(data)
	}
	r := httptest.NewRequestWithContext(ctx, method, path, payload)
	if payload != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Authorization", "Bearer "+as)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.api.ServeHTTP(w, r)
	return Answer{w.Code, w.Result().Header, w.Body.String()}
}

// Answer is a response.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Refused requires a problem with this code and returns it.
func (a Answer) Refused(t testing.TB, code problem.Code) problem.Error {
	t.Helper()
	require.Equal(t, "application/problem+json", a.Header.Get("Content-Type"), a.Body)
	var e problem.Error
	require.NoError(t, json.Unmarshal([]byte(a.Body), &e), a.Body)
	require.Equal(t, code, e.Code, e.Detail)
	require.Equal(t, code.Status(), a.Status)
	return e
}

// Decode requires success and decodes the body.
func Decode[T any](t testing.TB, a Answer) T {
	t.Helper()
	require.Less(t, a.Status, 300, a.Body)
	var v T
	require.NoError(t, json.Unmarshal([]byte(a.Body), &v), a.Body)
	return v
}
