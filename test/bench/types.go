package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// typeBombCount is how many of the hostile sources are type bombs.
	typeBombCount = 2
	// typeRounds is the number of alternating quiet and hostile windows, so that both see the same load of the machine.
	typeRounds = 4
)

// typeBombs compares the latency of an author's PUT with and without another author's type bombs, in alternating
// windows.
func typeBombs(ctx context.Context, o options) error {
	fmt.Printf("# Type bombs, %s\n\nLoad at the start: %s. Rerun: `make bench ONLY=types`.\n", time.Now().Format(time.DateOnly), load())
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.authors(ctx, 2, "agent.agent.manage"); err != nil {
		return err
	}
	drafts, err := s.drafts(ctx)
	if err != nil {
		return err
	}
	var sources int
	window := func(ctx context.Context) (runs, error) {
		return repeat(ctx, 1, o.budget/2, func(ctx context.Context) error {
			sources++
			return s.mustPut(ctx, s.writers[1], drafts[1]+"/tools/bench", toolBody(toolSource(sources)))
		})
	}
	if _, err := window(ctx); err != nil {
		return err
	}
	var quiet, beside runs
	var sent bombs
	for range typeRounds {
		for _, into := range []*runs{&quiet, &beside} {
			stop := func() {}
			if into == &beside {
				stop = sent.send(ctx, s, drafts[0]+"/tools/hostile")
			}
			one, err := window(ctx)
			stop()
			if err != nil {
				return err
			}
			into.ms = append(into.ms, one.ms...)
			into.rate += one.rate / typeRounds
		}
	}
	fmt.Printf(
		"\nOne client puts tools of 5 kB; in each second window another author sends type bombs: %d were answered, %d given up.\n\n",
		sent.answered.Load(),
		sent.givenUp.Load(),
	)
	fmt.Println("| | p50 / p95 / p99 ms | calls/s |\n|---|--:|--:|")
	for _, row := range []struct {
		name string
		r    *runs
	}{{"in quiet", &quiet}, {"beside type bombs", &beside}} {
		fmt.Printf(
			"| %s | %s / %s / %s | %s |\n",
			row.name,
			number(row.r.quantile(.5)),
			number(row.r.quantile(.95)),
			number(row.r.quantile(.99)),
			number(row.r.rate),
		)
	}
	fmt.Printf("\nLoad at the end: %s.\n", load())
	if sent.answered.Load()+sent.givenUp.Load() == 0 {
		return errors.New("no type bomb was sent")
	}
	var g goals
	for _, at := range []struct {
		name string
		q    float64
	}{{"p50", .5}, {"p95", .95}} {
		times := beside.quantile(at.q) / quiet.quantile(at.q)
		g.add("another author's PUT "+at.name+" beside type bombs", times, "times that in quiet", times <= 2, "at most 2 times")
	}
	g.print()
	return nil
}

// bombs counts the type bombs of one author.
type bombs struct{ number, answered, givenUp atomic.Int64 }

// send has one author send type bombs over several connections, some of which cancel soon, until stop is called.
func (b *bombs) send(ctx context.Context, s *stack, tool string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for ctx.Err() == nil {
				for _, source := range hostileSources(int(b.number.Add(1)))[:typeBombCount] {
					timeout := time.Minute
					if i > 0 {
						timeout = 200 * time.Millisecond
					}
					one, done := context.WithTimeout(ctx, timeout)
					_, err := s.put(one, s.writers[0], tool, toolBody(source))
					done()
					switch {
					case err == nil:
						b.answered.Add(1)
					case ctx.Err() == nil:
						b.givenUp.Add(1)
					}
				}
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}
