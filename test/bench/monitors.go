package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The comparison with Gatus, and its goals: processor time a check, and lag at the 99th percentile in milliseconds.
const (
	monitorCount    = 1000
	monitorInterval = 5 * time.Second
	monitorCPUGoal  = 0.5
	monitorLagGoal  = 100
	// gatusStagger is the pause that Gatus makes before it starts each of its monitors.
	gatusStagger = 222 * time.Millisecond
)

// monitored is what one product took for its checks.
type monitored struct {
	name string
	// runs is what arrived at the targets, p50 to p99 the lag there in ms.
	runs          int
	p50, p95, p99 float64
	// own and postgres are the processor time of its process and of its database, per run in µs.
	own, postgres float64
	memory        int
}

// monitors measures 1,000 checks of 5 s of the product and of Gatus, one after the other, against the same targets.
func monitors(ctx context.Context, o options) error {
	o.clients = []int{1}
	os.Setenv("COUNTERSIGN_CHECK_EGRESS_ALLOW", "127.0.0.0/8")
	os.Setenv("COUNTERSIGN_WORKER_QUEUES", "turns")
	os.Setenv("COUNTERSIGN_CHECK_MAX_PER_HOST", "100000")
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	address := "127.0.0.1:" + strconv.Itoa(freePort())
	targets, err := s.spawn(self, "check-arrivals", address, monitorInterval.String())
	if err != nil {
		return err
	}
	defer end(targets, syscall.SIGKILL)
	b := &checkBench{stack: s, quick: address, debug: o.debug}
	if b.db, err = pgx.Connect(ctx, s.database); err != nil {
		return err
	}
	defer func() { _ = b.db.Close(context.WithoutCancel(ctx)) }()
	fmt.Printf("# Monitors, %s\n\n", time.Now().Format(time.DateOnly))
	fmt.Printf("%d HTTP checks each %s with a header and three assertions, %s each, against the same loopback targets.\n\n",
		monitorCount, monitorInterval, o.budget)
	fmt.Println("| | runs a second | lag at the targets p50 / p95 / p99 ms | CPU a run: process + PostgreSQL µs | memory MB |")
	fmt.Println("|---|--:|--:|--:|--:|")
	product, err := b.monitorProduct(ctx, o)
	if err != nil {
		return err
	}
	product.print(o.budget)
	if o.gatus == "" {
		return nil
	}
	other, err := s.monitorGatus(ctx, o, address)
	if err != nil {
		return err
	}
	other.print(o.budget)
	met := map[bool]string{true: "met", false: "missed"}
	ratio := (product.own + product.postgres) / other.own
	fmt.Printf(
		"\nCPU a check %.2f of that of Gatus (%.2f without PostgreSQL), goal %.1f: %s. Lag p99 %.0f ms, goal %d: %s.\n",
		ratio,
		product.own/other.own,
		monitorCPUGoal,
		met[ratio <= monitorCPUGoal],
		product.p99,
		monitorLagGoal,
		met[product.p99 < monitorLagGoal],
	)
	return nil
}

func (m monitored) print(d time.Duration) {
	fmt.Printf("| %s | %.1f | %.1f / %.1f / %.1f | %.0f + %.0f | %d |\n",
		m.name, float64(m.runs)/d.Seconds(), m.p50, m.p95, m.p99, m.own, m.postgres, m.memory)
}

// monitorProduct measures the product: one process that only checks, with PostgreSQL.
func (b *checkBench) monitorProduct(ctx context.Context, o options) (monitored, error) {
	if err := b.planMonitors(ctx); err != nil {
		return monitored{}, err
	}
	if err := b.work(1); err != nil {
		return monitored{}, err
	}
	defer b.stopWorkers()
	if err := wait(ctx, 3*monitorInterval); err != nil {
		return monitored{}, err
	}
	pid := b.workers[0].Process.Pid
	return b.measureMonitors(ctx, o, b.quick, "Countersign", pid, b.memory)
}

// planMonitors creates a check over the API and, in the database, targets that differ by the names of their systems.
func (b *checkBench) planMonitors(ctx context.Context) error {
	var c struct{ ID uuid.UUID }
	err := b.post(ctx, b.people[0], "/api/healthcheck/checks", map[string]any{
		"name": "Monitor", "strategyId": "healthcheck-http.http", "config": map[string]any{"timeout": 4000},
		"intervalSeconds": int(monitorInterval.Seconds()),
		"collectors": []any{map[string]any{
			"id": uuid.NewString(), "collectorId": "healthcheck-http.request",
			"config": map[string]any{
				"url":     "http://" + b.quick + "/{{ system.name }}",
				"headers": []any{map[string]any{"name": "Authorization", "value": "Bearer " + checkSecret}},
			},
			"assertions": []any{
				map[string]any{"field": "statusCode", "operator": "equals", "value": 200},
				map[string]any{"field": "body", "jsonPath": "$.status", "operator": "equals", "value": "ok"},
				map[string]any{"field": "responseTimeMs", "operator": "lessThan", "value": 1000},
			},
		}},
	}, &c)
	if err != nil {
		return err
	}
	_, err = b.db.Exec(ctx, `INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, active, scope)
		SELECT $1::uuid, md5(i::text)::uuid, i % (SELECT count(*) FROM check_shards), $2::int, i::bigint * 7919 % $2::int, true,
			json_build_object('check', json_build_object('id', $1::uuid, 'name', 'Monitor'), 'system', json_build_object('id', md5(i::text)::uuid, 'name', 't' || i))
		FROM generate_series(0, $3::int - 1) i`, c.ID, monitorInterval.Milliseconds(), monitorCount)
	return err
}

// monitorGatus measures Gatus, which keeps its results in SQLite.
func (s *stack) monitorGatus(ctx context.Context, o options, address string) (monitored, error) {
	path := filepath.Join(s.folder, "gatus.yaml")
	if err := os.WriteFile(path, []byte(gatusConfig(address, filepath.Join(s.folder, "gatus.db"))), 0o600); err != nil {
		return monitored{}, err
	}
	cmd := exec.Command(o.gatus)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "GATUS_CONFIG_PATH="+path, "GATUS_LOG_LEVEL=WARN"), io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		return monitored{}, fmt.Errorf("start Gatus: %w", err)
	}
	defer end(cmd, syscall.SIGKILL)
	if err := wait(ctx, monitorCount*gatusStagger+3*monitorInterval); err != nil {
		return monitored{}, err
	}
	memory := func() int { return residentMB(cmd.Process.Pid) }
	m, err := s.measureMonitors(ctx, o, address, "Gatus", cmd.Process.Pid, memory)
	m.postgres = 0
	return m, err
}

func gatusConfig(address, file string) string {
	var y strings.Builder
	fmt.Fprintf(&y, "web:\n  address: 127.0.0.1\n  port: %d\nconcurrency: 0\nstorage:\n  type: sqlite\n  path: %s\n", freePort(), file)
	y.WriteString("endpoints:\n")
	for i := range monitorCount {
		fmt.Fprintf(
			&y,
			"  - name: t%d\n    url: http://%s/t%d\n    interval: %s\n    client:\n      timeout: 4s\n",
			i,
			address,
			i,
			monitorInterval,
		)
		fmt.Fprintf(&y, "    headers:\n      Authorization: Bearer %s\n", checkSecret)
		y.WriteString("    conditions:\n      - \"[STATUS] == 200\"\n      - \"[BODY].status == ok\"\n      - \"[RESPONSE_TIME] < 1000\"\n")
	}
	return y.String()
}

// measureMonitors measures what arrives at the targets for a while, and what a process and PostgreSQL take for it.
func (s *stack) measureMonitors(
	ctx context.Context,
	o options,
	address, name string,
	pid int,
	memory func() int,
) (monitored, error) {
	m := monitored{name: name}
	if err := arrivals(ctx, address, nil); err != nil {
		return m, err
	}
	own, postgres := usage(pid, false), postgresUsage(s.postmaster)
	if err := wait(ctx, o.budget); err != nil {
		return m, err
	}
	own, postgres = usage(pid, false)-own, postgresUsage(s.postmaster)-postgres
	var seen arrived
	if err := arrivals(ctx, address, &seen); err != nil {
		return m, err
	}
	if seen.Runs == 0 {
		return m, errors.New(name + " has checked nothing")
	}
	m.runs, m.p50, m.p95, m.p99, m.memory = seen.Runs, seen.P50, seen.P95, seen.P99, memory()
	m.own, m.postgres = float64(own.Microseconds())/float64(seen.Runs), float64(postgres.Microseconds())/float64(seen.Runs)
	return m, nil
}

// arrivals reads what has arrived at the targets since the last call, and forgets it.
func arrivals(ctx context.Context, address string, into *arrived) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+arrivalsPath, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if into == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(into)
}
