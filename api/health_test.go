package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/problem"
)

var discard = slog.New(slog.DiscardHandler)

func TestReadyMeansThatATurnWouldWork(t *testing.T) {
	t.Parallel()
	var reason error
	s := newServer(t, func(o *api.Options) { o.Ready = func(context.Context) error { return reason } })
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/readyz", "").Code)
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "").Code)

	reason = errors.New("temporal at 10.0.0.8 is away")
	w := s.do(t, http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.NotContains(t, w.Body.String(), "10.0.0.8")
	require.Contains(t, logged.String(), "10.0.0.8")
	require.Equal(t, http.StatusOK, s.do(t, http.MethodGet, "/healthz", "").Code, "the process lives")

	reason = nil
	s.db.Close()
	require.Equal(t, http.StatusServiceUnavailable, s.do(t, http.MethodGet, "/readyz", "").Code)
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
