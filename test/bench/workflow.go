package main

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// emptyWorkflows measures a workflow with one local activity, on the same server: the minimum cost of a durable turn.
// Its worker is this process, whose processor time does not count.
func emptyWorkflows(ctx context.Context, s *stack, o options) error {
	c, err := dialTemporal(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	queue := s.queues + "empty"
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflowWithOptions(emptyWorkflow, workflow.RegisterOptions{Name: "Empty"})
	if err := w.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	defer w.Stop()
	run := func(ctx context.Context, _ int, _ string, _ bool) (sample, error) {
		begun := time.Now()
		started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: uuid.NewString(), TaskQueue: queue}, "Empty")
		if err == nil {
			err = started.Get(ctx, nil)
		}
		return sample{total: time.Since(begun)}, err
	}
	fmt.Print("\n| an empty workflow: clients | total p50 / p95 ms | a second | CPU each: Temporal + Postgres ms |\n|--:|--:|--:|--:|\n")
	for _, clients := range o.clients {
		e, err := measure(ctx, s, run, 0, clients, o.budget/2)
		if err != nil {
			return fmt.Errorf("empty workflows: %w", err)
		}
		fmt.Printf("| %d | %.1f / %.1f | %.1f | %.1f = %.1f + %.1f |\n", clients, quantile(e.totals(), .5), quantile(e.totals(), .95), e.rate,
			e.cpuPerTurn(e.cpu.Temporal+e.cpu.Postgres), e.cpuPerTurn(e.cpu.Temporal), e.cpuPerTurn(e.cpu.Postgres))
	}
	return nil
}

func emptyWorkflow(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: time.Minute})
	return workflow.ExecuteLocalActivity(ctx, func(context.Context) error { return nil }).Get(ctx, nil)
}
