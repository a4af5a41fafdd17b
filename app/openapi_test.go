package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/problem"
)

// public are the operations for who has not signed in. A job calls in with the token of its address.
var public = map[string]bool{
	"login":                        true,
	"logout":                       true,
	"get-sign-in-ways":             true,
	"begin-oidc-sign-in":           true,
	"finish-oidc-sign-in":          true,
	"send-alerts":                  true,
	"send-heartbeat":               true,
	"send-failed-heartbeat":        true,
	"send-heartbeat-by-get":        true,
	"send-failed-heartbeat-by-get": true,
	"look-at-password-link":        true,
	"read-maintenance-feed":        true,
	"use-password-link":            true,
}

// What the document promises is served, and asks who is there.
func TestEveryDocumentedOperationIsServed(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string                `json:"operationId"`
			Security    []map[string][]string `json:"security"`
		} `json:"paths"`
	}
	nobody := p.Anonymous()
	nobody.Get(t, "/api/openapi.json", &document)
	require.Greater(t, len(document.Paths), 30)
	for _, path := range []string{
		"/api/auth/login", "/api/me", "/api/ai/conversations", "/api/ai/conversations/{id}", "/api/ai/conversations/{id}/archive", "/api/ai/chat",
		"/api/ai/chat/{id}/stream", "/api/ai/chat/{id}/stop", "/api/ai/integrations", "/api/ai/tools", "/api/ai/tools/{name}/call", "/api/ai/tools/{name}/propose",
		"/api/ai/proposals", "/api/ai/proposals/{id}", "/api/ai/proposals/apply", "/api/ai/proposals/{id}/decline",
		"/api/catalog/systems", "/api/catalog/systems/{id}", "/api/catalog/groups", "/api/catalog/groups/{id}",
	} {
		require.Contains(t, document.Paths, path)
	}
	for path, operations := range document.Paths {
		for method, op := range operations {
			require.Equal(t, public[op.OperationID], len(op.Security) == 0, op.OperationID)
			if public[op.OperationID] {
				continue
			}
			address := path
			for strings.Contains(address, "{") {
				from, to := strings.Index(address, "{"), strings.Index(address, "}")
				address = address[:from] + uuid.NewString() + address[to+1:]
			}
			if strings.HasPrefix(path, "/v1/") {
				var refused struct {
					Error struct{ Code problem.Code }
				}
				answer := nobody.Call(t, strings.ToUpper(method), address, nil)
				answer.Decode(t, &refused)
				require.Equal(t, http.StatusUnauthorized, answer.Status)
				require.Equal(t, problem.Unauthorized, refused.Error.Code, "errors have the form of the protocol")
				continue
			}
			nobody.Refused(t, problem.Unauthorized, strings.ToUpper(method), address, nil)
		}
	}
}

// The types of the web app are made of a document that no server has served.
func TestTheDocumentIsTheSameWithoutAServer(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	printed, err := app.Document()
	require.NoError(t, err)
	served := p.Anonymous().Call(t, http.MethodGet, "/api/openapi.json", nil)
	require.JSONEq(t, string(served.Body), string(printed))
}

func TestProbesAndMetricsNeedNoSignIn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	nobody := p.Anonymous()
	for _, path := range []string{"/healthz", "/readyz"} {
		answer := nobody.Call(t, http.MethodGet, path, nil)
		require.Equal(t, http.StatusOK, answer.Status)
		require.True(t, json.Valid(answer.Body))
	}
	require.Contains(t, string(nobody.Call(t, http.MethodGet, "/metrics", nil).Body), "countersign_database_connections")
	apptest.Eventually(t, "one process says that it does the chores", func() bool {
		shown := string(nobody.Call(t, http.MethodGet, "/metrics", nil).Body)
		return strings.Contains(shown, "countersign_chores_held 1") &&
			strings.Contains(shown, `countersign_chore_last_run_timestamp_seconds{chore="extend audit chain"}`)
	})
}
