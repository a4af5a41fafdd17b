package main

import (
	"context"
	"fmt"
	"time"
)

// Sizes and times of the measurement of escalations that wait.
const (
	escalationsWaiting = 10_000
	restTime           = 30 * time.Second
	// restGoal bounds the processor time at rest with waiting escalations, beside that without any.
	restGoal = 1.1
)

// waitingEscalations measures the processor time of the product at rest, and then with 10,000 escalations that wait for an
// hour.
func waitingEscalations(ctx context.Context, o options) error {
	all := escalationsWaiting
	if o.quick {
		all = 1000
	}
	o.clients = []int{1}
	s, conn, stop, err := startWithoutChecks(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	if err := s.policy(ctx, time.Hour); err != nil {
		return err
	}
	fmt.Printf("# Waiting escalations, %s\n\nLoad at the start: %s.\n\n", time.Now().Format(time.DateOnly), load())
	fmt.Println("| waiting | CPU a second: product + Temporal + PostgreSQL ms |\n|--:|--:|")
	none, err := s.rest(ctx, 0)
	if err != nil {
		return err
	}
	began := time.Now()
	if _, err := conn.Exec(ctx, seedEscalations, all); err != nil {
		return fmt.Errorf("seed incidents: %w", err)
	}
	err = until(ctx, 20*time.Minute, time.Second, func() (done bool, err error) {
		err = conn.QueryRow(
			ctx,
			`SELECT count(*) FILTER (WHERE state = 'waiting' AND due_at > now()) = $1 FROM oncall_escalations`,
			all,
		).Scan(
			&done,
		)
		return done, err
	})
	if err != nil {
		return fmt.Errorf("wait for escalations: %w", err)
	}
	took := time.Since(began)
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}
	some, err := s.rest(ctx, all)
	if err != nil {
		return err
	}
	ratio := some.total().Seconds() / none.total().Seconds()
	mark := map[bool]string{true: "met", false: "missed"}[ratio <= restGoal]
	fmt.Printf(
		"\n%.2f times as much with %d that wait as without, goal %.1f: %s. They began in %.0f s.\n",
		ratio,
		all,
		restGoal,
		mark,
		took.Seconds(),
	)
	return nil
}

// rest is what everything takes in a while in which nothing happens.
func (s *stack) rest(ctx context.Context, waiting int) (cpu, error) {
	if err := wait(ctx, restTime); err != nil { // what came before is settled
		return cpu{}, err
	}
	before := s.cpu()
	if err := wait(ctx, restTime); err != nil {
		return cpu{}, err
	}
	spent := s.cpu().sub(before)
	second := func(d time.Duration) float64 { return float64(d.Milliseconds()) / restTime.Seconds() }
	fmt.Printf("| %d | %.1f = %.1f + %.1f + %.1f |\n",
		waiting, second(spent.total()), second(spent.App), second(spent.Temporal), second(spent.Postgres))
	return spent, nil
}

// seedEscalations opens incidents without systems.
const seedEscalations = `
WITH opened AS (
    INSERT INTO incidents (id, title, description, status, severity, suppress_notifications, started_at, folded)
    SELECT gen_random_uuid(), 'Incident ' || n, '', 'investigating', 'minor', false, now(), 'incident ' || n
    FROM generate_series(1, $1::integer) n
    RETURNING id, title
)
INSERT INTO events (type, subject, context_key, payload)
SELECT 'incident.created', 'incident:' || id, id::text, jsonb_build_object(
    'incidentId', id, 'title', title, 'status', 'investigating', 'severity', 'minor', 'systemIds', '[]'::jsonb, 'at', now())
FROM opened`
