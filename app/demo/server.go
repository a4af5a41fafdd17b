package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"time"
)

// Serve runs the company's servers until ctx ends. Paths are /<environment>/<system>[/health].
func Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: http.HandlerFunc(serve), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the demo company: %w", err)
	}
	return nil
}

func serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, roomsPath) && r.Method == http.MethodPost {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	environment, path, found := place(r.URL.Path)
	if !found {
		http.NotFound(w, r)
		return
	}
	path, health := strings.CutSuffix(path, "/health")
	a := behaviourOf(environment, path).at(time.Now())
	select {
	case <-time.After(a.took):
	case <-r.Context().Done():
		return
	}
	if health {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.status)
		_ = json.NewEncoder(
			w,
		).Encode(
			map[string]any{"status": a.state, "service": strings.Trim(path, "/"), "queue": map[string]int{"depth": len(a.state)}},
		)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(a.status)
	_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title><p>%s</p>", html.EscapeString(strings.Trim(path, "/")), a.state)
}

// place splits a path into the environment and the rest.
func place(path string) (environment, rest string, found bool) {
	for _, name := range []string{production, staging} {
		if rest, ok := strings.CutPrefix(path, "/"+strings.ToLower(name)); ok {
			return name, rest, known(rest)
		}
	}
	return "", "", false
}

func known(path string) bool {
	path = strings.TrimSuffix(path, "/health")
	for _, s := range systems() {
		if s.path == path {
			return true
		}
	}
	return false
}
