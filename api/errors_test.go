package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

var rules = []string{"X-Rules", "note.manage"}

func TestEveryRefusalIsAProblemDocument(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&notes{}))
	const text = `{"text":"hi"}`

	s.refused(t, problem.NotFound, http.MethodGet, "/api/nothing", "")
	wrong := s.refused(t, problem.WrongMethod, http.MethodPut, "/api/notes", text, rules...)
	require.Contains(t, wrong.Detail, "The header Allow lists")
	s.refused(t, problem.Unauthorized, http.MethodPost, "/api/notes", text, "X-User", "")
	s.refused(t, problem.Unauthorized, http.MethodPost, "/api/notes", text, "X-User", "expired")
	missing := s.refused(t, problem.Forbidden, http.MethodPost, "/api/notes", text)
	require.Equal(t, []string{"note.manage"}, missing.MissingRules)
	require.Contains(t, missing.Detail, "note.manage")

	for body, path := range map[string]string{
		`{"text":""}`: "text",
		`{"text":"` + strings.Repeat("x", 21) + `"}`: "text",
		`{}`:                    "",
		`{"text":1}`:            "text",
		`{"text":"a","more":1}`: "",
	} {
		e := s.refused(t, problem.Invalid, http.MethodPost, "/api/notes", body, rules...)
		require.NotEmpty(t, e.Issues, body)
		if path != "" {
			require.Equal(t, path, e.Issues[0].Path)
		}
	}
	for _, body := range []string{`{"text"`, `[]`, "\xff", "null", "1"} {
		w := s.do(t, http.MethodPost, "/api/notes", body, rules...)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, w.Code, "%s: %s", body, w.Body)
		require.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	}
	s.refused(t, problem.TooLarge, http.MethodPost, "/api/notes", `{"text":"`+strings.Repeat("x", 2<<20)+`"}`, rules...)
}

func TestAHostFailureIsLoggedAndNotShown(t *testing.T) {
	t.Parallel()
	failure := &notes{before: func(context.Context, string) error {
		return fmt.Errorf("write note: %w", errors.New("password authentication failed for 10.0.0.7"))
	}}
	s := newServer(t, with(failure))
	for _, headers := range [][]string{nil, {"Idempotency-Key", "k1"}} {
		w := s.do(t, http.MethodPost, "/api/notes", `{"text":"hi"}`, append(headers, rules...)...)
		problemOf(t, w, problem.Internal)
		require.NotContains(t, w.Body.String(), "10.0.0.7")
	}
	require.Equal(t, 2, strings.Count(logged.String(), "10.0.0.7"))

	w := s.do(t, http.MethodPost, "/api/notes", `{"text":"hi"}`, "X-User", "broken")
	problemOf(t, w, problem.Internal)
	require.Contains(t, logged.String(), "Authentication failed")
}

// A database that is away is no fault of the server that anybody has to look for: whoever asks is told when to ask again.
func TestADatabaseThatIsAwayIsToldWithATimeToComeBack(t *testing.T) {
	t.Parallel()
	through, relay := storetest.Through(t, storetest.URL(t))
	db, err := store.Open(
		t.Context(),
		through,
		store.Options{MaxConns: 2, StatementTimeout: 300 * time.Millisecond, AcquireTimeout: 2 * time.Second},
	)
	require.NoError(t, err)
	t.Cleanup(db.Close)
	s := newServer(t, func(o *api.Options) { o.DB = db }, with(&notes{before: func(ctx context.Context, _ string) error {
		_, err := db.Conn(ctx).Exec(ctx, `INSERT INTO ai_conversations (id, owner_id) VALUES (gen_random_uuid(), $1)`, alice)
		return err
	}}))
	write := func(headers ...string) *httptest.ResponseRecorder {
		return s.do(t, http.MethodPost, "/api/notes", `{"text":"hi"}`, append(headers, rules...)...)
	}
	for name, strike := range map[string]func(){"away": relay.Away, "frozen": relay.Freeze} {
		for _, headers := range [][]string{nil, {"Idempotency-Key", "key-" + name}} {
			strike()
			w := write(headers...)
			e := problemOf(t, w, problem.Unavailable)
			require.Equal(t, "2", w.Header().Get("Retry-After"), name)
			require.Equal(t, 2*time.Second, e.RetryAfter)
			require.NotContains(t, w.Body.String(), "127.0.0.1")
			relay.Thaw()
			relay.Back()
			require.Eventually(t, func() bool { return write(headers...).Code == http.StatusCreated }, time.Minute, 10*time.Millisecond, name)
		}
	}
}

func TestAPanicIsOneFailedRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&notes{before: func(_ context.Context, text string) error {
		if text == "boom" {
			panic("secret of the handler")
		}
		return nil
	}}))
	for _, headers := range [][]string{nil, {"Idempotency-Key", "k1"}} {
		w := s.do(t, http.MethodPost, "/api/notes", `{"text":"boom"}`, append(headers, rules...)...)
		problemOf(t, w, problem.Internal)
		require.NotContains(t, w.Body.String(), "secret")
	}
	require.Contains(t, logged.String(), "secret of the handler")
	require.Equal(
		t,
		http.StatusCreated,
		s.do(t, http.MethodPost, "/api/notes", `{"text":"hi"}`, append([]string{"Idempotency-Key", "k1"}, rules...)...).Code,
		"the transaction of the failed request is undone, its key is free",
	)
}

func TestAProblemKeepsItsHeadersAndMembers(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&notes{before: func(context.Context, string) error {
		return problem.Errorf(problem.Throttled, "Wait a moment.").After(1500).With("diff", []string{"a"})
	}}))
	w := s.do(t, http.MethodPost, "/api/notes", `{"text":"hi"}`, rules...)
	e := problemOf(t, w, problem.Throttled)
	require.Equal(t, "1", w.Header().Get("Retry-After"))
	require.Equal(t, []any{"a"}, e.Extra["diff"])
}

func TestAnswersCarryTheHeadersThatProtectBrowsers(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&notes{}))
	for _, path := range []string{"/api/notes", "/api/nothing", "/healthz"} {
		h := s.do(t, http.MethodGet, path, "").Header()
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "DENY", h.Get("X-Frame-Options"), path)
		require.Equal(t, "same-origin", h.Get("Referrer-Policy"), path)
	}
	require.Equal(t, "no-store", s.do(t, http.MethodGet, "/api/nothing", "").Header().Get("Cache-Control"))
	policy := s.do(t, http.MethodGet, "/", "").Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'self'")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.NotContains(t, policy, "unsafe-eval")
	require.NotContains(t, policy, "unsafe-inline")
}

func TestOnlyTheDocumentOfTheScriptEditorMayHaveInlineStyles(t *testing.T) {
	t.Parallel()
	s := newServer(t, with(&notes{}))
	policy := func(path string) string {
		return s.do(t, http.MethodGet, path, "").Header().Get("Content-Security-Policy")
	}
	for _, editor := range []string{"/scripts", "/health/editor", "/agents/editor"} {
		require.Equal(t, policy("/")+"; style-src 'self' 'unsafe-inline'", policy(editor))
	}
	for _, path := range []string{"/scripts/x", "/chat", "/assets/scripts"} {
		require.Equal(t, policy("/"), policy(path), path)
	}
}

// A page of another site can make a browser send requests with the person's cookie. They are refused.
func TestRequestsFromOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	written := &notes{}
	s := newServer(t, with(written), func(o *api.Options) { o.TrustedOrigins = []string{"https://ops.example.com"} })
	const text = `{"text":"hi"}`
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example.com"},
		{"Origin", "null"},
	} {
		e := s.refused(t, problem.Forbidden, http.MethodPost, "/api/notes", text, append(headers, rules...)...)
		require.Contains(t, e.Detail, "another web site")
	}
	require.Zero(t, written.count())
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "same-origin"},
		{"Origin", "http://example.com"}, // the host of the request
		{"Origin", "https://ops.example.com", "Sec-Fetch-Site", "cross-site"},
		{}, // no browser
	} {
		require.Equal(t, http.StatusCreated, s.do(t, http.MethodPost, "/api/notes", text, append(headers, rules...)...).Code, headers)
	}
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "", "Sec-Fetch-Site", "cross-site").Code, "reading changes nothing")
}

// A page that one person has left open sends the cookie of whoever has signed in since.
func TestARequestIsMadeForThePersonWhomItNames(t *testing.T) {
	t.Parallel()
	written := &notes{}
	s := newServer(t, with(written))
	const text = `{"text":"hi"}`
	other := uuid.NewString()
	e := s.refused(t, problem.Unauthorized, http.MethodPost, "/api/notes", text, append([]string{"Countersign-Person", other}, rules...)...)
	require.Contains(t, e.Detail, "Another user")
	require.NotContains(t, e.Detail, alice.String())
	require.Zero(t, written.count())
	require.Equal(
		t,
		http.StatusCreated,
		s.do(t, http.MethodPost, "/api/notes", text, append([]string{"Countersign-Person", alice.String()}, rules...)...).Code,
	)
	signedOut := s.refused(t, problem.Unauthorized, http.MethodPost, "/api/notes", text, "X-User", "", "Countersign-Person", other)
	require.Contains(t, signedOut.Detail, "Sign in first", "nobody is somebody else")
}

func TestAnOriginThatMakesNoSenseIsAnErrorAtStart(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, err := api.New(
		api.Options{DB: s.db, Log: discard, Authenticator: headerAuthenticator{}, TrustedOrigins: []string{"ops.example.com/path"}},
	)
	require.ErrorContains(t, err, "ops.example.com/path")
	_, err = api.New(api.Options{})
	require.Error(t, err)
}
