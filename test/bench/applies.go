package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// burstSize is the number of concurrent decisions, and burstGoal the time in which all must be applied on two
// processors.
const (
	burstSize = 50
	burstGoal = 2 * time.Second
)

// applies measures the latency of single and concurrent decisions, from the request to the response after the change.
func applies(ctx context.Context, s *stack, o options) error {
	trials := 5
	if o.quick {
		trials = 2
	}
	fmt.Printf("\n## Applies (%d bursts of %d)\n\n", trials, burstSize)
	var alone, within, last []time.Duration
	for trial := range trials {
		tokens, err := s.proposals(ctx, fmt.Sprintf("alone %d", trial), 1)
		if err != nil {
			return fmt.Errorf("applies: %w", err)
		}
		one, err := s.decide(ctx, tokens)
		if err != nil {
			return fmt.Errorf("applies: %w", err)
		}
		alone = append(alone, one...)
		if tokens, err = s.proposals(ctx, fmt.Sprintf("burst %d", trial), burstSize); err != nil {
			return fmt.Errorf("applies: %w", err)
		}
		took, err := s.decide(ctx, tokens)
		if err != nil {
			return fmt.Errorf("applies: %w", err)
		}
		within, last = append(within, took...), append(last, quantileOf(took, 1))
	}
	slowest := quantileOf(last, 1)
	fmt.Printf("One alone: p50 %.2f s. %d at once: p50 %.2f s, the last one %.2f s at the median of the bursts and "+
		"%.2f s at worst, %.1f a second.\n",
		quantile(alone, .5)/1000, burstSize, quantile(within, .5)/1000, quantile(last, .5)/1000, slowest.Seconds(),
		burstSize/(quantile(last, .5)/1000))
	var g goals
	g.add("fifty applies at once, the last one", quantile(last, .5)/1000, "s", quantileOf(last, .5) <= burstGoal, burstGoal.String())
	g.print()
	return nil
}

func quantileOf(all []time.Duration, q float64) time.Duration {
	return time.Duration(quantile(all, q) * float64(time.Millisecond))
}

// proposals proposes a number of systems as the administrator and returns the tokens of their cards.
func (s *stack) proposals(ctx context.Context, name string, n int) ([]string, error) {
	tokens := make([]string, n)
	for i := range tokens {
		var card struct{ Token string }
		input := map[string]any{"input": map[string]string{"name": fmt.Sprintf("Bench %s %d", name, i)}}
		if err := s.post(ctx, s.people[0], "/api/ai/tools/catalog.createSystem/propose", input, &card); err != nil {
			return nil, err
		}
		tokens[i] = card.Token
	}
	return tokens, nil
}

// decide applies proposals concurrently as their author, and returns the latency of each.
func (s *stack) decide(ctx context.Context, tokens []string) ([]time.Duration, error) {
	took := make([]time.Duration, len(tokens))
	var group errgroup.Group
	var ready sync.WaitGroup
	ready.Add(len(tokens))
	for i, token := range tokens {
		group.Go(func() error {
			ready.Done()
			ready.Wait()
			begun := time.Now()
			var card struct{ Status string }
			if err := s.post(ctx, s.people[0], "/api/ai/proposals/apply", map[string]string{"token": token}, &card); err != nil {
				return err
			}
			if took[i] = time.Since(begun); card.Status != "applied" {
				return fmt.Errorf("a proposal that was agreed to is %s after %s", card.Status, took[i])
			}
			return nil
		})
	}
	return took, group.Wait()
}
