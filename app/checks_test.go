package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// A check that somebody makes runs on schedule, with its secret, and its state follows what it finds.
func TestACheckRunsOnSchedule(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	var token atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		said := r.Header.Get("Authorization")
		token.Store(&said)
		if down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"status":"ok"}`)
	}))
	t.Cleanup(server.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8"}})
	p.Admin.Post(t, "/api/secrets", map[string]any{"name": "PAYMENTS_TOKEN", "value": "first-value-4711"}, nil)
	system := newSystem(t, p.Admin, "Payments")
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name":             "API",
		"strategyId":       "healthcheck-http.http",
		"config":           map[string]any{"timeout": 1000},
		"intervalSeconds":  1,
		"assignToSystemId": system,
		"collectors": []any{map[string]any{
			"id": uuid.NewString(), "collectorId": "healthcheck-http.request",
			"config":     map[string]any{"url": server.URL + "/", "bearerToken": "${{ secrets.PAYMENTS_TOKEN }}"},
			"assertions": []any{map[string]any{"field": "statusCode", "operator": "equals", "value": 200}},
		}},
	}, nil)
	status := func() string {
		return strings.Join(p.Column(t, `SELECT status::text FROM check_system_states`), ",")
	}
	apptest.Eventually(t, "the system is healthy", func() bool { return status() == "1" })
	require.Equal(t, "Bearer first-value-4711", *token.Load())

	p.Admin.Patch(t, "/api/secrets/PAYMENTS_TOKEN", map[string]any{"value": "second-value-4712"}, nil)
	apptest.Eventually(t, "runs send the new value of the secret", func() bool { return *token.Load() == "Bearer second-value-4712" })

	down.Store(true)
	apptest.Eventually(t, "the system is degraded, then unhealthy", func() bool { return status() == "3" })
	require.Equal(
		t,
		[]string{"healthcheck.system_degraded", "healthcheck.system_degraded"},
		p.Column(t, `SELECT type FROM events WHERE type LIKE '%degraded' ORDER BY id`),
	)
	report := p.Column(t, `SELECT report::text FROM check_reports ORDER BY slot DESC LIMIT 1`)
	require.Contains(t, report[0], "500")
	require.NotContains(t, strings.Join(p.Column(t, `SELECT report::text FROM check_reports`), ""), "value-471", "secrets are masked")
	require.Positive(t, p.Count(t, `SELECT count(*) FROM check_results WHERE verdict = 0`))
}
