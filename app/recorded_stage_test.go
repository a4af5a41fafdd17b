package app_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// stage makes what examples need. It works as the administrator.
type stage struct {
	*testing.T
	p *apptest.Product
}

func (s stage) made(path string, body map[string]any) string {
	s.Helper()
	var answer struct {
		ID          string `json:"id"`
		Application struct {
			ID string `json:"id"`
		} `json:"application"`
	}
	s.p.Admin.Post(s, path, body, &answer)
	if answer.ID == "" {
		return answer.Application.ID
	}
	return answer.ID
}

func (s stage) put(path string, body any) {
	s.Helper()
	answer := s.p.Admin.Call(s, http.MethodPut, path, body)
	require.Less(s, answer.Status, 300, "%s: %s", path, answer.Body)
}

func unique(prefix string) string { return prefix + " " + uuid.NewString()[:8] }

func (s stage) named(path string) string {
	return path + "/" + s.made(path, map[string]any{"name": unique("Thing")})
}

func (s stage) check() string {
	return "/api/healthcheck/checks/" + s.made("/api/healthcheck/checks", newCheck())
}

func newCheck() map[string]any {
	return map[string]any{
		"name": unique("Check"), "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 3600,
		"collectors": []any{map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"url": "http://127.0.0.1:9/"}}},
	}
}
