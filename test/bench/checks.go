package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// checkSecret is the token that probed servers require; it is stored in the product's vault.
const checkSecret = "bench-token-4711"

// checkBench measures health checks beside a loop that only probes.
type checkBench struct {
	*stack
	db      *pgx.Conn
	quick   string
	debug   string
	hanging string
	scripts bool
	targets *exec.Cmd
	workers []*exec.Cmd
	system  string
	fast    uuid.UUID
	slow    uuid.UUID
}

// checks measures the rates one after the other, then the death, a stall and the graceful shutdown of a process.
func checks(ctx context.Context, o options) error {
	o.clients = []int{1}
	debug := o.debug
	o.debug = ""
	os.Setenv("COUNTERSIGN_CHECK_EGRESS_ALLOW", "127.0.0.0/8")
	os.Setenv("COUNTERSIGN_WORKER_QUEUES", "turns")
	os.Setenv("COUNTERSIGN_CHECK_MAX_PER_HOST", "100000")
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	b := &checkBench{
		stack:   s,
		quick:   "127.0.0.1:" + strconv.Itoa(freePort()),
		hanging: "127.0.0.1:" + strconv.Itoa(freePort()),
		debug:   debug,
		scripts: o.checkScripts,
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.targets, err = s.spawn(self, "check-targets", b.quick, b.hanging); err != nil {
		return err
	}
	defer end(b.targets, syscall.SIGKILL)
	if b.db, err = pgx.Connect(ctx, s.database); err != nil {
		return err
	}
	defer func() { _ = b.db.Close(context.WithoutCancel(ctx)) }()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	defer b.stopWorkers()
	if err := b.work(1); err != nil {
		return err
	}
	what := "an HTTP request on a kept connection with a secret, three assertions and thresholds"
	if b.scripts {
		what = "a script in TypeScript in the sandbox, with an assertion and thresholds"
	}
	fmt.Printf(
		"# Health checks, %s\n\nEach run is %s; its result is kept. CPU is µs a run, without the probed server.\n\n",
		time.Now().Format(time.DateOnly),
		what,
	)
	fmt.Println(
		"| a minute | hanging | runs a minute | lag ms p50/95/99 | CPU worker | Temporal | PostgreSQL | sum | floor | " +
			"ratio | floor's lag | missed | memory MB |",
	)
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, rate := range o.rates {
		for _, hang := range []int{0, o.hang} {
			if hang == 0 && rate != o.rates[0] && o.hang > 0 && o.quick {
				continue
			}
			if err := b.rate(ctx, o, rate, hang); err != nil {
				return err
			}
			if o.hang == 0 {
				break
			}
		}
	}
	if o.deaths {
		return b.deaths(ctx)
	}
	return nil
}

// prepare creates a system and two checks over the API; their targets are created in the database.
func (b *checkBench) prepare(ctx context.Context) error {
	admin := b.people[0]
	if err := b.post(ctx, admin, "/api/secrets", map[string]any{"name": "TOKEN", "value": checkSecret}, nil); err != nil {
		return err
	}
	var made struct{ ID string }
	if err := b.post(ctx, admin, "/api/catalog/systems", map[string]any{"name": "Probed"}, &made); err != nil {
		return err
	}
	b.system = made.ID
	for address, into := range map[string]*uuid.UUID{b.quick: &b.fast, b.hanging: &b.slow} {
		var c struct{ ID uuid.UUID }
		err := b.post(ctx, admin, "/api/healthcheck/checks", map[string]any{
			"name": "HTTP " + address, "strategyId": "healthcheck-http.http", "config": map[string]any{"timeout": 5000}, "intervalSeconds": 10,
			"collectors": []any{
				map[string]any{
					"id":          uuid.NewString(),
					"collectorId": "healthcheck-http.request",
					"config":      map[string]any{"url": "http://" + address + "/", "bearerToken": "${{ secrets.TOKEN }}"},
					"assertions": []any{
						map[string]any{"field": "statusCode", "operator": "equals", "value": 200},
						map[string]any{"field": "body", "jsonPath": "$.status", "operator": "equals", "value": "ok"},
						map[string]any{"field": "responseTimeMs", "operator": "lessThan", "value": 1000},
					},
				},
			},
		}, &c)
		if err != nil {
			return err
		}
		*into = c.ID
	}
	if !b.scripts {
		return nil
	}
	var c struct{ ID uuid.UUID }
	err := b.post(ctx, admin, "/api/healthcheck/checks", map[string]any{
		"name": "Script", "strategyId": "healthcheck-script.script", "config": map[string]any{}, "intervalSeconds": 10,
		"collectors": []any{map[string]any{
			"id": uuid.NewString(), "collectorId": "healthcheck-script.inline-script",
			"config":     map[string]any{"script": checkScript, "config": map[string]any{"rows": "[3, 5, 8, 13, 21, 34, 55, 89]"}},
			"assertions": []any{map[string]any{"field": "value", "operator": "equals", "value": 228}},
		}},
	}, &c)
	b.fast = c.ID
	return err
}

// checkScript is the measured TypeScript check: it parses JSON, adds numbers and formats a sentence.
const checkScript = `import { defineHealthCheck } from "@countersign/sdk/healthcheck";

export default defineHealthCheck(async ({ config, system }) => {
  const rows: number[] = JSON.parse(String(config.rows));
  const total = rows.reduce((sum, n) => sum + n, 0);
  return { success: total > 0, message: system.name + " has " + rows.length + " rows", value: total };
});
`

// work starts processes that run checks, up to a number.
func (b *checkBench) work(n int) error {
	for len(b.workers) < n {
		cmd := exec.Command(b.binary, "worker")
		cmd.Env = append(slices.Clone(b.env), "COUNTERSIGN_WORKER_QUEUES=checks", "PORT="+strconv.Itoa(freePort()))
		if len(b.workers) == 0 {
			cmd.Env = append(cmd.Env, "COUNTERSIGN_DEBUG_ADDRESS="+b.debug)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		b.workers = append(b.workers, cmd)
	}
	return nil
}

func (b *checkBench) stopWorkers() {
	for _, w := range b.workers {
		end(w, syscall.SIGKILL)
	}
}

func end(cmd *exec.Cmd, signal syscall.Signal) {
	_ = cmd.Process.Signal(signal)
	_ = cmd.Wait()
}

// plan replaces the targets: n of them, of which some hang.
func (b *checkBench) plan(ctx context.Context, n, hang int, interval time.Duration) error {
	_, err := b.db.Exec(ctx, `UPDATE check_targets SET active = false, gone = true WHERE NOT gone`)
	if err != nil {
		return err
	}
	_, err = b.db.Exec(ctx, `INSERT INTO check_targets (check_id, system_id, environment_id, shard, interval_ms, phase_ms, active, scope)
		SELECT CASE WHEN $6 > 0 AND i % (100 / greatest($6, 1)) = 7 THEN $2::uuid ELSE $1::uuid END, md5((i / 4)::text)::uuid, gen_random_uuid(), i % (SELECT count(*) FROM check_shards), $5::int, i::bigint * 7919 % $5::int, true,
			json_build_object('check', json_build_object('id', $1::uuid, 'name', 'HTTP', 'intervalSeconds', 10), 'system', json_build_object('id', $3::uuid, 'name', 'Probed'))
		FROM generate_series(0, $4::int - 1) i`, b.fast, b.slow, b.system, n, interval.Milliseconds(), hang)
	if err != nil {
		return err
	}
	_, err = b.db.Exec(ctx, `ANALYZE check_targets`)
	return err
}

// rate measures one rate per minute beside the floor.
func (b *checkBench) rate(ctx context.Context, o options, rate, hang int) error {
	n := int(float64(rate) * o.interval.Minutes())
	floor, floorLag, ratio := 0.0, "-", "-"
	if !b.scripts {
		var err error
		if floor, floorLag, err = b.floorOf(ctx, o, n); err != nil {
			return err
		}
	}
	if err := b.plan(ctx, n, hang, o.interval); err != nil {
		return err
	}
	if err := wait(ctx, o.interval+5*time.Second); err != nil {
		return err
	}
	from, err := b.clock(ctx)
	if err != nil {
		return err
	}
	before := b.spent()
	if err := wait(ctx, o.budget); err != nil {
		return err
	}
	spent := b.spent().sub(before)
	to, err := b.clock(ctx)
	if err != nil {
		return err
	}
	if err := wait(ctx, time.Second); err != nil { // the last flush
		return err
	}
	var runs int
	var missed string
	var lag []float64
	err = b.db.QueryRow(ctx, `SELECT count(*), percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY late_ms)::float8[]
		FROM check_results r JOIN check_targets t ON t.id = r.target WHERE slot >= $1 AND slot < $2 AND t.check_id = $3 AND verdict <> 3`, from, to, b.fast).Scan(&runs, &lag)
	if err != nil {
		return err
	}
	if runs == 0 {
		return errors.New("no check has run")
	}
	var wrong int
	if err := b.db.QueryRow(
		ctx,
		`SELECT count(*) FROM check_results r JOIN check_targets t ON t.id = r.target WHERE slot >= $1 AND slot < $2 AND t.check_id = $3 AND verdict <> 0`,
		from,
		to,
		b.fast,
	).Scan(
		&wrong,
	); err != nil {
		return err
	}
	if wrong > 0 {
		fmt.Fprintf(os.Stderr, "%d runs did not pass\n", wrong)
	}
	err = b.db.QueryRow(
		ctx,
		`SELECT coalesce(string_agg(n || ' ' || reason, ', '), '0') FROM (SELECT reason, sum(missed) AS n FROM check_gaps WHERE to_slot >= $1 AND from_slot < $2 GROUP BY 1) g`,
		from,
		to,
	).Scan(
		&missed,
	)
	if err != nil {
		return err
	}
	each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(runs) }
	sum := each(spent.total())
	if floor > 0 {
		ratio = fmt.Sprintf("%.2f", sum/floor)
	}
	fmt.Printf(
		"| %d | %d %% | %.0f | %.0f/%.0f/%.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %s | %s | %s | %d |\n",
		rate,
		hang,
		float64(runs)/float64(to-from)*60_000,
		lag[0],
		lag[1],
		lag[2],
		each(spent.App),
		each(spent.Temporal),
		each(spent.Postgres),
		sum,
		floor,
		ratio,
		floorLag,
		missed,
		b.memory(),
	)
	return nil
}

// spent is the processor time of the workers, Temporal and PostgreSQL.
func (b *checkBench) spent() cpu {
	c := cpu{Temporal: usage(b.temporal, false), Postgres: postgresUsage(b.postmaster)}
	for _, w := range b.workers {
		c.App += usage(w.Process.Pid, false)
	}
	return c
}

// memory is what the first worker has resident, in MB.
func (b *checkBench) memory() int { return residentMB(b.workers[0].Process.Pid) }

// floorOf measures the floor: processor time in µs per probe, and lag.
func (b *checkBench) floorOf(ctx context.Context, o options, n int) (us float64, lag string, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, "", err
	}
	var out strings.Builder
	cmd := exec.Command(self, "check-floor", "http://"+b.quick+"/", strconv.Itoa(n), o.interval.String())
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, "", err
	}
	if err := wait(ctx, min(o.budget, 2*time.Minute)); err != nil {
		end(cmd, syscall.SIGKILL)
		return 0, "", err
	}
	spent := usage(cmd.Process.Pid, false)
	end(cmd, syscall.SIGTERM)
	var runs int
	if _, err := fmt.Sscan(out.String(), &runs, &lag); err != nil {
		return 0, "", fmt.Errorf("read what the floor has counted: %w", err)
	}
	return float64(spent.Microseconds()) / float64(runs), lag, nil
}

// clock is the database's time in milliseconds.
func (b *checkBench) clock(ctx context.Context) (ms int64, err error) {
	err = b.db.QueryRow(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`).Scan(&ms)
	return ms, err
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// spread formats the median, the 95th and the 99th percentile in milliseconds.
func spread(all []time.Duration) string {
	if len(all) == 0 {
		return "-"
	}
	slices.Sort(all)
	at := func(p int) int64 { return all[min(len(all)-1, len(all)*p/100)].Milliseconds() }
	return fmt.Sprintf("%d/%d/%d", at(50), at(95), at(99))
}

// death is a way in which a process ends or stalls.
type death struct {
	name   string
	signal syscall.Signal
}

// deaths kills, stops and shuts down one of two processes, and prints how soon the other one ran its shards.
func (b *checkBench) deaths(ctx context.Context) error {
	fmt.Println(
		"\n| one of two processes | its shards elsewhere after ms | slots doubled | neither result nor gap | missed, at most by one target |",
	)
	fmt.Println("|---|---|---|---|---|")
	for _, d := range []death{{"is killed", syscall.SIGKILL}, {"stands still for 12 s", syscall.SIGSTOP}, {"is asked to end", syscall.SIGTERM}} {
		if err := b.work(2); err != nil {
			return err
		}
		if err := b.plan(ctx, 2000, 0, 2*time.Second); err != nil {
			return err
		}
		if err := b.shared(ctx); err != nil {
			return err
		}
		if err := wait(ctx, 3*time.Second); err != nil {
			return err
		}
		from, err := b.clock(ctx)
		if err != nil {
			return err
		}
		moved, err := b.die(ctx, d, from)
		if err != nil {
			return err
		}
		if err := wait(ctx, 5*time.Second); err != nil {
			return err
		}
		if err := b.account(ctx, d.name, moved, from); err != nil {
			return err
		}
	}
	return nil
}

// die ends the first process and measures the takeover of its shards. A stalled process continues afterwards.
func (b *checkBench) die(ctx context.Context, d death, from int64) (time.Duration, error) {
	victim := b.workers[0]
	var owner string
	if err := b.db.QueryRow(
		ctx,
		`SELECT owner FROM check_shards WHERE owner LIKE '%:' || $1`,
		strconv.Itoa(victim.Process.Pid),
	).Scan(
		&owner,
	); err != nil {
		return 0, fmt.Errorf("find the shards of the process: %w", err)
	}
	_ = victim.Process.Signal(d.signal)
	moved, err := b.moved(ctx, owner, from)
	if err != nil {
		return 0, err
	}
	if d.signal != syscall.SIGSTOP {
		_ = victim.Wait()
		b.workers = b.workers[1:]
		return moved, nil
	}
	if err := wait(ctx, max(0, 12*time.Second-moved)); err != nil {
		return 0, err
	}
	_ = victim.Process.Signal(syscall.SIGCONT)
	return moved, wait(ctx, 8*time.Second)
}

// shared waits until two processes hold the shards.
func (b *checkBench) shared(ctx context.Context) error {
	for range 300 {
		var owners, idle int
		if err := b.db.QueryRow(
			ctx,
			`SELECT count(DISTINCT owner), count(*) FILTER (WHERE claimed_to < extract(epoch FROM clock_timestamp()) * 1000) FROM check_shards`,
		).Scan(
			&owners,
			&idle,
		); err != nil {
			return err
		}
		if owners == 2 && idle == 0 {
			return nil
		}
		if err := wait(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("the processes do not share the shards")
}

// moved waits until an owner holds no shard, and returns the time that took.
func (b *checkBench) moved(ctx context.Context, owner string, from int64) (time.Duration, error) {
	for range 600 {
		var left int
		var last *int64
		err := b.db.QueryRow(
			ctx,
			`SELECT count(*) FILTER (WHERE owner IN ('', $1)), max((extract(epoch FROM taken_at) * 1000)::bigint) FROM check_shards`,
			owner,
		).Scan(
			&left,
			&last,
		)
		if err != nil {
			return 0, err
		}
		if left == 0 && last != nil {
			return time.Duration(*last-from) * time.Millisecond, nil
		}
		if err := wait(ctx, 50*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return 0, errors.New("the shards were not taken over")
}

// account checks every slot since shortly before the death.
func (b *checkBench) account(ctx context.Context, name string, moved time.Duration, from int64) error {
	var wrong, doubled, missed, most int
	err := b.db.QueryRow(ctx, `
		WITH slots AS (
			SELECT t.id, s.slot FROM check_targets t JOIN check_shards h USING (shard), generate_series(
				t.phase_ms + (greatest(t.since_ms, $1) - t.phase_ms + t.interval_ms - 1) / t.interval_ms * t.interval_ms::bigint, h.settled_to - 1, t.interval_ms) s(slot)
			WHERE t.active AND NOT t.gone
		), counted AS (
			SELECT id, slot, (SELECT count(*) FROM check_results r WHERE r.target = id AND r.slot = slots.slot) AS r,
				(SELECT count(*) FROM check_gaps g WHERE g.target = id AND slots.slot BETWEEN g.from_slot AND g.to_slot) AS g FROM slots
		), each AS (SELECT id, sum(g) AS g FROM counted GROUP BY id)
		SELECT count(*) FILTER (WHERE r + g = 0), count(*) FILTER (WHERE r + g > 1), sum(g), (SELECT max(g) FROM each) FROM counted`, from-2000).Scan(&wrong, &doubled, &missed, &most)
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %d | %d | %d, %d |\n", name, moved.Milliseconds(), doubled, wrong, missed, most)
	return nil
}
