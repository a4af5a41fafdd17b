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

	world  *world
	ledger *ledger
	out    io.Writer
	began  time.Time

	reached []hit
	// stood are the processes that stalled at a point.
	stood  []hit
	killed int64
	// stages counts those that were set, on one database: what people make on one is named otherwise than on the others.
	stages int
}

// stage is the product as it runs for a part of the experiment, and the people who use it.
type stage struct {
	fleet    *fleet
	crowd    *crowd
	schedule *schedule
}

// phases runs the parts one after the other: API and workers in separate processes, then together.
func (x *experiment) phases(ctx context.Context) error {
	x.say("seed %d, %d crash points, %d people", x.seed, len(x.points), x.people)
	err := x.on(ctx, apart, newSchedule(x.seed, x.points, apart, x.hits), &x.reached, func(s *stage) error {
		x.killAtPoints(ctx, s)
		x.killAtRandom(ctx, s)
		if err := x.rest(ctx, s); err != nil {
			return err
		}
		for _, both := range []bool{false, true} {
			if x.kills == 0 {
				break
			}
			if err := recoverFrom(ctx, s.fleet, s.crowd, x.kills, both, x.out); err != nil {
				return err
			}
		}
		if x.callers == 0 {
			return nil
		}
		return stampede(ctx, s.crowd, x.world, x.callers, x.out)
	})
	if err == nil && x.together > 0 {
		err = x.on(ctx, together, newSchedule(x.seed, x.points, together, x.together), &x.reached, func(s *stage) error {
			x.killAtPoints(ctx, s)
			return nil
		})
	}
	if err == nil && x.stops > 0 {
		// Each point of API and workers, of which there are two: what one leaves standing, the other one goes on with.
		err = x.on(ctx, apart, newSchedule(x.seed+1, x.points, apart, x.stops).standing(), &x.stood, func(s *stage) error {
			x.killAtPoints(ctx, s)
			return nil
		})
	}
	return err
}

// on runs a part on a stage and waits until all work has ended.
func (x *experiment) on(ctx context.Context, kinds []kind, plan *schedule, reached *[]hit, part func(*stage) error) error {
	s := &stage{schedule: plan}
	x.stages++
	var err error
	if s.fleet, err = newFleet(ctx, x.world, s.schedule, x.ledger, kinds); err != nil {
		return err
	}
	defer s.fleet.close()
	if s.crowd, err = newCrowd(ctx, x.seed, x.people, s.fleet, x.ledger, fmt.Sprintf("Chaos %s %d", kinds[0], x.stages)); err != nil {
		return err
	}
	if err := s.crowd.warmUp(ctx, x.seed); err != nil {
		return err
	}
	if err := part(s); err != nil {
		return err
	}
	err = x.rest(ctx, s)
	*reached = append(*reached, s.schedule.all()...)
	x.killed += s.fleet.kills.Load()
	return err
}

// killAtPoints lets every process die at its crash points while people work.
func (x *experiment) killAtPoints(ctx context.Context, s *stage) {
	if len(x.points) == 0 {
		return
	}
	s.fleet.idle.Store(false)
	defer s.fleet.idle.Store(true)
	telling, enough := context.WithCancel(ctx)
	var teller sync.WaitGroup
	teller.Go(func() { x.tell(telling, s) })
	s.crowd.live(ctx, s.schedule.done)
	enough()
	teller.Wait()
	x.say("%d hits at crash points, %d kills in all", len(s.schedule.all()), s.fleet.kills.Load())
}

// tell reports progress now and then.
func (x *experiment) tell(ctx context.Context, s *stage) {
	tick := time.NewTicker(30 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			x.say("%d hits to come, %d violations so far, armed: %v", s.schedule.left(), len(x.ledger.complaints()), s.schedule.armed())
		}
	}
}

// killAtRandom kills one process after the other, and sometimes all of a kind, at times drawn from the seed.
func (x *experiment) killAtRandom(ctx context.Context, s *stage) {
	if x.random <= 0 || ctx.Err() != nil {
		return
	}
	before := s.fleet.kills.Load()
	var killer sync.WaitGroup
	limited, cancel := context.WithTimeout(ctx, x.random)
	defer cancel()
	killer.Go(func() {
		rng := rand.New(rand.NewPCG(x.seed, 2))
		for limited.Err() == nil {
			wait(limited, time.Duration(200+rng.IntN(2800))*time.Millisecond)
			victims := []*slot{s.fleet.slots[rng.IntN(len(s.fleet.slots))]}
			if rng.IntN(5) == 0 {
				victims = s.fleet.of(victims[0].kind)
			}
			for _, victim := range victims {
				s.fleet.strike(victim)
			}
		}
	})
	s.crowd.live(ctx, func() bool { return limited.Err() != nil })
	killer.Wait()
	x.say("%d kills at random times", s.fleet.kills.Load()-before)
}

// rest waits until all work has ended and checks the invariants. The product prunes the steps of a turn after ten
// minutes, so this is not left to the end.
func (x *experiment) rest(ctx context.Context, s *stage) error {
	took, err := settle(ctx, x.world, x.ledger, s.fleet.lastKill())
	if err != nil {
		return err
	}
	x.say("at rest %.1f s after the last kill", took.Seconds())
	x.world.outside.check(x.ledger)
	return check(ctx, x.world, x.ledger)
}

// verdict prints the report.
func (x *experiment) verdict(ctx context.Context) error {
	if err := x.ledger.introduce(ctx, x.world.db); err != nil {
		return err
	}
	rows := x.rows(apart, x.hits, x.reached, "killed")
	if x.together > 0 {
		rows = append(rows, x.rows(together, x.together, x.reached, "killed")...)
	}
	var stood []*row
	if x.stops > 0 {
		stood = x.rows(apart, x.stops, x.stood, "stopped")
	}
	if err := printRuns(x.ledger, x.out); err != nil {
		return err
	}
	if err := printTable("killed at", rows, x.out); err != nil {
		return err
	}
	if err := printTable("stood still at", stood, x.out); err != nil {
		return err
	}
	if err := printCounts(ctx, x.world.db, x.ledger, x.out); err != nil {
		return err
	}
	violations := x.ledger.complaints()
	printViolations(violations, x.out)
	x.say(
		"%d people's tasks, %d kills, %d of them at crash points, %d processes that stood still at one, %d violations of the invariants, seed %d",
		len(x.ledger.all()),
		x.killed,
		len(x.reached),
		len(x.stood),
		len(violations),
		x.seed,
	)
	if len(violations) > 0 {
		return errViolated
	}
	return nil
}

// rows are the rows of a fleet; a point that was not hit often enough is a violation.
func (x *experiment) rows(fleet []kind, hits int, reached []hit, what string) []*row {
	rows := table(targets(x.points, fleet), reached, x.ledger)
	for _, r := range rows {
		if r.hits < hits {
			x.ledger.complain(violation{what: "coverage", text: fmt.Sprintf("%s %s %s %d times instead of %d", r.point, what, r.kind, r.hits, hits)})
		}
	}
	return rows
}

func (x *experiment) say(format string, args ...any) {
	_, _ = fmt.Fprintf(x.out, "%5.1f s  %s\n", time.Since(x.began).Seconds(), fmt.Sprintf(format, args...))
}
