package app_test

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// parked is an event that a consumer of no process has given up.
func (s stage) parked() string {
	id := s.p.Count(s, `WITH e AS (INSERT INTO events (type, subject, payload) VALUES ('healthcheck.system_healthy', $1, '{}') RETURNING id),
		c AS (INSERT INTO event_consumers (name, seen) VALUES ('gone', 0) ON CONFLICT (name) DO UPDATE SET seen = 0 RETURNING name)
		INSERT INTO event_retries (consumer, event_id, lane, subject, attempts, error, due_at, dead_at)
		SELECT c.name, e.id, event_lane($1), $1, 10, 'No.', now(), now() FROM e, c RETURNING event_id`,
		"system:"+uuid.NewString())
	return "/api/events/parked/gone/" + strconv.Itoa(id)
}

func (s stage) importOfChecks() request {
	checks, err := json.Marshal(map[string]any{"version": 1, "checks": []any{newCheck()}})
	require.NoError(s, err)
	return request{s.p.Admin, http.MethodPost, "/api/healthcheck/import", map[string]any{"document": string(checks)}}
}

// otherAddress is the request of another address for a job that calls in.
func (s stage) otherAddress() request {
	job := s.made("/api/healthcheck/checks", map[string]any{
		"name": unique(
			"Job",
		),
		"strategyId":       "healthcheck-heartbeat.heartbeat",
		"config":           map[string]any{},
		"intervalSeconds":  3600,
		"assignToSystemId": idOf(s.system()),
		"collectors":       []any{map[string]any{"collectorId": "healthcheck-heartbeat.beat"}},
	})
	target := s.p.Count(s, `SELECT id FROM check_targets WHERE check_id = $1`, job)
	return request{
		s.p.Admin,
		http.MethodPost,
		"/api/healthcheck/checks/" + job + "/heartbeats/" + strconv.Itoa(target) + "/rotate-token",
		map[string]any{},
	}
}
