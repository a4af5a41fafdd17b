package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits of what is read often about health, in milliseconds over HTTP at the 95th percentile.
const (
	boardReadGoal = 50
	scrapeGoal    = 100
)

// healthReads measures the board of 1,000 systems and a scrape of 1,000 targets.
func healthReads(ctx context.Context, o options) error {
	o.clients = []int{1}
	s, conn, stop, err := startWithoutChecks(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	if err := seedHealth(ctx, conn, 1000); err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	requests := 200
	if o.quick {
		requests = 50
	}
	fmt.Printf("# Reads of health, %s\n\n", time.Now().Format(time.DateOnly))
	fmt.Printf("1,000 systems with a check each; min / p50 / p95 ms over HTTP, %d requests each, without pauses.\n\n", requests)
	fmt.Println("| what | min / p50 / p95 ms | CPU a request: product + PostgreSQL ms | goal p95 |\n|---|--:|--:|--:|")
	who := viewer{name: "administrator", client: s.people[0]}
	for _, read := range []struct {
		list

		goal float64
	}{
		{list{"board of 1,000 systems", "/api/healthcheck/board?limit=1000"}, boardReadGoal},
		{list{"board, the first 100", "/api/healthcheck/board?limit=100"}, boardReadGoal},
		{list{"/metrics/checks of 1,000 targets", "/metrics/checks"}, scrapeGoal},
	} {
		before := s.cpu()
		least, p50, p95, err := s.listed(ctx, who, read.list, requests)
		if err != nil {
			return fmt.Errorf("%s: %w", read.name, err)
		}
		spent := s.cpu().sub(before)
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 / float64(requests+warmUps) }
		mark := "met"
		if p95 > read.goal {
			mark = "missed"
		}
		fmt.Printf("| %s | %.1f / %.1f / %.1f | %.1f + %.1f | %.0f: %s |\n",
			read.name, least, p50, p95, each(spent.App), each(spent.Postgres), read.goal, mark)
	}
	return nil
}

// seedHealth adds systems in groups, each with a check that has run a moment ago: one in a hundred is unhealthy.
func seedHealth(ctx context.Context, conn *pgx.Conn, systems int) error {
	for _, statement := range []string{
		`INSERT INTO catalog_systems (id, name, name_key, description, metadata, tags)
			SELECT gen_random_uuid(), 'System ' || n, 'system ' || lpad(n::text, 6, '0'), 'Serves customers.', '{}', ARRAY['t' || n % 7, 'r' || n % 3]
			FROM generate_series(1, $1::integer) n`,
		`INSERT INTO catalog_groups (id, name, name_key, description, metadata)
			SELECT gen_random_uuid(), 'Group ' || n, 'group ' || n, '', '{}' FROM generate_series(0, 39) n WHERE $1::integer > 0`,
		`INSERT INTO catalog_group_systems (group_id, system_id)
			SELECT g.id, s.id FROM catalog_systems s JOIN catalog_groups g ON g.name = 'Group ' || right(s.name_key, 6)::integer % 40
			WHERE s.name LIKE 'System %' AND $1::integer > 0`,
		`INSERT INTO health_checks (id, name, name_key, description, strategy, definition, interval_seconds)
			SELECT gen_random_uuid(), s.name || ' front', s.name_key || ' front', '', 'healthcheck-http.http', '{}', 60
			FROM catalog_systems s WHERE s.name LIKE 'System %' AND $1::integer > 0`,
		`INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, active, scope)
			SELECT c.id, s.id, 0, 60000, 0, true, json_build_object('system', json_build_object('id', s.id, 'name', s.name))
			FROM health_checks c JOIN catalog_systems s ON c.name_key = s.name_key || ' front' WHERE $1::integer > 0`,
		`INSERT INTO check_states (target, status, since_ms, last_slot, reason)
			SELECT id, CASE WHEN id % 100 = 0 THEN 3 ELSE 1 END, 1000, n.now, '' FROM check_targets,
			LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint / 60000 * 60000 AS now) n WHERE $1::integer > 0`,
		`INSERT INTO check_results (target, slot, late_ms, took_us, held, verdict, cause, code, kept)
			SELECT t.id, s.last_slot - 60000 * n, 3, 12000 + 100 * (n % 7), 0, 0, 0, 200, ARRAY[12, 200]::real[]
			FROM check_targets t JOIN check_states s ON s.target = t.id, generate_series(0, 30) n WHERE $1::integer > 0`,
		`INSERT INTO check_system_states (system_id, status, since_ms, target, reason)
			SELECT t.system_id, s.status, 1000, t.id, CASE s.status WHEN 1 THEN '' ELSE
				'The check ' || c.name || ' is unhealthy: 5 runs in a row failed: Expected statusCode = 200, got 503.' END
			FROM check_targets t JOIN check_states s ON s.target = t.id JOIN health_checks c ON c.id = t.check_id WHERE $1::integer > 0`,
	} {
		if _, err := conn.Exec(ctx, statement, systems); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, "ANALYZE")
	return err
}
