package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdkworker "go.temporal.io/sdk/worker"

	"countersign/worker"
)

// temporalPatience is how long a process waits for Temporal when it starts; after that it starts without.
const temporalPatience = 10 * time.Second

// crew are the workers of this process. They start with it, or once Temporal is there.
type crew struct {
	// hire makes each of them. One that could not be started is of no use any more.
	hire []func() (sdkworker.Worker, error)

	mu      sync.Mutex
	working []sdkworker.Worker
	ended   bool
}

func (c *crew) add(hire func() (sdkworker.Worker, error)) { c.hire = append(c.hire, hire) }

// start starts those that do not work yet. With an error it can be called again.
func (c *crew) start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.ended && len(c.working) < len(c.hire) {
		w, err := c.hire[len(c.working)]()
		if err == nil {
			err = w.Start()
		}
		if err != nil {
			return fmt.Errorf("start worker: %w", err)
		}
		c.working = append(c.working, w)
	}
	return nil
}

// stop lets what runs come to its end, until ctx is over, and reports whether it did. Turns may wait for scripts, so neither goes first.
func (c *crew) stop(ctx context.Context) bool {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		c.mu.Lock()
		c.ended = true
		working := c.working
		c.mu.Unlock()
		var stopping sync.WaitGroup
		for _, w := range working {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
	}()
	select {
	case <-stopped:
		return true
	case <-ctx.Done():
		return false
	}
}

// work starts the workers of this process: at once, or when Temporal is there. A Temporal that refuses the process is an error.
func (a *App) work(ctx context.Context) error {
	if a.reached.Load() {
		err := a.startCrew(ctx)
		if err == nil || !worker.Away(err) {
			return err
		}
		a.reached.Store(false)
		a.log.Warn("Temporal is away. This process serves what it can without; messages and decisions are kept, and carried out once it is back", "error", err)
	}
	a.running.Go(func() { a.workLater(ctx) })
	return nil
}

// startCrew starts the workers, and from then on goes on with the turns of processes that die, until ctx ends.
func (a *App) startCrew(ctx context.Context) error {
	err := a.crew.start()
	if err == nil && a.takeovers != nil {
		a.running.Go(func() { a.takeovers.Run(ctx) })
	}
	return err
}

// workLater starts the workers once Temporal is there. What refuses them then may be mended while the process runs, so it is tried again.
func (a *App) workLater(ctx context.Context) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	told := time.Now()
	for {
		select {
		case <-a.background.Done():
			return
		case <-look.C:
		}
		err := a.greetTemporal(a.background)
		if err == nil {
			err = a.startCrew(ctx)
		}
		if err == nil {
			a.reached.Store(true)
			a.log.Info("Temporal is there; this process works now")
			return
		}
		if time.Since(told) > time.Minute && a.background.Err() == nil {
			told = time.Now()
			a.log.Warn("Temporal is still away, or refuses this process", "error", err)
		}
	}
}

// greetTemporal makes sure that Temporal is there, and knows the search attributes without which no workflow starts.
func (a *App) greetTemporal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, temporalPatience)
	defer cancel()
	return worker.EnsureSearchAttributes(ctx, a.temporal, a.config.TemporalNamespace)
}
