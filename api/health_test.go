package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/auth"
	"countersign/internal/problem"
)

var discard = slog.New(slog.DiscardHandler)

func TestReadyMeansThatPeopleAreServed(t *testing.T) {
	t.Parallel()
	var reason, without error
	s := newServer(t, func(o *api.Options) {
		o.Ready = func(context.Context) error { return reason }
		o.Degraded = func(context.Context) error { return without }
	})
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/readyz", "").Code)
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "").Code)

	reason = errors.New("temporal at 10.0.0.8 is away")
	w := s.do(t, http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.NotContains(t, w.Body.String(), "10.0.0.8")
	require.Contains(t, logged.String(), "10.0.0.8")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "").Code, "the process lives")

	reason = nil
	require.JSONEq(t, `{"status":"ready"}`, s.do(t, http.MethodGet, "/readyz", "").Body.String())
	without = errors.New("temporal at 10.0.0.9 is away")
	w = s.do(t, http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusOK, w.Code, "what it can do without is no reason to send people elsewhere")
	require.JSONEq(t, `{"status":"degraded"}`, w.Body.String())
	require.Contains(t, logged.String(), "10.0.0.9")

	s.db.Close()
	require.Equal(t, http.StatusServiceUnavailable, s.do(t, http.MethodGet, "/readyz", "").Code)
}

// Supervisors ask /healthz: a process that works and has lost the database for long has to be replaced.
func TestAProcessThatIsOfNoUseIsNotAlive(t *testing.T) {
	t.Parallel()
	var lost error
	s := newServer(t, func(o *api.Options) { o.Alive = func() error { return lost } })
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "").Code)
	lost = errors.New("the database at 10.0.0.6 is lost")
	w := s.do(t, http.MethodGet, "/healthz", "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.NotContains(t, w.Body.String(), "10.0.0.6")
	lost = nil
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "").Code)
}

func TestTheWebAppIsServedBesideTheAPI(t *testing.T) {
	t.Parallel()
	app := fstest.MapFS{
		"index.html":       {Data: []byte("<!doctype html><title>Countersign</title>")},
		"assets/app-1a.js": {Data: []byte("console.log(1)")},
	}
	s := newServer(t, func(o *api.Options) { o.Web = app })
	for _, path := range []string{"/", "/catalog/systems/1", "/chat"} {
		w := s.do(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, w.Code, path)
		require.Contains(t, w.Body.String(), "<title>Countersign", path)
		require.Equal(t, "no-cache", w.Header().Get("Cache-Control"), path)
	}
	w := s.do(t, http.MethodGet, "/assets/app-1a.js", "")
	require.Equal(t, "console.log(1)", w.Body.String())
	require.Contains(t, w.Header().Get("Cache-Control"), "immutable")
	s.refused(t, problem.NotFound, http.MethodGet, "/api/unknown", "")
	for _, path := range []string{"/../api/errors.go", "/..%2f..%2fetc/passwd", "//etc/passwd"} {
		require.NotContains(t, s.do(t, http.MethodGet, path, "").Body.String(), "root:", path)
	}
}

// Who has no session is given the small document of the sign-in, whatever they ask for; who has one is given the app.
func TestWhoHasNoSessionIsServedTheSignIn(t *testing.T) {
	t.Parallel()
	app := fstest.MapFS{"index.html": {Data: []byte("the app")}, "sign-in.html": {Data: []byte("the sign-in")}}
	s := newServer(t, func(o *api.Options) { o.Web = app })
	for _, path := range []string{"/", "/chat", "/catalog/systems/1", "/oauth/consent?request=1", "/nowhere", "/sign-in", "/invite", "/reset"} {
		w := s.do(t, http.MethodGet, path, "")
		require.Equal(t, "the sign-in", w.Body.String(), path)
		require.Contains(t, w.Header().Values("Vary"), "Cookie", path)
		want := "the app"
		if slices.Contains([]string{"/sign-in", "/invite", "/reset"}, path) {
			want = "the sign-in"
		}
		for _, name := range []string{auth.PlainCookie, auth.SecureCookie} {
			require.Equal(t, want, s.do(t, http.MethodGet, path, "", "Cookie", name+"=1").Body.String(), path)
		}
		require.Equal(t, "the sign-in", s.do(t, http.MethodGet, path, "", "Cookie", "another=1").Body.String(), path)
	}
}

// Metrics are for scrapers: near ones, and others that hold the token.
func TestMetricsAreForScrapers(t *testing.T) {
	t.Parallel()
	shown := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("shown")) })
	open := newServer(t, func(o *api.Options) { o.Metrics = shown })
	guarded := newServer(t, func(o *api.Options) { o.Metrics, o.MetricsToken = shown, "a token of scrapers" })
	for _, c := range []struct {
		server          *server
		from, header, v string
		want            int
	}{
		{open, "127.0.0.1:9", "", "", http.StatusOK},
		{open, "[::1]:9", "", "", http.StatusOK},
		{open, "10.1.2.3:9", "", "", http.StatusOK},
		{open, "203.0.113.7:9", "", "", http.StatusForbidden},
		{open, "10.1.2.3:9", "X-Forwarded-For", "10.1.2.4", http.StatusForbidden},
		{open, "127.0.0.1:9", "Forwarded", "for=203.0.113.7", http.StatusForbidden},
		{open, "203.0.113.7:9", "X-Forwarded-For", "127.0.0.1", http.StatusForbidden},
		{guarded, "127.0.0.1:9", "", "", http.StatusUnauthorized},
		{guarded, "127.0.0.1:9", "Authorization", "Bearer another", http.StatusUnauthorized},
		{guarded, "203.0.113.7:9", "Authorization", "Bearer a token of scrapers", http.StatusOK},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		r.RemoteAddr = c.from
		if c.header != "" {
			r.Header.Set(c.header, c.v)
		}
		w := httptest.NewRecorder()
		c.server.ServeHTTP(w, r)
		require.Equal(t, c.want, w.Code, "%s %s", c.from, c.header)
		require.Equal(t, c.want == http.StatusOK, w.Body.String() == "shown")
	}
}
