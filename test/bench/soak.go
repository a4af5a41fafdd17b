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
	// share is how much of what there is room for a soak takes.
	share = 0.6
	// soakClients ask at the same time while it is measured what there is room for.
	soakClients = 16
	// mostWaiting turns may be under way: where more would be, the product does not hold the rate any more.
	mostWaiting = 512
	// looks are how many there are at least, one a minute in a long soak.
	looks = 24
)

// soak lets turns begin at an even pace for a long time on two APIs and two workers, looks each minute at what their processes and the
// database hold, and says at the end whether anything has grown that should not. Turns have the rounds of o one after the other.
func soak(ctx context.Context, o options) error {
	o.split = true
	trial := time.Minute
	if o.quick {
		o.budget, trial = 2*time.Minute, 5*time.Second
	}
	o.clients = []int{soakClients}
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("# Soak of %s, two APIs and two workers, %s\n\n", o.budget, time.Now().Format(time.DateOnly))
	rate := o.rate
	if rate == 0 {
		most, err := s.capacity(ctx, o.rounds, trial)
		if err != nil {
			return err
		}
		rate = share * most
		fmt.Printf("%d clients that never wait have %.1f turns/s with %v tool rounds in turn; ", soakClients, most, o.rounds)
	}
	fmt.Printf("%.1f turns begin in a second, whatever becomes of those before.\n\n", rate)
	series, err := s.carry(ctx, o, rate)
	if err != nil {
		return err
	}
	return series.report()
}

// capacity is how many turns a second there are when everybody asks again at once.
func (s *stack) capacity(ctx context.Context, rounds []int, d time.Duration) (float64, error) {
	if _, err := measure(ctx, s, s.turn, rounds[0], 4, time.Second); err != nil {
		return 0, fmt.Errorf("warm up: %w", err)
	}
	var asked atomic.Int64
	mixed := func(ctx context.Context, person int, _ string, keep bool) (sample, error) {
		return s.turn(ctx, person, script(rounds[int(asked.Add(1))%len(rounds)]), keep)
	}
	c, err := measure(ctx, s, mixed, 0, soakClients, d)
	if err != nil {
		return 0, fmt.Errorf("measure what there is room for: %w", err)
	}
	return c.rate, nil
}

// tally is what becomes of turns.
type tally struct {
	mu    sync.Mutex
	took  []time.Duration
	turns int
	lost  int
	why   error

	waiting atomic.Int64
	// behind says that a turn could not begin when it was due.
	behind atomic.Bool
}

// done records a turn. Its time counts from its due time, and so includes waiting for a free client.
func (l *tally) done(due time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.lost++
		l.why = err
		return
	}
	l.turns++
	l.took = append(l.took, time.Since(due))
}

// carry lets turns begin at a rate for as long as o says, and looks at everything now and then.
func (s *stack) carry(ctx context.Context, o options, rate float64) (*series, error) {
	every := min(time.Minute, o.budget/looks)
	all := newSeries(s)
	ctx, end := context.WithCancel(ctx)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer end()
	var l tally
	asking.Go(func() { s.begin(ctx, &asking, &l, o.rounds, rate) })
	begun := time.Now()
	look := time.NewTicker(every)
	defer look.Stop()
	for at := time.Duration(0); ; at = time.Since(begun) {
		if err := all.look(ctx, &l, at); err != nil {
			return nil, err
		}
		if l.behind.Load() {
			return nil, errors.New("the product does not hold this rate: take a lower one with -rate")
		}
		if at >= o.budget {
			return all, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-look.C:
		}
	}
}

// begin lets turns begin when they are due until ctx ends.
func (s *stack) begin(ctx context.Context, asking *sync.WaitGroup, l *tally, rounds []int, rate float64) {
	pause := time.Duration(float64(time.Second) / rate)
	pace := time.NewTicker(pause)
	defer pace.Stop()
	for n, due := 0, time.Now(); ctx.Err() == nil; {
		// A ticker leaves out what it cannot deliver.
		for ; !due.After(time.Now()); due = due.Add(pause) {
			if l.waiting.Load() >= mostWaiting {
				l.behind.Store(true)
				return
			}
			l.waiting.Add(1)
			person, at := n, due
			asking.Go(func() {
				defer l.waiting.Add(-1)
				_, err := s.turn(ctx, person, script(rounds[person%len(rounds)]), false)
				if ctx.Err() == nil {
					l.done(at, err)
				}
			})
			n++
		}
		select {
		case <-ctx.Done():
		case <-pace.C:
		}
	}
}
