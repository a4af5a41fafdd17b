package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// outages is the product, two APIs and two workers, with outages of PostgreSQL and Temporal while people use it.
type outages struct {
	options

	dir      string
	out      io.Writer
	postgres *stand
	temporal *stand
	// disk is PostgreSQL's disk; nil where it could not be created.
	disk   *disk
	world  *world
	stage  *stage
	ledger *ledger
	away   atomic.Int64
	// witnesses are people with work of their own during and after an outage.
	witnesses sync.WaitGroup
}

// outage is a fault of a server. deal returns when it is over; id is the name for -scenario.
type outage struct {
	id, name string
	deal     func(ctx context.Context) error
}

// still is how long a server stalls or has no room: longer than any statement timeout.
const still = 45 * time.Second

// lively is how long people work before and after an outage.
const lively = 5 * time.Second

func conductOutages(ctx context.Context, o options, out io.Writer) error {
	return o.inFolder(out, func(dir string) error {
		x := &outages{options: o, dir: dir, out: out, ledger: &ledger{}}
		defer x.close()
		if err := x.prepare(ctx); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "seed %d, %d people, two APIs and two workers\n\n", o.seed, o.people)
		_, _ = fmt.Fprintln(
			out,
			"| what happens | answers that said so | a write succeeds after ms | a turn is done after ms | all is at rest "+
				"after s | violations |\n|---|--:|--:|--:|--:|--:|",
		)
		for _, b := range x.list() {
			if err := x.strike(ctx, b); err != nil {
				return fmt.Errorf("%s: %w", b.name, err)
			}
		}
		printViolations(x.ledger.complaints(), out)
		if len(x.ledger.complaints()) > 0 {
			return errViolated
		}
		return nil
	})
}

func (x *outages) prepare(ctx context.Context) (err error) {
	if x.postgres, err = newStand(x.devstack, x.dir, "postgres", postgresOf); err != nil {
		return err
	}
	if x.wanted(diskFull) {
		if x.disk, err = newDisk(filepath.Join(x.dir, "postgres")); err != nil {
			_, _ = fmt.Fprintln(x.out, "no disk of its own for PostgreSQL, so that it is not filled:", err)
		}
	}
	if x.temporal, err = newStand(x.devstack, x.dir, "temporal", temporalOf); err != nil {
		return err
	}
	if err := errors.Join(x.postgres.begin(ctx), x.temporal.begin(ctx)); err != nil {
		return err
	}
	u, err := url.Parse(x.postgres.database)
	if err != nil {
		return errors.New("the stack has told no URL of a database")
	}
	u.Host = x.postgres.relay.address()
	if x.world, err = worldAt(ctx, x.dir, x.binary, x.ttl, u.String(), x.temporal.relay.address()); err != nil {
		return err
	}
	x.stage = &stage{schedule: newSchedule(x.seed, nil, apart, 0)}
	if x.stage.fleet, err = newFleet(ctx, x.world, x.stage.schedule, x.ledger, apart); err != nil {
		return err
	}
	if x.stage.crowd, err = newCrowd(ctx, x.seed, x.people, x.stage.fleet, x.ledger, "Outage"); err != nil {
		return err
	}
	x.stage.crowd.away, x.stage.crowd.limit = &x.away, runLimit+2*x.options.away
	return nil
}

func (x *outages) list() []outage {
	postgresAway := func(signal syscall.Signal, d time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			x.postgres.end(signal)
			wait(ctx, d)
			return x.postgres.begin(ctx)
		}
	}
	temporalAway := func(d time.Duration) func(context.Context) error {
		return func(ctx context.Context) error {
			x.temporal.end(syscall.SIGKILL)
			x.witness(ctx, d)
			return x.temporal.begin(ctx)
		}
	}
	stands := func(r *relay) func(context.Context) error {
		return func(ctx context.Context) error {
			thaw := r.freeze()
			defer thaw()
			wait(ctx, still)
			return nil
		}
	}
	list := []outage{
		{"postgres-cut", "all connections to PostgreSQL are cut", func(context.Context) error {
			x.postgres.relay.cut()
			return nil
		}},
		{"postgres-restart", "PostgreSQL is restarted", postgresAway(syscall.SIGTERM, 0)},
		{"postgres-stall", "PostgreSQL stands still for " + still.String(), stands(x.postgres.relay)},
		{"postgres-away", "PostgreSQL is away for " + x.options.away.String(), postgresAway(syscall.SIGTERM, x.options.away)},
		{"temporal-restart", "Temporal is killed and comes back", temporalAway(0)},
		{"temporal-stall", "Temporal stands still for " + still.String(), stands(x.temporal.relay)},
		{"temporal-away", "Temporal is away for " + x.options.away.String(), temporalAway(x.options.away)},
	}
	if x.disk != nil {
		list = append(list, outage{diskFull, "the disk of PostgreSQL is full for " + still.String(), x.fill})
	}
	return slices.DeleteFunc(list, func(b outage) bool { return !x.wanted(b.id) })
}

// diskFull is the outage that needs a separate disk.
const diskFull = "disk-full"

// outageNames are the names of all outages, in the order in which they come.
func outageNames() []string {
	return []string{
		"postgres-cut",
		"postgres-restart",
		"postgres-stall",
		"postgres-away",
		"temporal-restart",
		"temporal-stall",
		"temporal-away",
		diskFull,
	}
}

// chosen parses a list of outages separated by commas; an empty list is all.
func chosen(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(outageNames(), name) {
			return nil, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(outageNames(), ", "))
		}
	}
	return names, nil
}

// wanted reports whether an outage is selected.
func (o options) wanted(name string) bool {
	return len(o.scenarios) == 0 || slices.Contains(o.scenarios, name)
}

// fill fills PostgreSQL's disk and frees it again. A server that crashed is restarted, as a supervisor does.
func (x *outages) fill(ctx context.Context) error {
	if err := x.disk.fill(); err != nil {
		return err
	}
	wait(ctx, still)
	if err := x.disk.empty(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for limited.Err() == nil && !x.postgres.gone() {
		if x.world.db.Ping(limited) == nil {
			return nil
		}
		wait(limited, 100*time.Millisecond)
	}
	x.postgres.end(syscall.SIGTERM)
	return x.postgres.begin(ctx)
}

// strike causes an outage while people work, measures the recovery after it, and checks the results of all work.
func (x *outages) strike(ctx context.Context, b outage) error {
	before, known := x.away.Load(), len(x.ledger.complaints())
	working, enough := context.WithCancel(ctx)
	defer enough()
	var people sync.WaitGroup
	people.Go(func() { x.stage.crowd.live(ctx, func() bool { return working.Err() != nil }) })
	wait(ctx, lively)
	if err := b.deal(ctx); err != nil {
		return err
	}
	over := time.Now()
	written, done, err := x.again(ctx)
	if err != nil {
		return err
	}
	wait(ctx, lively)
	enough()
	people.Wait()
	x.witnesses.Wait()
	ended := time.Now()
	rest, err := settle(ctx, x.world, x.ledger, ended)
	if err != nil {
		return err
	}
	x.world.outside.check(x.ledger)
	if err := check(ctx, x.world, x.ledger); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(
		x.out,
		"| %s | %d | %d | %d | %.1f | %d |\n",
		b.name,
		x.away.Load()-before,
		written.Sub(over).Milliseconds(),
		done.Sub(over).Milliseconds(),
		rest.Seconds(),
		len(x.ledger.complaints())-known,
	)
	return ctx.Err()
}

// again waits until a new request can write, and until its turn is done.
func (x *outages) again(ctx context.Context) (written, done time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	r := x.ledger.begin("comes back")
	defer r.end()
	p := x.stage.crowd.person(r, rand.New(rand.NewPCG(x.seed, 9)))
	for {
		a, err := p.attempt(ctx, p.anyAPI(), http.MethodPost, "/api/ai/conversations", object{"permissionMode": "approve"}, "")
		if err == nil && a.ok() {
			break
		}
		if ctx.Err() != nil {
			return written, done, errors.New("nobody can write again")
		}
		wait(ctx, 20*time.Millisecond)
	}
	written = time.Now()
	if err := ask(ctx, p); err != nil {
		return written, done, fmt.Errorf("no turn is done again: %w", err)
	}
	return written, time.Now(), nil
}

// close ends all servers and processes.
func (x *outages) close() {
	if x.stage != nil && x.stage.fleet != nil {
		x.stage.fleet.close()
	}
	if x.world != nil {
		x.world.close()
	}
	for _, s := range []*stand{x.temporal, x.postgres} {
		if s != nil {
			s.close()
		}
	}
	if x.disk != nil {
		x.disk.close()
	}
}
