package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// blow is something that happens to the product while checks run.
type blow struct {
	name string
	deal func(ctx context.Context) error
	// silent says that runs go on meanwhile: nothing may be missed.
	silent bool
}

// frozen is how long a process stands still: longer than its claims and any lock.
const frozen = 12 * time.Second

func (c *checked) blows() []blow {
	postgresAway := func(signal syscall.Signal, d time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := c.endPostgres(ctx, signal); err != nil {
				return err
			}
			wait(ctx, d)
			return c.postgres.begin(ctx)
		}
	}
	temporalAway := func(d time.Duration, meanwhile func() error) func(context.Context) error {
		return func(ctx context.Context) error {
			c.temporal.end(syscall.SIGKILL)
			err := meanwhile()
			wait(ctx, d)
			return errors.Join(err, c.temporal.begin(ctx), c.complete())
		}
	}
	nothing := func() error { return nil }
	return []blow{
		{name: "a worker is killed and comes back", deal: func(context.Context) error { return errors.Join(c.kill(), c.work()) }},
		{name: "a worker stands still for " + frozen.String(), deal: c.freeze},
		{name: "a worker is asked to end, another one comes", deal: func(context.Context) error { return errors.Join(c.stop(), c.work()) }},
		{
			name: "all workers are killed and come back",
			deal: func(context.Context) error { return errors.Join(c.kill(), c.kill(), c.work(), c.work()) },
		},
		{name: "PostgreSQL is restarted", deal: postgresAway(syscall.SIGTERM, 0)},
		{name: "PostgreSQL is killed and recovers", deal: postgresAway(syscall.SIGKILL, 0)},
		{name: "Temporal is killed and comes back", deal: temporalAway(0, nothing), silent: true},
		{name: "PostgreSQL is away for " + c.away.String(), deal: postgresAway(syscall.SIGTERM, c.away)},
		{name: "Temporal is away for " + c.away.String(), deal: temporalAway(c.away, nothing), silent: true},
		{name: "a worker is killed while Temporal is away for " + (c.away / 4).String(), deal: temporalAway(c.away/4, c.kill)},
	}
}

// kill ends the oldest worker as a power cut does.
func (c *checked) kill() error {
	p := c.workers[0]
	c.workers = c.workers[1:]
	p.kill()
	<-p.done
	return nil
}

// complete starts the worker that is missing.
func (c *checked) complete() error {
	if len(c.workers) < 2 {
		return c.work()
	}
	return nil
}

// stop asks the oldest worker to end.
func (c *checked) stop() error {
	p := c.workers[0]
	c.workers = c.workers[1:]
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(time.Minute):
		p.kill()
		return errors.New("a worker did not end")
	}
}

func (c *checked) freeze(ctx context.Context) error {
	p := c.workers[0].cmd.Process
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop a worker: %w", err)
	}
	wait(ctx, frozen)
	return p.Signal(syscall.SIGCONT)
}

// endPostgres ends the server of the product: in order, or with its postmaster killed.
func (c *checked) endPostgres(ctx context.Context, signal syscall.Signal) error {
	if signal != syscall.SIGKILL {
		c.postgres.end(signal)
		return nil
	}
	var backend int
	if err := c.db.Conn(ctx).QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
		return fmt.Errorf("find the server: %w", err)
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(backend) + "/stat")
	if err != nil {
		return fmt.Errorf("find the server: %w", err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	postmaster, err := strconv.Atoi(fields[1])
	if err != nil {
		return fmt.Errorf("find the server: %w", err)
	}
	if err := syscall.Kill(postmaster, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill the server: %w", err)
	}
	c.postgres.end(syscall.SIGTERM)
	return nil
}

// strike deals a blow, waits until everything runs again, and looks at what became of each slot.
func (c *checked) strike(ctx context.Context, b blow) error {
	from, err := c.clock(ctx)
	if err != nil {
		return err
	}
	if _, err := c.flowing(ctx, from); err != nil {
		return err
	}
	from, err = c.clock(ctx)
	if err != nil {
		return err
	}
	before := c.memory()
	if err := b.deal(ctx); err != nil {
		return err
	}
	grown := c.memory() - before
	again, err := c.flowing(ctx, from)
	if err != nil {
		return err
	}
	wait(ctx, 3*checkInterval)
	return c.account(ctx, b, from, again, grown)
}

// flowing waits until each target has run at a slot after a moment, and lately, and says at what time of the database that was.
func (c *checked) flowing(ctx context.Context, after int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		var now int64
		var ran int
		err := c.db.Conn(ctx).QueryRow(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, count(DISTINCT r.target)
			FROM check_results r WHERE r.slot > greatest($2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1)`, 2*checkInterval.Milliseconds(), after).Scan(&now, &ran)
		if err == nil && ran == checkTargets {
			return now, nil
		}
		wait(ctx, 200*time.Millisecond)
	}
	return 0, errors.New("the checks do not run again")
}

func (c *checked) clock(ctx context.Context) (now int64, err error) {
	err = c.db.Conn(ctx).QueryRow(ctx, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`).Scan(&now)
	return now, err
}

// memory is what the largest worker has resident, in MB.
func (c *checked) memory() (most int) {
	for _, p := range c.workers {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/statm")
		if err != nil {
			continue
		}
		pages, _ := strconv.Atoi(strings.Fields(string(data))[1])
		most = max(most, pages*os.Getpagesize()>>20)
	}
	return most
}

// maxGrowth is how much memory a worker may take while something is away, in MB.
const maxGrowth = 64

// account looks at each slot since a while before the blow.
func (c *checked) account(ctx context.Context, b blow, from, again int64, grown int) error {
	var results, missed, most, doubled, begun, late int
	err := c.db.Conn(ctx).QueryRow(ctx, `SELECT count(*), coalesce(max(n), 0), count(*) FILTER (WHERE late_ms > 1500) FROM (
		SELECT late_ms, count(*) OVER (PARTITION BY (slot + late_ms) / 1000) AS n FROM check_results WHERE slot >= $1 AND verdict <> 3) r`, from).Scan(&results, &begun, &late)
	if err != nil {
		return fmt.Errorf("count results: %w", err)
	}
	rows, err := c.db.Conn(ctx).Query(ctx, `
		SELECT t.id, s.slot, (SELECT count(*) FROM check_results r WHERE r.target = t.id AND r.slot = s.slot)::int,
			(SELECT count(*) FROM check_gaps g WHERE g.target = t.id AND s.slot BETWEEN g.from_slot AND g.to_slot)::int
		FROM check_targets t JOIN check_shards h USING (shard), generate_series(
			t.phase_ms + (greatest(t.since_ms, $1) - t.phase_ms + t.interval_ms - 1) / t.interval_ms * t.interval_ms::bigint, h.settled_to - 1, t.interval_ms) s(slot)
		WHERE t.active AND NOT t.gone`, from-10_000)
	if err != nil {
		return fmt.Errorf("count slots: %w", err)
	}
	defer rows.Close()
	gaps := map[int32]int{}
	missing := map[int32][]int64{}
	slots := 0
	for rows.Next() {
		var target int32
		var slot int64
		var found, gap int
		if err := rows.Scan(&target, &slot, &found, &gap); err != nil {
			return fmt.Errorf("count slots: %w", err)
		}
		slots++
		if slot >= from {
			missed += gap
			gaps[target] += gap
			most = max(most, gaps[target])
		}
		if found+gap > 1 {
			doubled++
		}
		if found+gap == 0 {
			missing[target] = append(missing[target], slot)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("count slots: %w", err)
	}
	lost, err := c.unsealed(ctx, missing)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(c.out, "| %s | %d | %d | %d, %d | %d | %d |\n", b.name, again-from, results, missed, most, begun, grown)
	planned := int(float64(checkTargets) / checkInterval.Seconds())
	for what, wrong := range map[string]bool{
		fmt.Sprintf("%d of %d slots have neither a result nor a gap", lost, slots):               lost > 0,
		fmt.Sprintf("%d of %d slots have both, or two results", doubled, slots):                  doubled > 0,
		fmt.Sprintf("%d runs began more than 1.5 s late", late):                                  late > 0,
		fmt.Sprintf("%d runs began in one second, of %d that are planned", begun, planned):       begun > 2*planned,
		fmt.Sprintf("%d slots were missed though everything that runs checks was there", missed): b.silent && c.beside == "" && missed > 0,
		fmt.Sprintf("a worker has grown by %d MB, which is more than %d", grown, maxGrowth):      grown > maxGrowth,
		fmt.Sprintf("%d slots only could be looked at", slots):                                   slots < checkTargets,
	} {
		if wrong {
			c.broken++
			_, _ = fmt.Fprintf(c.out, "VIOLATION: %s: %s\n", b.name, what)
		}
	}
	return nil
}

// unsealed are how many of the slots have no result in a sealed block either.
func (c *checked) unsealed(ctx context.Context, missing map[int32][]int64) (lost int, err error) {
	for target, slots := range missing {
		sealed, err := c.reader.Slots(ctx, []int32{target}, slots[0], slots[len(slots)-1]+1)
		if err != nil {
			return 0, fmt.Errorf("read sealed results: %w", err)
		}
		there := map[int64]bool{}
		for _, slot := range sealed[target] {
			there[slot] = true
		}
		for _, slot := range slots {
			if !there[slot] {
				lost++
			}
		}
	}
	return lost, nil
}
