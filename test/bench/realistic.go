package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// realistic starts many turns at once against a model that takes 300 ms to its first token and then sends 30 tokens a
// second for 15 s. Each token carries the time at which the model sent it, so that the way from there to the client's
// socket can be read off.
func realistic(ctx context.Context, s *stack, turns int) error {
	const tokens = 450
	fmt.Printf("\n## %d turns at once, 300 ms to the first token, then %d tokens at 33 ms\n\n", turns, tokens)
	f, err := burst(ctx, s, s.floorTurn, turns, tokens)
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	p, err := burst(ctx, s, s.turn, turns, tokens)
	if err != nil {
		return fmt.Errorf("product: %w", err)
	}
	fmt.Println(
		"| target | lost | total p50 s | first text p50 / p95 ms | token to client p50 / p95 ms | CPU a turn: app + Temporal + Postgres ms |",
	)
	fmt.Println("|---|--:|--:|--:|--:|--:|")
	for name, c := range map[string]cell{"floor": f, "product": p} {
		lag := c.lags()
		fmt.Printf("| %s | %d | %.2f | %.0f / %.0f | %.1f / %.1f | %.1f = %.1f + %.1f + %.1f |\n", name, c.errors, quantile(c.totals(), .5)/1000,
			quantile(c.firsts(), .5), quantile(c.firsts(), .95), quantile(lag, .5), quantile(lag, .95),
			c.cpuPerTurn(c.cpu.total()), c.cpuPerTurn(c.cpu.App), c.cpuPerTurn(c.cpu.Temporal), c.cpuPerTurn(c.cpu.Postgres))
	}
	return nil
}

func burst(ctx context.Context, s *stack, ask ask, turns, tokens int) (cell, error) {
	var c cell
	var mu sync.Mutex
	before := s.cpu()
	var all sync.WaitGroup
	for person := range turns {
		all.Go(func() {
			one, err := ask(
				ctx,
				person,
				fmt.Sprintf("script: tokens=%d stamp delay_first=300ms delay_token=33ms id=%s", tokens, strings.ReplaceAll(uuid.NewString(), "-", "")),
				true,
			)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				c.errors++
				c.firstBy = err
				return
			}
			c.samples = append(c.samples, one)
		})
	}
	all.Wait()
	c.cpu = s.cpu().sub(before)
	if len(c.samples) == 0 {
		return c, c.firstBy
	}
	return c, nil
}

// lags are the times from the model's sending of a token to its arrival, from the stamps in the text: microseconds
// since the epoch between angle brackets.
func (c cell) lags() []time.Duration {
	var ds []time.Duration
	for _, s := range c.samples {
		for _, d := range s.deltas {
			_, rest, ok := strings.Cut(d.text, "<")
			text, _, closed := strings.Cut(rest, ">")
			micros, err := strconv.ParseInt(text, 10, 64)
			if ok && closed && err == nil {
				ds = append(ds, d.at.Sub(time.UnixMicro(micros)))
			}
		}
	}
	return ds
}
