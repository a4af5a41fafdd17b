package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// A scraper gets the states of the checks that its token may see, and of no others.
func TestChecksAreScraped(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	one, hidden := newSystem(t, p.Admin, `Pay "ments"`), newSystem(t, p.Admin, "Hidden")
	check := newHeartbeat(t, p, "Settlement", one)
	assigned := p.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+check+"/systems/"+hidden.String(), map[string]any{})
	require.Less(t, assigned.Status, 300, "%s", assigned.Body)
	path := ""
	for _, c := range callings(t, p.Admin, check) {
		if c.SystemID == one {
			path = c.at(t)
		}
	}
	role := p.Role(t, "healthcheck.healthcheck.status.read", "catalog.system.read")
	owner, scraper := p.Person(t, role), p.Application(t, role)
	grant(t, p, "catalog.system/"+hidden.String(), true,
		map[string]any{"subjectType": "user", "subjectId": owner.ID, "relation": "owner"})
	var text string
	apptest.Eventually(t, "the check is up", func() bool {
		p.Anonymous().Call(t, http.MethodPost, path, nil)
		answer := scraper.Call(t, http.MethodGet, "/metrics/checks", nil)
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		require.Contains(t, answer.Header.Get("Content-Type"), "text/plain")
		text = string(answer.Body)
		return strings.Contains(text, "countersign_check_up{") &&
			strings.Contains(text, `status="healthy",strategy="healthcheck-heartbeat.heartbeat",system="Pay \"ments\""`)
	})
	require.Contains(t, text, `check="Settlement"`)
	_, err := p.DB.Conn(t.Context()).Exec(t.Context(), `
		WITH place AS (
			INSERT INTO check_locations (id, name, name_key) VALUES (1, 'Oregon', 'oregon') RETURNING id
		), part AS (
			INSERT INTO check_location_targets (target, location, shard)
			SELECT t.id, p.id, -100 FROM check_targets t, place p WHERE t.system_id = $1 RETURNING id
		), state AS (
			INSERT INTO check_states (target, status, since_ms, last_slot, reason) SELECT id, 3, 1000, 1000, 'Down' FROM part
		)
		INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code)
		SELECT id, (extract(epoch FROM now()) * 1000)::bigint, 0, 1000, 0, 1, 1, 0 FROM part`, one)
	require.NoError(t, err)
	text = string(scraper.Call(t, http.MethodGet, "/metrics/checks", nil).Body)
	require.Regexp(t, `countersign_check_status\{[^}]*location="Oregon",status="unhealthy"[^}]*\} 1`, text)
	require.Regexp(t, `countersign_check_status\{[^}]*location="",status="healthy"[^}]*\} 1`, text)
	require.Regexp(t, `countersign_check_up\{[^}]*location="Oregon"[^}]*\} 0`, text)
	require.Contains(t, text, "countersign_check_last_run_timestamp_seconds{")
	require.Contains(t, text, "countersign_check_run_duration_seconds{")
	require.Contains(t, text, "countersign_checks_omitted 0")
	require.NotContains(t, text, "Hidden")
	require.Contains(t, string(owner.Call(t, http.MethodGet, "/metrics/checks", nil).Body), "Hidden")
	p.Anonymous().Refused(t, problem.Unauthorized, http.MethodGet, "/metrics/checks", nil)
	p.Application(t, p.Role(t, "catalog.system.read")).Refused(t, problem.Forbidden, http.MethodGet, "/metrics/checks", nil)
}

// A thousand checks with results are scraped in less than a second on any machine; the p95 is logged.
func TestAThousandChecksAreScraped(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	system := newSystem(t, p.Admin, "Many")
	check := newHeartbeat(t, p, "First", system)
	id := uuid.MustParse(check)
	_, err := p.DB.Conn(t.Context()).Exec(t.Context(), `
		WITH made AS (
			INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, active, scope)
			SELECT $1, $2, gen_random_uuid(), 0, 86400000, 0, true, '{"system": {"name": "Many"}}' FROM generate_series(1, 999) RETURNING id
		)
		INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code)
		SELECT m.id, (extract(epoch FROM now()) * 1000)::bigint / 10000 * 10000 - n * 10000, 0, 1000, 0, 0, 0, 0 FROM made m, generate_series(1, 60) n`,
		id, system)
	require.NoError(t, err)
	var took []time.Duration
	for range 40 {
		began := time.Now()
		answer := p.Admin.Call(t, http.MethodGet, "/metrics/checks", nil)
		took = append(took, time.Since(began))
		require.GreaterOrEqual(t, strings.Count(string(answer.Body), "countersign_check_up{"), 999)
	}
	slices.Sort(took)
	t.Log(fmt.Sprintf("p50 %s, p95 %s", took[20], took[37]))
	require.Less(t, took[20], time.Second)
}
