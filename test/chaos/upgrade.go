package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// mixed is how long people work with each mixture of versions: longer than most scenarios take.
const mixed = 8 * time.Second

// order is the order in which the slots of apart are replaced.
type order struct {
	name  string
	slots []int
}

// orders are both: a new API with old workers, and an old API with new workers.
func orders() []order {
	return []order{{"APIs first", []int{0, 1, 2, 3}}, {"workers first", []int{2, 3, 0, 1}}}
}

// conductUpgrade replaces an installation of an older build by this one, twice, each on a new database that the older
// build has created.
func conductUpgrade(ctx context.Context, o options, out io.Writer) error {
	o.points, o.hits, o.together, o.stops = nil, 0, 0, 0
	for _, way := range orders() {
		if err := upgrade(ctx, o, way, out); err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
	}
	return nil
}

func upgrade(ctx context.Context, o options, way order, out io.Writer) error {
	return o.inWorld(ctx, out, func(x *experiment) error {
		x.world.before = o.upgrade
		x.say("%s, %d people", way.name, x.people)
		err := x.on(ctx, apart, newSchedule(x.seed, nil, apart, 0), &x.reached, func(s *stage) error {
			var done atomic.Bool
			var people sync.WaitGroup
			people.Go(func() { s.crowd.live(ctx, done.Load) })
			defer people.Wait()
			defer done.Store(true)
			wait(ctx, mixed)
			for _, i := range way.slots {
				if err := s.fleet.replace(ctx, s.fleet.slots[i], x.world.binary); err != nil {
					return err
				}
				x.say("%s is of the new version", s.fleet.slots[i].name())
				wait(ctx, mixed)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		return x.verdict(ctx)
	})
}
