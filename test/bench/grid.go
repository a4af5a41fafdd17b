package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// cell is the result of one target with a number of rounds and clients.
type cell struct {
	samples []sample
	rate    float64
	cpu     cpu
	errors  int
	firstBy error
}

func (c cell) firsts() []time.Duration {
	ds := make([]time.Duration, len(c.samples))
	for i, s := range c.samples {
		ds[i] = s.first
	}
	return ds
}

func (c cell) totals() []time.Duration {
	ds := make([]time.Duration, len(c.samples))
	for i, s := range c.samples {
		ds[i] = s.total
	}
	return ds
}

// cpuPerTurn is in milliseconds.
func (c cell) cpuPerTurn(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000 / float64(max(len(c.samples), 1))
}

// cpuByPart is the processor time of a turn as a sum of its parts, with APIs and workers apart where they are processes of their own.
func (c cell) cpuByPart(split bool) string {
	app := fmt.Sprintf("%.1f", c.cpuPerTurn(c.cpu.App))
	if split {
		app = fmt.Sprintf("%.1f + %.1f", c.cpuPerTurn(c.cpu.App-c.cpu.Workers), c.cpuPerTurn(c.cpu.Workers))
	}
	return fmt.Sprintf("%.1f = %s + %.1f + %.1f", c.cpuPerTurn(c.cpu.total()), app, c.cpuPerTurn(c.cpu.Temporal), c.cpuPerTurn(c.cpu.Postgres))
}

// splitGrid is the grid with the product as two APIs and two workers; clients are spread over the two APIs.
func splitGrid(ctx context.Context, o options) error {
	o.split = true
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("\n# Turns, two APIs and two workers, %s\n\n", time.Now().Format(time.DateOnly))
	return grid(ctx, s, o)
}

func grid(ctx context.Context, s *stack, o options) error {
	if _, err := measure(ctx, s, s.turn, 4, 4, time.Second); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	parts := "app + Temporal + Postgres"
	if s.split {
		parts = "APIs + workers + Temporal + Postgres"
	}
	fmt.Printf(
		"| tool rounds | clients | turns | first text p50 (floor) ms | total p50 / p95 (floor p50) ms | per step over "+
			"floor ms | turns/s (floor) | CPU a turn: %s ms |\n",
		parts,
	)
	fmt.Println("|--:|--:|--:|--:|--:|--:|--:|--:|")
	before, err := s.size(ctx)
	if err != nil {
		return err
	}
	turns := 0
	for _, k := range o.rounds {
		for _, c := range o.clients {
			f, err := measure(ctx, s, s.floorTurn, k, c, o.budget/2)
			if err != nil {
				return fmt.Errorf("floor: %w", err)
			}
			p, err := measure(ctx, s, s.turn, k, c, o.budget)
			if err != nil {
				return fmt.Errorf("product: %w", err)
			}
			turns += len(p.samples)
			over := (quantile(p.totals(), .5) - quantile(f.totals(), .5)) / float64(k+1)
			fmt.Printf("| %d | %d | %d | %.1f (%.1f) | %.1f / %.1f (%.1f) | %.1f | %.1f (%.0f) | %s |\n", k, c, len(p.samples),
				quantile(p.firsts(), .5), quantile(f.firsts(), .5), quantile(p.totals(), .5), quantile(p.totals(), .95), quantile(f.totals(), .5),
				over, p.rate, f.rate, p.cpuByPart(s.split))
		}
	}
	if err := s.bytes(ctx, before, turns); err != nil {
		return err
	}
	return emptyWorkflows(ctx, s, o)
}

type ask func(ctx context.Context, person int, script string, keep bool) (sample, error)

// measure has clients send one turn after the other for a time. Any error fails the run.
func measure(ctx context.Context, s *stack, ask ask, rounds, clients int, budget time.Duration) (cell, error) {
	var c cell
	var mu sync.Mutex
	var failed atomic.Pointer[error]
	before, begun := s.cpu(), time.Now()
	var all sync.WaitGroup
	for person := range clients {
		all.Go(func() {
			for time.Since(begun) < budget && failed.Load() == nil {
				one, err := ask(ctx, person, script(rounds), false)
				if err != nil {
					failed.CompareAndSwap(nil, &err)
					return
				}
				mu.Lock()
				c.samples = append(c.samples, one)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	c.rate = float64(len(c.samples)) / time.Since(begun).Seconds()
	c.cpu = s.cpu().sub(before)
	if err := failed.Load(); err != nil {
		return c, *err
	}
	return c, nil
}

type size struct{ database, wal int64 }

func (s *stack) size(ctx context.Context) (size, error) {
	var z size
	conn, err := pgx.Connect(ctx, s.database)
	if err != nil {
		return z, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, "SELECT pg_database_size(current_database()), pg_current_wal_lsn() - '0/0'").Scan(&z.database, &z.wal)
	return z, err
}

// bytes reports what turns leave behind: in the product's database before pruning, and in the write-ahead log, which
// Temporal's tables share.
func (s *stack) bytes(ctx context.Context, before size, turns int) error {
	after, err := s.size(ctx)
	if err != nil || turns == 0 {
		return err
	}
	fmt.Printf(
		"\nBytes a turn, over all cells (%d turns): %d in the product's tables before pruning, %d of write-ahead log with Temporal's.\n",
		turns,
		(after.database-before.database)/int64(turns),
		(after.wal-before.wal)/int64(turns),
	)
	return nil
}
