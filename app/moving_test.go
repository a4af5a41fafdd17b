package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/healthcheck"
)

// A team moves in with its file of Gatus: the preview says what is lost, the password becomes a secret, and after the import the check
// runs with it for the system of its group, which fails as Gatus said.
func TestATeamMovesInWithItsFileOfGatus(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	var login atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		login.Store(&password)
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(server.Close)
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8"}})
	file := strings.ReplaceAll(`endpoints:
  - name: orders
    group: Shop
    url: URL
    interval: 1s
    conditions: ["[STATUS] == 200", "[IP] == 127.0.0.1"]
    alerts: [{type: slack, failure-threshold: 2}]
`, "URL", strings.Replace(server.URL, "http://", "http://robot:first-value-4711@", 1))
	var preview healthcheck.ImportPreview
	look := func() {
		preview = healthcheck.ImportPreview{}
		p.Admin.Post(t, "/api/healthcheck/import/preview", map[string]any{"document": file}, &preview)
	}
	look()
	require.False(t, preview.Valid)
	require.Equal(t, 1, preview.Conversion.Mapped)
	require.Contains(t, fmt.Sprint(preview.Conversion.Findings), "[IP] == 127.0.0.1 cannot be said here")
	secret := preview.Conversion.Secrets[0]
	value := strings.Split(file, "\n")[secret.Line-1][secret.Column : secret.Column+secret.Length]
	p.Admin.Post(t, "/api/secrets", map[string]any{"name": secret.Name, "value": value}, nil)
	look()
	require.True(t, preview.Valid, "%+v", preview.Checks)
	var done healthcheck.ImportReport
	p.Admin.Post(t, "/api/healthcheck/import", map[string]any{
		"document": preview.Conversion.Document, "expected": preview.Fingerprint,
	}, &done)
	require.Equal(t, "created", done.Systems[0].Outcome)
	require.False(t, done.Checks[0].Idle)
	status := func() string {
		return strings.Join(p.Column(t, `SELECT status::text FROM check_system_states`), ",")
	}
	apptest.Eventually(t, "the system is healthy", func() bool { return status() == "1" })
	require.Equal(t, "first-value-4711", *login.Load())
	down.Store(true)
	apptest.Eventually(t, "the system is unhealthy", func() bool { return status() == "3" })
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_audit_entries e WHERE e::text LIKE '%first-value%'`))
	require.Zero(t, p.Count(t, `SELECT count(*) FROM health_checks e WHERE e::text LIKE '%first-value%'`))
}
