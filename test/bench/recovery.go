package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
)

// recovery kills the product in the middle of an answer, starts it again, and measures how long a client that resumes
// the stream waits for its end beyond the time the answer takes anyway.
func recovery(ctx context.Context, s *stack, o options) error {
	trials := 5
	if o.quick {
		trials = 2
	}
	fmt.Printf("\n## Recovery after kill -9 in mid-answer (%d trials)\n\n", trials)
	var next, done []time.Duration
	for range trials {
		n, d, err := s.killOnce(ctx)
		if err != nil {
			return fmt.Errorf("recovery: %w", err)
		}
		next, done = append(next, n), append(done, d)
	}
	fmt.Printf(
		"From the kill to the next text: p50 %.1f s, max %.1f s; to the end of the answer (2 s of model time): p50 %.1f s, max %.1f s.\n",
		quantile(next, .5)/1000,
		quantile(next, 1)/1000,
		quantile(done, .5)/1000,
		quantile(done, 1)/1000,
	)
	return recoverMany(ctx, o)
}

// manyTurns is how many turns run on the worker that recoverMany kills.
const manyTurns = 200

// recoverMany kills the worker that runs many turns, beside an idle one, and measures when their texts continue.
func recoverMany(ctx context.Context, o options) error {
	o.split = true
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	victim := s.others[1]
	s.others[2].stop()
	fmt.Printf("\n## Recovery of %d turns of a killed worker\n\n", manyTurns)
	var group errgroup.Group
	var mu sync.Mutex
	var samples []sample
	for range manyTurns {
		group.Go(func() error {
			one, err := s.turnAt(ctx, s.url, 0, "script: tokens=75 delay_first=100ms delay_token=200ms id="+
				strings.ReplaceAll(uuid.NewString(), "-", ""), true)
			mu.Lock()
			defer mu.Unlock()
			samples = append(samples, one)
			return err
		})
	}
	heir, err := s.another("worker")
	if err != nil {
		return err
	}
	defer heir.stop()
	if err := heir.ready(ctx); err != nil {
		return err
	}
	time.Sleep(3 * time.Second) // all turns answer by now
	killed := time.Now()
	victim.stop()
	if err := group.Wait(); err != nil {
		return fmt.Errorf("recovery of many turns: %w", err)
	}
	var gaps []time.Duration
	for _, one := range samples {
		if gap, ok := one.silence(killed); ok {
			gaps = append(gaps, gap)
		}
	}
	fmt.Printf("%d turns were answering on the killed worker. From the kill to their next text: p50 %.1f s, p95 %.1f s, max %.1f s.\n",
		len(gaps), quantile(gaps, .5)/1000, quantile(gaps, .95)/1000, quantile(gaps, 1)/1000)
	return nil
}

// silence is the time from the kill to the next text, for a turn that the kill interrupted: text that was on its way then
// arrives within a fifth of a second, and the model's pauses are as long.
func (s sample) silence(killed time.Time) (time.Duration, bool) {
	answering := false
	for _, d := range s.deltas {
		if d.at.Before(killed.Add(200 * time.Millisecond)) {
			answering = true
			continue
		}
		gap := d.at.Sub(killed)
		return gap, answering && gap > 600*time.Millisecond
	}
	return 0, false
}

func (s *stack) killOnce(ctx context.Context) (next, done time.Duration, err error) {
	var conversation struct{ ID string }
	if err := s.post(ctx, s.people[0], "/api/ai/conversations", map[string]string{"connectionId": s.connection}, &conversation); err != nil {
		return 0, 0, err
	}
	message := map[string]string{
		"conversationId": conversation.ID, "messageId": uuid.NewString(),
		"message": "script: tokens=40 delay_first=50ms delay_token=50ms id=" + strings.ReplaceAll(uuid.NewString(), "-", ""),
	}
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		_, _ = s.ask(ctx, s.people[0], s.url+"/api/ai/chat", message, false)
	}()
	time.Sleep(time.Second)
	killed := time.Now()
	if err := s.product.Process.Kill(); err != nil {
		return 0, 0, err
	}
	_ = s.product.Wait()
	<-broken
	if err := s.startProduct(ctx); err != nil {
		return 0, 0, err
	}
	one, err := s.ask(ctx, s.people[0], s.url+"/api/ai/chat", message, true)
	if err != nil {
		return 0, 0, err
	}
	// The replay begins with what the killed process had written; new text is what comes after the reset.
	last := one.deltas[len(one.deltas)-1].at
	first := last
	for i := len(one.deltas) - 1; i > 0 && len(one.deltas)-i < 40; i-- {
		first = one.deltas[i].at
	}
	return first.Sub(killed), last.Sub(killed), nil
}
