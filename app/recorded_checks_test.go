package app_test

import (
	"encoding/json"
	"strconv"
	"testing"

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

// importedChecks is the body of an import.
func importedChecks(t *testing.T) map[string]any {
	t.Helper()
	checks, err := json.Marshal(map[string]any{"version": 1, "checks": []any{newCheck()}})
	require.NoError(t, err)
	return map[string]any{"document": string(checks)}
}
