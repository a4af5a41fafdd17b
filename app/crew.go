package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"

	"countersign/worker"
)

// temporalTimeout bounds how long a starting process waits for Temporal; after that it starts in degraded mode.
const temporalTimeout = 10 * time.Second

// crew are the workers of this process. They start with it, or when Temporal becomes reachable, and stop while the
// database is lost.
type crew struct {
	// suspension cancels running steps while the database is lost.
	suspension *worker.Suspension

	mu        sync.Mutex
	members   []*member
	suspended bool
	ended     bool
}

// member is one worker of the crew.
type member struct {
	// create constructs a worker. A worker that failed to start or was stopped cannot be reused.
	create  func() (sdkworker.Worker, error)
	working sdkworker.Worker
	// stopped is closed once the previous worker has stopped; nil when there was none.
	stopped chan struct{}
}

// errSuspended: workers do not start while the database is lost. errStopping: the previous workers have not stopped
// yet.
var (
	errSuspended = errors.New("the database is lost")
	errStopping  = errors.New("a worker that was suspended has not stopped yet")
)

func (c *crew) add(create func() (sdkworker.Worker, error)) {
	c.members = append(c.members, &member{create: create})
}

// start starts the workers that do not run. It can be repeated after an error.
func (c *crew) start() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.suspended {
		return errSuspended
	}
	var late error
	for _, m := range c.members {
		if c.ended || m.working != nil {
			continue
		}
		if m.stopping() {
			late = errStopping
			continue
		}
		w, err := m.create()
		if err == nil {
			err = w.Start()
		}
		if err != nil {
			return fmt.Errorf("start worker: %w", err)
		}
		m.working = w
	}
	return late
}

func (m *member) stopping() bool {
	if m.stopped == nil {
		return false
	}
	select {
	case <-m.stopped:
		return false
	default:
		return true
	}
}

// halt begins to stop the worker if it runs.
func (m *member) halt() {
	w := m.working
	if w == nil {
		return
	}
	m.working, m.stopped = nil, make(chan struct{})
	go func() {
		defer close(m.stopped)
		w.Stop()
	}()
}

// suspend stops the workers, and gives their running steps up for other processes.
func (c *crew) suspend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspended = true
	for _, m := range c.members {
		m.halt()
	}
	c.suspension.Suspend()
}

// resume allows the workers to start again.
func (c *crew) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspended = false
	c.suspension.Resume()
}

// stop waits for running steps until ctx ends (graceful shutdown), and reports whether they finished. All workers stop
// together, as turns may wait for scripts.
func (c *crew) stop(ctx context.Context) bool {
	c.mu.Lock()
	c.ended = true
	for _, m := range c.members {
		m.halt()
	}
	c.mu.Unlock()
	for _, m := range c.members {
		if m.stopped == nil {
			continue
		}
		select {
		case <-m.stopped:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// watchDatabase suspends the workers while the database is lost.
func (a *App) watchDatabase() {
	if a.monitor == nil {
		return
	}
	again := make(chan struct{}, 1)
	a.monitor.OnLost = func() {
		a.log.Warn("Workers suspended: the database is lost; other processes take over")
		a.crew.suspend()
	}
	a.monitor.OnRecovered = func() {
		a.crew.resume()
		select {
		case again <- struct{}{}:
		default:
		}
	}
	a.running.Go(func() { a.monitor.Run(a.background) })
	a.running.Go(func() {
		for {
			select {
			case <-a.background.Done():
				return
			case <-again:
				a.restartCrew()
			}
		}
	})
}

// restartCrew starts the suspended workers, until all run or the database is lost again. Workers that never started do
// so when Temporal becomes reachable.
func (a *App) restartCrew() {
	poll := time.NewTicker(200 * time.Millisecond)
	defer poll.Stop()
	for a.reached.Load() {
		err := a.crew.start()
		if err == nil {
			a.log.Info("Workers resumed")
		}
		if err == nil || errors.Is(err, errSuspended) {
			return
		}
		select {
		case <-a.background.Done():
			return
		case <-poll.C:
		}
	}
}

// startWork starts the workers of this process: at once, or when Temporal becomes reachable. It fails when Temporal
// refuses the process.
func (a *App) startWork() error {
	if a.roles.Probe {
		return nil
	}
	if a.reached.Load() {
		err := a.crew.start()
		if errors.Is(err, errSuspended) {
			// They start when the database is back.
			return nil
		}
		if err == nil || !worker.Unavailable(err) {
			return err
		}
		a.reached.Store(false)
		a.log.Warn(
			"Temporal unreachable: degraded mode; messages and decisions are stored until it is back",
			"error",
			err,
		)
	}
	a.running.Go(func() { a.startWhenReachable() })
	return nil
}

// startWhenReachable starts the workers when Temporal becomes reachable. It retries refusals, as their cause may be
// fixed meanwhile.
func (a *App) startWhenReachable() {
	poll := time.NewTicker(time.Second)
	defer poll.Stop()
	loggedAt := time.Now()
	for {
		select {
		case <-a.background.Done():
			return
		case <-poll.C:
		}
		err := a.checkTemporal(a.background)
		if err == nil {
			err = a.crew.start()
		}
		if err == nil {
			a.reached.Store(true)
			a.log.Info("Workers started: Temporal is reachable")
			return
		}
		if time.Since(loggedAt) > time.Minute && a.background.Err() == nil {
			loggedAt = time.Now()
			a.log.Warn("Temporal still unreachable or refusing this process", "error", err)
		}
	}
}

// checkTemporal checks that Temporal is reachable and knows the required search attributes. If an operator registers
// them, it does not call the operator service, which some namespaces lack.
func (a *App) checkTemporal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, temporalTimeout)
	defer cancel()
	if !a.config.TemporalRegister {
		if _, err := a.temporal.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
			return fmt.Errorf("check Temporal: %w", err)
		}
		return nil
	}
	return worker.EnsureSearchAttributes(ctx, a.temporal, a.config.TemporalNamespace)
}
