package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// recoveryGoal bounds the time from a kill to the takeover of a turn.
	recoveryGoal = 7 * time.Second
	talkers      = 16
)

// recoverFrom kills workers in the middle of slow answers and measures how long each of their turns stays silent. both
// kills the two workers together, so that only the restarted processes can take over.
func recoverFrom(ctx context.Context, f *fleet, c *crowd, rounds int, both bool, out io.Writer) error {
	rng := rand.New(rand.NewPCG(c.seed, 3))
	var gaps []time.Duration
	for i := range rounds {
		kill, runs := c.listen(ctx, talkers, rng, func() time.Time {
			// Anywhere in a workflow task, of which one lasts for some seconds.
			wait(ctx, time.Duration(500+rng.IntN(5000))*time.Millisecond)
			workers := f.of(worker)
			at := f.strike(workers[i%len(workers)])
			if both {
				f.strike(workers[(i+1)%len(workers)])
			}
			return at
		})
		for _, r := range runs {
			if gap, ok := r.takeover(kill); ok {
				gaps = append(gaps, gap)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	what := "one of two workers"
	if both {
		what = "both workers"
	}
	late := 0
	for _, g := range gaps {
		if g > recoveryGoal {
			late++
		}
	}
	_, _ = fmt.Fprintf(out, "kill -9 of %s in mid-answer, %d times, %d turns taken over; next chunk after %s; %d later than the goal of %s\n",
		what, rounds, len(gaps), spread(gaps), late, recoveryGoal)
	if len(gaps) == 0 {
		return fmt.Errorf("no turn was taken over in %d kills", rounds)
	}
	return nil
}

// listen has people read slow answers while strike does its work, and returns when all answers have ended.
func (c *crowd) listen(ctx context.Context, n int, rng *rand.Rand, strike func() time.Time) (kill time.Time, runs []*run) {
	var all sync.WaitGroup
	for range n {
		r := c.ledger.begin("slow")
		runs = append(runs, r)
		p := c.person(r, rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
		all.Go(func() {
			defer r.end()
			limited, cancel := context.WithTimeout(ctx, runLimit)
			defer cancel()
			if _, err := p.chat(limited, "approve", "script: delay_first=100ms delay_token=30ms tokens=250"); err != nil && ctx.Err() == nil {
				c.ledger.complain(violation{"client", r.first(), "slow: " + err.Error()})
			}
		})
	}
	kill = strike()
	all.Wait()
	return kill, runs
}
