package app_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// exposition is a scrape in the text format of Prometheus.
type exposition string

func scrape(t *testing.T, c *apptest.Client) exposition {
	t.Helper()
	answer := c.Call(t, http.MethodGet, "/metrics/checks", nil)
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	require.Contains(t, answer.Header.Get("Content-Type"), "text/plain")
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	return exposition(answer.Body)
}

// series returns the series of a metric with these labels.
func (e exposition) series(metric string, labels ...string) (found []string) {
	for line := range strings.Lines(string(e)) {
		has := func(label string) bool { return strings.Contains(line, label) }
		if strings.HasPrefix(line, metric+"{") && !slices.ContainsFunc(labels, func(label string) bool { return !has(label) }) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// value is the value of the one series of a metric with these labels.
func (e exposition) value(t *testing.T, metric string, labels ...string) float64 {
	t.Helper()
	found := e.series(metric, labels...)
	require.Len(t, found, 1, "%s %s in %s", metric, labels, e)
	value, err := strconv.ParseFloat(found[0][strings.LastIndexByte(found[0], ' ')+1:], 64)
	require.NoError(t, err)
	return value
}

// Scrapers get what their rules and grants show them: a private system only with a grant, also administrators.
func TestChecksAreScraped(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_CHECK_EGRESS_ALLOW": "127.0.0.0/8"}})
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	port, err := strconv.Atoi(secure.URL[strings.LastIndexByte(secure.URL, ':')+1:])
	require.NoError(t, err)
	one, hidden := newSystem(t, p.Admin, `Pay "ments"`), newSystem(t, p.Admin, "Hidden")
	check := newHeartbeat(t, p, "Settlement", one)
	assigned := p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check+"/systems/"+hidden.String(), map[string]any{})
	require.Less(t, assigned.Status, 300, "%s", assigned.Body)
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": "Certificate", "strategyId": "healthcheck-tls.tls", "intervalSeconds": 1, "assignToSystemId": one,
		"config":     map[string]any{"host": "127.0.0.1", "port": port, "rejectUnauthorized": false},
		"collectors": []any{map[string]any{"collectorId": "healthcheck-tls.certificate", "config": map[string]any{}}},
	}, nil)
	p.Admin.Post(t, "/api/healthcheck/checks", map[string]any{
		"name": "Page", "strategyId": "healthcheck-http.http", "intervalSeconds": 1, "assignToSystemId": one,
		"config": map[string]any{"skipVerify": true},
		"collectors": []any{map[string]any{
			"collectorId": "healthcheck-http.request", "config": map[string]any{"url": secure.URL}, "assertions": []any{},
		}},
	}, nil)
	path := ""
	for _, c := range callings(t, p.Admin, check) {
		if c.SystemID == one {
			path = c.at(t)
		}
	}
	const status, details, read = "healthcheck.healthcheck.status.read", "healthcheck.healthcheck.details.read", "catalog.system.read"
	scraper := p.Application(t, p.Role(t, status, details, read))
	apptest.Eventually(t, "all checks have passed", func() bool {
		p.Anonymous().Call(t, http.MethodPost, path, nil)
		now := scrape(t, scraper)
		return len(now.series("countersign_check_up", `system="Pay \"ments\""`, `location=""`)) == 3 &&
			len(now.series("countersign_check_certificate_expiry_timestamp_seconds")) == 2 &&
			strings.Contains(string(now), `status="healthy",strategy="healthcheck-heartbeat.heartbeat",system="Pay \"ments\""`)
	})
	now := scrape(t, scraper)
	require.InDelta(t, 1, now.value(t, "countersign_check_up", `check="Certificate"`, `system="Pay \"ments\""`), 0)
	for _, name := range []string{"Certificate", "Page"} {
		require.InDelta(t, float64(secure.Certificate().NotAfter.Unix()),
			now.value(t, "countersign_check_certificate_expiry_timestamp_seconds", `check="`+name+`"`), 0)
	}
	last := now.value(t, "countersign_check_last_run_timestamp_seconds", `check="Certificate"`)
	require.WithinDuration(t, time.Now(), time.Unix(int64(last), 0), time.Minute)
	require.Positive(t, now.value(t, "countersign_check_run_duration_seconds", `check="Certificate"`))
	require.Len(t, now.series("countersign_check_status", `check="Settlement"`, `system="Hidden"`), 4)
	require.Contains(t, string(now), "\ncountersign_check_targets_omitted 0\n")

	owner := p.Person(t, p.Role(t, status, read))
	grant(t, p, "catalog.system/"+hidden.String(), true, map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"})
	require.NotContains(t, string(scrape(t, scraper)), "Hidden")
	require.NotContains(t, string(scrape(t, p.Admin)), "Hidden")
	owned := scrape(t, owner)
	require.Contains(t, string(owned), `system="Hidden"`)
	require.Empty(t, owned.series("countersign_check_certificate_expiry_timestamp_seconds"), "certificates are what runs found")

	paused := p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check+"/paused", map[string]any{"paused": true})
	require.Less(t, paused.Status, 300, "%s", paused.Body)
	require.NotContains(t, string(scrape(t, owner)), "Settlement", "a paused check does not run")
}

// The rules guard the metrics of checks and leave those of the process alone, and no other site makes a browser ask for them.
func TestScrapesOfChecksAreGuarded(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, "/metrics/checks", nil)
	p.Bearer(uuid.Nil, "countersign_wrong").Refused(t, problem.Unauthorized, http.MethodGet, "/metrics/checks", nil)
	p.Application(t, p.Role(t, "catalog.system.read")).Refused(t, problem.Forbidden, http.MethodGet, "/metrics/checks", nil)
	p.Admin.Refused(t, problem.NotFound, http.MethodGet, "/metrics/others", nil)
	for _, site := range []string{"cross-site", "same-site"} {
		p.Admin.Refused(t, problem.Forbidden, http.MethodGet, "/metrics/checks", nil, apptest.Header{Name: "Sec-Fetch-Site", Value: site})
	}
	own := p.Admin.Call(t, http.MethodGet, "/metrics/checks", nil, apptest.Header{Name: "Sec-Fetch-Site", Value: "same-origin"})
	require.Equal(t, http.StatusOK, own.Status, "%s", own.Body)
	process := p.Anonymous().Call(t, http.MethodGet, "/metrics", nil)
	require.Equal(t, http.StatusOK, process.Status)
	require.Contains(t, string(process.Body), "countersign_database_connections")
	require.NotContains(t, string(process.Body), "countersign_check_up")
}

// A scrape is bounded, says what it leaves out, and is quick.
func TestAScrapeOfManyChecksIsBounded(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := newSystem(t, p.Admin, "Many")
	id := uuid.MustParse(newHeartbeat(t, p, "First", system))
	// The engine runs none of them: they are due in half a day.
	add := func(n int, name, age string) {
		t.Helper()
		_, err := p.DB.Conn(t.Context()).Exec(t.Context(), `
			WITH clock AS (
				SELECT (extract(epoch FROM now()) * 1000)::bigint / 10000 * 10000 AS now
			), made AS (
				INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, active, scope)
				SELECT $1, $2, gen_random_uuid(), 0, 86400000, (c.now + 43200000) % 86400000, true,
					jsonb_build_object('system', jsonb_build_object('name', $4::text))
				FROM clock c, generate_series(1, $3::int) RETURNING id
			)
			INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code)
			SELECT m.id, c.now - extract(epoch FROM $5::text::interval)::bigint * 1000 - n * 10000, 0, 1000, 0, 0, 0, 0
			FROM made m, clock c, generate_series(1, 60) n`, id, system, n, name, age)
		require.NoError(t, err)
	}
	add(1, "Overdue", "73 hours")
	overdue := scrape(t, p.Admin)
	require.Len(t, overdue.series("countersign_check_last_run_timestamp_seconds", `system="Overdue"`), 1)
	require.Empty(t, overdue.series("countersign_check_up", `system="Overdue"`), "an old run does not say that it is up")

	add(999, "Many", "0")
	var took []time.Duration
	for range 40 {
		began := time.Now()
		require.GreaterOrEqual(t, len(scrape(t, p.Admin).series("countersign_check_up")), 999)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("p50 %s, p95 %s", took[20], took[37])
	require.Less(t, took[20], time.Second)

	add(4100, "Many", "0")
	add(1, "Newest", "0")
	p.Exec(t, `INSERT INTO check_states (target, status, since_ms, last_slot) SELECT max(id), 3, 1, 1 FROM check_targets`)
	all := scrape(t, p.Admin)
	require.Len(t, all.series("countersign_check_status", `status="healthy"`), 5000)
	require.InDelta(t, 1, all.value(t, "countersign_check_status", `system="Newest"`, `status="unhealthy"`), 0, "the worst come first")
	require.Contains(t, string(all), "\ncountersign_check_targets_omitted 102\n")
}
