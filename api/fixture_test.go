package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// server is the API with operations of the test's own.
type server struct {
	*api.Server
	db *store.DB
	// echo is the router behind it.
	echo *echo.Echo
}

func newServer(t *testing.T, tune ...func(*api.Options)) *server {
	t.Helper()
	s := &server{db: storetest.New(t)}
	o := api.Options{
		DB: s.db, Log: slog.New(slog.NewTextHandler(logged, nil)), Authenticator: headerAuthenticator{}, IdempotencyKey: []byte("key"),
		Streams: []api.Streams{routerOf{s}}, Version: "test",
	}
	for _, f := range tune {
		f(&o)
	}
	var err error
	s.Server, err = api.New(o)
	require.NoError(t, err)
	return s
}

// with adds operations.
func with(modules ...api.Routes) func(*api.Options) {
	return func(o *api.Options) { o.Modules = append(o.Modules, modules...) }
}

// do makes a request as alice, who may do what the header X-Rules names.
func (s *server) do(t *testing.T, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("X-User", alice.String())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// refused makes a request that has to fail with this code.
func (s *server) refused(t *testing.T, code problem.Code, method, path, body string, headers ...string) *problem.Error {
	t.Helper()
	return problemOf(t, s.do(t, method, path, body, headers...), code)
}

func problemOf(t *testing.T, w *httptest.ResponseRecorder, code problem.Code) *problem.Error {
	t.Helper()
	require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"), "%s", w.Body)
	e := &problem.Error{}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), e), "%s", w.Body)
	require.Equal(t, code, e.Code, "%s", w.Body)
	require.Equal(t, e.GetStatus(), w.Code)
	require.Regexp(t, `^[A-Z].*[.!?]$`, e.Detail)
	return e
}

var alice = uuid.MustParse("0199aa00-0000-7000-8000-00000000a11c")

// headerAuthenticator believes the header X-User, and that a program acts with the scopes of X-Scopes.
type headerAuthenticator struct{}

func (headerAuthenticator) Authenticate(_ context.Context, r *http.Request) (principal.Principal, error) {
	switch user := r.Header.Get("X-User"); user {
	case "":
		return principal.Principal{}, nil
	case "expired":
		return principal.Principal{}, problem.Errorf(problem.Unauthorized, "The token has expired.")
	case "broken":
		return principal.Principal{}, errors.New("the directory is broken")
	default:
		p := principal.Principal{Kind: principal.User, ID: uuid.MustParse(user), Rules: strings.Fields(r.Header.Get("X-Rules"))}
		if scopes := strings.Fields(r.Header.Get("X-Scopes")); len(scopes) > 0 {
			p.Client = &principal.Client{ID: "program", Scopes: scopes}
		}
		return p, nil
	}
}

// routerOf remembers the router.
type routerOf struct{ s *server }

func (r routerOf) Mount(e *echo.Echo) { r.s.echo = e }
func (routerOf) Describe(huma.API)    {}

// notes are a small resource: POST /api/notes stores one and counts the call.
type notes struct {
	mu    sync.Mutex
	calls int
	// before runs in each call.
	before func(ctx context.Context, text string) error
}

type noteBody struct {
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"20"`
		N    int    `json:"n"`
	}
}

func (n *notes) Routes(a huma.API) {
	huma.Register(a, rest.Op("create-note", http.MethodPost, "/api/notes", "Write a note", rest.Rules("note.manage")),
		func(ctx context.Context, in *struct {
			Body struct {
				Text string `json:"text" minLength:"1" maxLength:"20"`
			}
		},
		) (*noteBody, error) {
			n.mu.Lock()
			n.calls++
			calls := n.calls
			n.mu.Unlock()
			if n.before != nil {
				if err := n.before(ctx, in.Body.Text); err != nil {
					return nil, err
				}
			}
			out := &noteBody{}
			out.Body.Text, out.Body.N = in.Body.Text, calls
			return out, nil
		})
}

func (n *notes) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls
}

// logged is what the servers of all tests have logged: the errors of operations go to the log of the first server of a
// process.
var logged = &syncBuffer{}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
