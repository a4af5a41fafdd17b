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
	// share is the load of a soak relative to the capacity.
	share = 0.6
	// soakClients is the number of concurrent clients in the measurement of the capacity.
	soakClients = 16
	// mostWaiting bounds the running turns: beyond it the product cannot keep up.
	mostWaiting = 512
	// looks is the minimum number of snapshots, one a minute in a long soak.
	looks = 24
)

// soak starts turns at a steady rate for a long time on two APIs and two workers, takes a snapshot of processes and
// database each minute, and reports growth (leaks) at the end. Turns cycle through the rounds of o.
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

// capacity is the throughput in turns a second with closed-loop clients.
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
	// behind reports that a turn could not start when it was due.
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

// carry starts turns at a rate for the time of o, and takes snapshots.
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

// begin starts turns when they are due until ctx ends.
func (s *stack) begin(ctx context.Context, asking *sync.WaitGroup, l *tally, rounds []int, rate float64) {
	pause := time.Duration(float64(time.Second) / rate)
	pace := time.NewTicker(pause)
	defer pace.Stop()
	for n, due := 0, time.Now(); ctx.Err() == nil; {
		// A ticker drops ticks that it cannot deliver.
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
