package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// experiment is one run of everything.
type experiment struct {
	options

	world    *world
	fleet    *fleet
	crowd    *crowd
	ledger   *ledger
	schedule *schedule
	out      io.Writer
	began    time.Time
}

// phases runs the parts one after the other.
func (x *experiment) phases(ctx context.Context) error {
	x.say("seed %d, %d crash points, %d hits each, %d people", x.seed, len(x.points), x.hits, x.people)
	x.killAtPoints(ctx)
	x.killAtRandom(ctx)
	if err := x.rest(ctx); err != nil {
		return err
	}
	if x.kills > 0 {
		for _, both := range []bool{false, true} {
			if err := recoverFrom(ctx, x.fleet, x.crowd, x.kills, both, x.out); err != nil {
				return err
			}
		}
	}
	if x.callers > 0 {
		if err := stampede(ctx, x.crowd, x.world, x.callers, x.out); err != nil {
			return err
		}
	}
	return x.rest(ctx)
}

// killAtPoints lets every process die at its points while people work.
func (x *experiment) killAtPoints(ctx context.Context) {
	if len(x.points) == 0 {
		return
	}
	x.fleet.idle.Store(false)
	defer x.fleet.idle.Store(true)
	telling, enough := context.WithCancel(ctx)
	var teller sync.WaitGroup
	teller.Go(func() { x.tell(telling) })
	x.crowd.live(ctx, x.schedule.done)
	enough()
	teller.Wait()
	x.say("%d hits at crash points, %d kills in all", len(x.schedule.all()), x.fleet.kills.Load())
}

// tell reports progress now and then.
func (x *experiment) tell(ctx context.Context) {
	if !x.verbose {
		return
	}
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			x.say("%d hits to come, %d runs, %d violations, armed: %v", x.schedule.left(), len(x.ledger.all()), len(x.ledger.complaints()), x.schedule.armed())
		}
	}
}

// killAtRandom kills one process after the other, and sometimes all of a kind, at times drawn from the seed.
func (x *experiment) killAtRandom(ctx context.Context) {
	if x.random <= 0 || ctx.Err() != nil {
		return
	}
	before := x.fleet.kills.Load()
	var killer sync.WaitGroup
	limited, cancel := context.WithTimeout(ctx, x.random)
	defer cancel()
	killer.Go(func() {
		rng := rand.New(rand.NewPCG(x.seed, 2))
		for limited.Err() == nil {
			wait(limited, time.Duration(200+rng.IntN(2800))*time.Millisecond)
			victims := []*slot{x.fleet.slots[rng.IntN(len(x.fleet.slots))]}
			if rng.IntN(5) == 0 {
				victims = x.fleet.of(victims[0].kind)
			}
			for _, s := range victims {
				x.fleet.strike(s)
			}
		}
	})
	x.crowd.live(ctx, func() bool { return limited.Err() != nil })
	killer.Wait()
	x.say("%d kills at random times", x.fleet.kills.Load()-before)
}

// rest waits until nothing goes on any more.
func (x *experiment) rest(ctx context.Context) error {
	took, err := settle(ctx, x.world, x.ledger, x.fleet.lastKill())
	if err == nil {
		x.say("at rest %.1f s after the last kill", took.Seconds())
	}
	return err
}

// verdict checks the invariants and prints the report.
func (x *experiment) verdict(ctx context.Context) error {
	if err := check(ctx, x.world, x.ledger); err != nil {
		return err
	}
	rows := table(x.points, x.schedule.all(), x.ledger)
	for _, r := range rows {
		if r.hits < x.hits {
			x.ledger.complain(violation{what: "coverage", text: fmt.Sprintf("%s killed %s %d times instead of %d", r.point, r.kind, r.hits, x.hits)})
		}
	}
	if err := printRuns(x.ledger, x.out); err != nil {
		return err
	}
	if err := printTable(rows, x.out); err != nil {
		return err
	}
	violations := x.ledger.complaints()
	printViolations(violations, x.out)
	x.say("%d runs, %d kills, %d violations of the invariants, seed %d", len(x.ledger.all()), x.fleet.kills.Load(), len(violations), x.seed)
	if len(violations) > 0 {
		return errViolated
	}
	return nil
}

func (x *experiment) say(format string, args ...any) {
	_, _ = fmt.Fprintf(x.out, "%5.1f s  %s\n", time.Since(x.began).Seconds(), fmt.Sprintf(format, args...))
}
