package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Goals of calls: from a transition to an accepted delivery at the 95th percentile, from an acknowledgement until nobody is
// called any more, and the time and the processor time of 10,000 deliveries.
const (
	callGoal        = 500 * time.Millisecond
	acknowledgeGoal = time.Second
	deliveriesGoal  = 60 * time.Second
	deliveriesCPU   = 30 * time.Second
	deliveriesAll   = 10_000
	deliveriesLimit = 3 * time.Minute
	callReceivers   = 20
	// Paths of the sink.
	nowPath, laterPath = "/now", "/later"
)

// calls measures how long it takes until a change of a check and an opened incident are delivered, until an acknowledgement
// has stopped everything, and what 10,000 deliveries take.
func calls(ctx context.Context, o options) error {
	fmt.Printf("# Calls, %s\n\nLoad at the start: %s.\n\n", time.Now().Format(time.DateOnly), load())
	if err := callPeople(ctx, o); err != nil {
		return err
	}
	return deliverMany(ctx, o)
}

// callBench is the product with a receiver and systems with a check each.
type callBench struct {
	*stack
	db   *pgx.Conn
	sink *sink
	// page answers the checks: 503 for the paths in down.
	page    *httptest.Server
	systems []uuid.UUID

	mu   sync.Mutex
	down map[string]bool
}

func callPeople(ctx context.Context, o options) (err error) {
	o.clients = []int{1}
	os.Setenv("COUNTERSIGN_CHECK_EGRESS_ALLOW", "127.0.0.0/8")
	os.Setenv("COUNTERSIGN_EGRESS_ALLOW", "127.0.0.0/8")
	os.Setenv("COUNTERSIGN_WORKER_QUEUES", "")
	b := &callBench{down: map[string]bool{}}
	if b.stack, err = startStack(ctx, o); err != nil {
		return err
	}
	defer b.stop()
	if b.db, err = pgx.Connect(ctx, b.database); err != nil {
		return err
	}
	defer func() { _ = b.db.Close(context.WithoutCancel(ctx)) }()
	if b.sink, err = newSink(ctx); err != nil {
		return err
	}
	defer b.sink.close()
	b.page = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.down[r.URL.Path] {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer b.page.Close()
	n := 60
	if o.quick {
		n = 10
	}
	if err := b.prepare(ctx, n); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	if err := b.transitions(ctx); err != nil {
		return fmt.Errorf("transitions: %w", err)
	}
	return b.incidents(ctx, n)
}

// prepare makes systems with a check each second, and lets the administrator be called at once and after five minutes.
func (b *callBench) prepare(ctx context.Context, n int) error {
	admin := b.people[0]
	now, err := b.hook(ctx, admin, b.sink.url+nowPath)
	if err != nil {
		return err
	}
	later, err := b.hook(ctx, admin, b.sink.url+laterPath)
	if err != nil {
		return err
	}
	if err := b.want(ctx, admin, rule{now, 0}, rule{later, 300}); err != nil {
		return err
	}
	if err := b.policy(ctx, 0); err != nil {
		return err
	}
	for i := range n {
		id, err := b.system(ctx, fmt.Sprintf("System %d", i))
		if err != nil {
			return err
		}
		b.systems = append(b.systems, id)
		err = b.post(ctx, admin, "/api/healthcheck/checks", map[string]any{
			"name": "Page of " + id.String(), "strategyId": "healthcheck-http.http", "config": map[string]any{}, "intervalSeconds": 1,
			"assignToSystemId": id, "collectors": []any{map[string]any{
				"collectorId": "healthcheck-http.request", "config": map[string]any{"url": b.page.URL + "/" + id.String()},
				"assertions": []any{map[string]any{"field": "statusCode", "operator": "equals", "value": http.StatusOK}},
			}},
		}, nil)
		if err != nil {
			return err
		}
		err = exchange(ctx, admin, http.MethodPut, b.url+"/api/notifications/subscriptions/system/"+id.String(), nil, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// systemsWith is how many systems have a status.
func (b *callBench) systemsWith(ctx context.Context, status int) (n int, err error) {
	err = b.db.QueryRow(ctx, `SELECT count(*) FROM check_system_states WHERE status = $1`, status).Scan(&n)
	return n, err
}

// set lets the page of each system fail, or succeed again, one every 100 ms, and waits for the deliveries.
func (b *callBench) set(ctx context.Context, down bool) error {
	for _, id := range b.systems {
		b.mu.Lock()
		b.down["/"+id.String()] = down
		b.mu.Unlock()
		pauseFor(ctx, 100*time.Millisecond)
	}
	status := healthyStatus
	if down {
		status = unhealthyStatus
	}
	return until(ctx, time.Minute, 100*time.Millisecond, func() (bool, error) {
		n, err := b.systemsWith(ctx, status)
		if err != nil || n < len(b.systems) {
			return false, err
		}
		var waiting bool
		err = b.db.QueryRow(ctx, `SELECT
			EXISTS (SELECT FROM notify_deliveries WHERE state = 'waiting' AND next_at < now() + interval '1 minute')
			OR EXISTS (SELECT FROM events e WHERE e.type = ANY ($1) AND NOT EXISTS (
				SELECT FROM notifications n WHERE n.about_kind = 'system' AND n.edge LIKE '%event:' || e.id))`, changeEvents).Scan(&waiting)
		return !waiting, err
	})
}

// The numbers of statuses in the database.
const healthyStatus, unhealthyStatus = 1, 3

// changeEvents are those whose news subscribers get.
var changeEvents = []string{"healthcheck.system_degraded", "healthcheck.system_healthy"}

// transitions measures from the transition of a system, whose event is written in the same transaction, to the delivery.
func (b *callBench) transitions(ctx context.Context) error {
	err := until(ctx, time.Minute, 100*time.Millisecond, func() (bool, error) {
		n, err := b.systemsWith(ctx, healthyStatus)
		return n == len(b.systems), err
	})
	if err != nil {
		return fmt.Errorf("wait for the first runs: %w", err)
	}
	if err := errors.Join(b.set(ctx, true), b.set(ctx, false)); err != nil {
		return err
	}
	var all []time.Duration
	for _, p := range b.sink.got(nowPath) {
		var at time.Time
		err := b.db.QueryRow(ctx, `SELECT e.created_at FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id
			JOIN events e ON e.id = substring(n.edge FROM '[0-9]+$')::bigint WHERE d.id = $1`, p.id).Scan(&at)
		if err != nil {
			return fmt.Errorf("find the event of a delivery: %w", err)
		}
		all = append(all, p.at.Sub(at))
	}
	b.print("transition of a check to its accepted delivery", all, quantile(all, .95), callGoal, "p95")
	return nil
}

func (b *callBench) print(what string, all []time.Duration, judged float64, goal time.Duration, of string) {
	mark := map[bool]string{true: "met", false: "missed"}[judged <= float64(goal.Milliseconds())]
	fmt.Printf("%s: %d times, p50 %.0f ms, p95 %.0f ms, most %.0f ms; goal %s %d ms: %s\n",
		what, len(all), quantile(all, .5), quantile(all, .95), quantile(all, 1), of, goal.Milliseconds(), mark)
}

// incidents measures from the request that opens an incident to its first accepted call, and from the request that
// acknowledges it until its escalation has ended and its messages that wait are stopped.
func (b *callBench) incidents(ctx context.Context, n int) error {
	var called, ended []time.Duration
	for i := range n {
		before := b.sink.count(nowPath)
		began := time.Now()
		id, err := b.incident(ctx, b.url, fmt.Sprintf("Incident %d", i), b.systems[i])
		if err != nil {
			return err
		}
		// The administrator subscribes to the system too, so that a message about the opening comes beside the call.
		err = until(ctx, time.Minute, 2*time.Millisecond, func() (bool, error) { return b.sink.count(nowPath) >= before+2, nil })
		if err != nil {
			return fmt.Errorf("wait for a call: %w", err)
		}
		at, err := b.calledAt(ctx, id, before)
		if err != nil {
			return err
		}
		called = append(called, at.Sub(began))
		began = time.Now()
		if err := b.post(ctx, b.people[0], "/api/incidents/"+id.String()+"/acknowledge", map[string]any{}, nil); err != nil {
			return err
		}
		err = until(ctx, time.Minute, 2*time.Millisecond, func() (done bool, err error) {
			err = b.db.QueryRow(ctx, `SELECT (SELECT state = 'acknowledged' FROM oncall_escalations WHERE incident_id = $1)
				AND NOT EXISTS (SELECT FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id
					WHERE n.about_id = $1 AND d.state = 'waiting')`, id).Scan(&done)
			return done, err
		})
		if err != nil {
			return fmt.Errorf("wait for the end of an escalation: %w", err)
		}
		ended = append(ended, time.Since(began))
	}
	b.print("request that opens an incident to its accepted call", called, quantile(called, .95), callGoal, "p95")
	b.print("request that acknowledges it to the end of its escalation and messages", ended, quantile(ended, 1), acknowledgeGoal, "most")
	return nil
}

// calledAt is when the call about an incident was accepted, among the posts after the first ones.
func (b *callBench) calledAt(ctx context.Context, incident uuid.UUID, after int) (time.Time, error) {
	for _, p := range b.sink.got(nowPath)[after:] {
		var topic string
		err := b.db.QueryRow(ctx, `SELECT n.topic FROM notify_deliveries d JOIN notifications n ON n.id = d.notification_id
			WHERE d.id = $1 AND n.about_id = $2`, p.id, incident).Scan(&topic)
		if err != nil {
			return time.Time{}, fmt.Errorf("find a call: %w", err)
		}
		if topic == "incident.called" {
			return p.at, nil
		}
	}
	return time.Time{}, errors.New("the incident was not called about")
}

// deliveries measures what 10,000 deliveries take, without the rest of calls.
func deliveries(ctx context.Context, o options) error {
	fmt.Printf("# Deliveries, %s\n\nLoad at the start: %s.\n\n", time.Now().Format(time.DateOnly), load())
	return deliverMany(ctx, o)
}

// deliverMany lets 20 people with a webhook each know of 500 systems that become unhealthy.
func deliverMany(ctx context.Context, o options) error {
	all := deliveriesAll
	if o.quick {
		all = 1000
	}
	o.clients = []int{callReceivers}
	os.Setenv("COUNTERSIGN_EGRESS_ALLOW", "127.0.0.0/8")
	s, conn, stop, err := startWithoutChecks(ctx, o)
	if err != nil {
		return err
	}
	defer stop()
	receiver, err := newSink(ctx)
	if err != nil {
		return err
	}
	defer receiver.close()
	if err := seedHealth(ctx, conn, 1000); err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	for _, person := range s.people {
		channel, err := s.hook(ctx, person, receiver.url+nowPath)
		if err != nil {
			return err
		}
		if err := s.want(ctx, person, rule{channel, 0}); err != nil {
			return err
		}
	}
	before, began := s.cpu(), time.Now()
	if _, err := conn.Exec(ctx, seedTransitions, all/callReceivers); err != nil {
		return fmt.Errorf("let systems fail: %w", err)
	}
	err = until(ctx, deliveriesLimit, 10*time.Millisecond, func() (bool, error) { return receiver.count(nowPath) >= all, nil })
	took, spent := time.Since(began), s.cpu().sub(before)
	if err != nil {
		var states string
		_ = conn.QueryRow(ctx, `SELECT coalesce(string_agg(x.n || ' ' || x.state || ' ' || x.reason, '; '), 'none') FROM (
			SELECT count(*) AS n, state, reason FROM notify_deliveries GROUP BY state, reason) x`).Scan(&states)
		return fmt.Errorf("%d of %d deliveries arrived, and there are: %s: %w", receiver.count(nowPath), all, states, err)
	}
	share := time.Duration(all) * deliveriesGoal / deliveriesAll
	most := time.Duration(all) * deliveriesCPU / deliveriesAll
	met := map[bool]string{true: "met", false: "missed"}
	fmt.Printf("%d deliveries to one receiver: %.1f s (goal %.0f s: %s); CPU %.1f s of product and PostgreSQL (goal %.0f s: %s), "+
		"product %.2f + PostgreSQL %.2f + Temporal %.2f ms each\n",
		all, took.Seconds(), share.Seconds(), met[took <= share], (spent.App + spent.Postgres).Seconds(), most.Seconds(),
		met[spent.App+spent.Postgres <= most], each(spent.App, all), each(spent.Postgres, all), each(spent.Temporal, all))
	return nil
}

// each is the time for one of many, in milliseconds.
func each(d time.Duration, all int) float64 { return float64(d.Microseconds()) / 1000 / float64(all) }

// seedTransitions makes systems unhealthy to which everybody subscribes.
const seedTransitions = `
WITH chosen AS (
    SELECT s.id, s.name FROM catalog_systems s WHERE s.name LIKE 'System %' ORDER BY s.name_key LIMIT $1
), subscribed AS (
    INSERT INTO notify_subscriptions (user_id, kind, ref_id) SELECT u.id, 'system', c.id FROM users u, chosen c
), failed AS (
    UPDATE check_system_states SET status = 3, reason = 'Expected statusCode = 200, got 503.' FROM chosen c WHERE system_id = c.id
), broken AS (
    UPDATE check_states SET status = 3, reason = 'Expected statusCode = 200, got 503.'
    FROM check_targets t, chosen c WHERE t.id = target AND t.system_id = c.id
)
INSERT INTO events (type, subject, context_key, payload)
SELECT 'healthcheck.system_degraded', 'system:' || id, id::text, jsonb_build_object(
    'systemId', id, 'systemName', name, 'before', 'healthy', 'after', 'unhealthy', 'at', now(),
    'reason', 'Expected statusCode = 200, got 503.')
FROM chosen`
