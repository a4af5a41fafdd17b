package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// incidentReadGoal bounds what people read often about incidents, in milliseconds over HTTP at the 95th percentile.
const incidentReadGoal = 50

// incidentReads measures lists, searches and timelines of 1,000 open and 100,000 past incidents.
func incidentReads(ctx context.Context, o options) error {
	o.clients = []int{1}
	s, conn, stop, err := startWithoutChecks(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	if err := seedHealth(ctx, conn, 1000); err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	if _, err := conn.Exec(ctx, seedIncidents); err != nil {
		return fmt.Errorf("seed incidents: %w", err)
	}
	who := viewer{name: "administrator", client: s.people[0]}
	open, err := s.firstIncident(ctx, who.client, "open")
	if err != nil {
		return err
	}
	past, err := s.firstIncident(ctx, who.client, "resolved")
	if err != nil {
		return err
	}
	requests := 200
	if o.quick {
		requests = 50
	}
	fmt.Printf("# Reads of incidents, %s\n\n", time.Now().Format(time.DateOnly))
	fmt.Printf("1,000 open and 100,000 past incidents of 1,000 systems, 500,000 updates; %d requests each, without pauses.\n\n", requests)
	fmt.Println("| what | min / p50 / p95 ms | CPU a request: product + PostgreSQL ms | goal p95 |\n|---|--:|--:|--:|")
	for _, read := range []list{
		{"open incidents", "/api/incidents?state=open&limit=50"},
		{"all incidents", "/api/incidents?limit=50"},
		{"critical open incidents", "/api/incidents?state=open&severity=critical&limit=50"},
		{"incidents of one system", "/api/incidents?limit=50&systemId=" + open.Systems[0].ID},
		{"search, many", "/api/incidents?limit=50&query=degraded"},
		{"search, few", "/api/incidents?limit=50&query=zebra"},
		{"search, none", "/api/incidents?limit=50&query=nowhere+to+be+found"},
		{"timeline of an open incident", "/api/incidents/" + open.ID + "/timeline?limit=50"},
		{"timeline of a past incident", "/api/incidents/" + past.ID + "/timeline?limit=50"},
	} {
		before := s.cpu()
		least, p50, p95, err := s.listed(ctx, who, read, requests)
		if err != nil {
			return fmt.Errorf("%s: %w", read.name, err)
		}
		spent := s.cpu().sub(before)
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(requests+warmUps) }
		mark := "met"
		if p95 > incidentReadGoal {
			mark = "missed"
		}
		fmt.Printf("| %s | %.1f / %.1f / %.1f | %.1f + %.1f | %d: %s |\n",
			read.name, least, p50, p95, each(spent.App), each(spent.Postgres), incidentReadGoal, mark)
	}
	return nil
}

// seenIncident is the part of an incident that the measurement needs.
type seenIncident struct {
	ID      string
	Systems []struct{ ID string }
}

// firstIncident is the first one of a list.
func (s *stack) firstIncident(ctx context.Context, client *http.Client, state string) (seenIncident, error) {
	var page struct{ Incidents []seenIncident }
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/incidents?limit=1&state="+state, nil)
	if err != nil {
		return seenIncident{}, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return seenIncident{}, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil || len(page.Incidents) == 0 {
		return seenIncident{}, fmt.Errorf("no incident is %s: status %d: %w", state, answer.StatusCode, err)
	}
	return page.Incidents[0], nil
}

// seedIncidents adds incidents of ten years, the last 1,000 of which are open. Each has one to three systems and five updates.
// Systems have a change of health each hour of the last ten days, and a change in the audit log each day of the last hundred.
const seedIncidents = `
INSERT INTO incidents (id, title, description, status, severity, suppress_notifications, started_at, resolved_at, folded, dedupe_key)
SELECT gen_random_uuid(), t.title, 'Some requests fail.', CASE WHEN n <= 1000 THEN 'investigating' ELSE 'resolved' END,
       (ARRAY['minor', 'major', 'critical'])[1 + n % 3], false, now() - n * interval '50 minutes',
       CASE WHEN n > 1000 THEN now() - n * interval '50 minutes' + interval '40 minutes' END,
       lower(t.title) || E'\n' || 'some requests fail.', 'monitor ' || n
FROM generate_series(1, 101000) n, LATERAL (
    SELECT (ARRAY['Degraded performance of pull requests', 'Delays of webhooks', 'Errors when pages are built', 'Payments are slow'])[1 + n % 4]
           || CASE WHEN n % 20000 = 7 THEN ' (zebra)' ELSE '' END AS title) t;
INSERT INTO incident_systems (incident_id, system_id)
SELECT DISTINCT i.id, s.id FROM (SELECT id, row_number() OVER (ORDER BY started_at) AS n FROM incidents) i,
    generate_series(0, 2) k, LATERAL (SELECT (i.n * 7 + k * 331) % 1000 AS nth) w
JOIN (SELECT id, row_number() OVER (ORDER BY name_key) - 1 AS nth FROM catalog_systems WHERE name LIKE 'System %') s ON s.nth = w.nth
WHERE k <= i.n % 3;
INSERT INTO notes (id, owner_kind, owner_id, message, status_change, visibility, author_kind, author_id, created_at)
SELECT gen_random_uuid(), 'incident.incident', i.id, 'We are looking at it, and will tell more in half an hour.', '',
       CASE WHEN k = 3 THEN 'internal' ELSE 'public' END, 'user', gen_random_uuid(), i.started_at + k * interval '5 minutes'
FROM incidents i, generate_series(1, 5) k;
INSERT INTO incident_states (id, incident_id, at, kind, status, by_kind, by_id)
SELECT gen_random_uuid(), id, started_at, 'opened', 'investigating', 'user', gen_random_uuid() FROM incidents;
INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason)
SELECT s.system_id, NULL, (extract(epoch FROM now()) * 1000)::bigint - h * 3600000, 1 + h % 2, 2 - h % 2, ''
FROM check_system_states s, generate_series(1, 240) h;
INSERT INTO ai_audit_entries (version, at, action, object_type, object_id, object_name, summary, fields, operation, principal_kind,
    principal_id, transport)
SELECT 2, now() - d * interval '1 day', 'changed', 'catalog.system', s.id::text, s.name, 'System changed', '[{"field":"description"}]', '',
       'user', gen_random_uuid(), 'page'
FROM catalog_systems s, generate_series(1, 100) d WHERE s.name LIKE 'System %';
ANALYZE;
`
