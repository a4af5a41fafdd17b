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
		if said := r.Header.Get("Authorization"); said != "" {
			token.Store(&said)
		}
		if down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://169.254.169.254:3000/", http.StatusFound)
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
	// A target that sends everybody to an address that checks may not reach has failed, whatever else passes.
	moved := newSystem(t, p.Admin, "Moved")
	for name, path := range map[string]string{"Answers": "/", "Redirects": "/away"} {
		p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
			"name": name, "strategyId": "healthcheck-http.http", "config": map[string]any{"timeout": 1000}, "intervalSeconds": 1,
			"assignToSystemId": moved,
			"collectors": []any{map[string]any{
				"id": uuid.NewString(), "collectorId": "healthcheck-http.request", "config": map[string]any{"url": server.URL + path},
				"assertions": []any{},
			}},
		}, nil)
	}
	statusOf := func(system uuid.UUID) string {
		return strings.Join(p.Column(t, `SELECT status::text FROM check_system_states WHERE system_id = '`+system.String()+`'`), ",")
	}
	status := func() string { return statusOf(system) }
	apptest.Eventually(t, "the system is healthy", func() bool { return status() == "1" })
	require.Equal(t, "Bearer first-value-4711", *token.Load())

	p.Admin.Patch(t, "/api/secrets/PAYMENTS_TOKEN", map[string]any{"value": "second-value-4712"}, nil)
	apptest.Eventually(t, "runs send the new value of the secret", func() bool { return *token.Load() == "Bearer second-value-4712" })

	apptest.Eventually(t, "the system of the redirect is unhealthy", func() bool { return statusOf(moved) == "3" })
	var page struct {
		Targets []struct{ CheckName, Reason string }
	}
	p.Admin.Get(t, "/api/healthcheck/systems/"+moved.String(), &page)
	require.Equal(t, "Redirects", page.Targets[1].CheckName)
	require.Contains(t, page.Targets[1].Reason, " redirects to 169.254.169.254:3000, which checks may not reach")
	var board struct{ Systems []struct{ SystemName string } }
	p.Admin.Get(t, "/api/healthcheck/board?status=unhealthy", &board)
	require.Len(t, board.Systems, 1)
	require.Equal(t, "Moved", board.Systems[0].SystemName)

	down.Store(true)
	apptest.Eventually(t, "the system is degraded, then unhealthy", func() bool { return status() == "3" })
	require.Equal(
		t,
		[]string{"healthcheck.system_degraded", "healthcheck.system_degraded"},
		p.Column(t, `SELECT type FROM events WHERE type LIKE '%degraded' AND context_key = '`+system.String()+`' ORDER BY id`),
	)
	report := p.Column(
		t,
		`SELECT r.report::text FROM check_reports r JOIN check_targets t ON t.id = r.target WHERE t.system_id = '`+system.String()+
			`' ORDER BY r.slot DESC LIMIT 1`,
	)
	require.Contains(t, report[0], "500")
	require.NotContains(t, strings.Join(p.Column(t, `SELECT report::text FROM check_reports`), ""), "value-471", "secrets are masked")
	require.Positive(t, p.Count(t, `SELECT count(*) FROM check_results WHERE verdict = 0`))
}
