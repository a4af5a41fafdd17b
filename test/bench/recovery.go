package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
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
	return nil
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
