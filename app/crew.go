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

// temporalPatience is how long a process waits for Temporal when it starts; after that it starts without.
const temporalPatience = 10 * time.Second

// crew are the workers of this process. They start with it, or once Temporal is there, and stop while the database is lost.
type crew struct {
	// suspension ends the steps that run while the database is lost.
	suspension *worker.Suspension
	// once is for what begins with the first start.
	once sync.Once

	mu        sync.Mutex
	members   []*member
	suspended bool
	ended     bool
}

// member is one worker of the crew.
type member struct {
	// hire makes it. One that could not be started, or was stopped, is of no use any more.
	hire    func() (sdkworker.Worker, error)
	working sdkworker.Worker
	// stopped is closed once the one before has stopped; nil when there was none.
	stopped chan struct{}
}

// errSuspended is why workers do not start while the database is lost, errStopping while those before them have not stopped.
var (
	errSuspended = errors.New("the database is lost")
	errStopping  = errors.New("a worker that was suspended has not stopped yet")
)

func (c *crew) add(hire func() (sdkworker.Worker, error)) {
	c.members = append(c.members, &member{hire: hire})
}

// start starts those that do not work yet. With an error it can be called again.
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
		w, err := m.hire()
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

// halt begins to stop the worker, if it works.
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

// suspend has the workers take nothing more, and their steps given up for others.
func (c *crew) suspend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspended = true
	for _, m := range c.members {
		m.halt()
	}
	c.suspension.Suspend()
}

// resume lets the workers start again.
func (c *crew) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.suspended = false
	c.suspension.Resume()
}

// stop lets what runs come to its end, until ctx is over, and reports whether it did. Turns may wait for scripts, so
// neither goes first.
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
func (a *App) watchDatabase(ctx context.Context) {
	if a.monitor == nil {
		return
	}
	again := make(chan struct{}, 1)
	a.monitor.OnLost = func() {
		a.log.Warn("The database is lost: this process takes no more work, and gives up what it has for others")
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
				a.workAgain(ctx)
			}
		}
	})
}

// workAgain starts the workers that were suspended, until all work or the database is lost once more. Workers that
// never started do so when Temporal is there.
func (a *App) workAgain(ctx context.Context) {
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	for a.reached.Load() {
		err := a.startCrew(ctx)
		if err == nil {
			a.log.Info("This process works again")
		}
		if err == nil || errors.Is(err, errSuspended) {
			return
		}
		select {
		case <-a.background.Done():
			return
		case <-look.C:
		}
	}
}

// work starts the workers of this process: at once, or when Temporal is there. A Temporal that refuses the process is an error.
func (a *App) work(ctx context.Context) error {
	if a.reached.Load() {
		err := a.startCrew(ctx)
		if errors.Is(err, errSuspended) {
			// They start when the database is back.
			return nil
		}
		if err == nil || !worker.Unavailable(err) {
			return err
		}
		a.reached.Store(false)
		a.log.Warn(
			"Temporal is away. This process serves what it can without; messages and decisions are kept, and carried out once it is back",
			"error",
			err,
		)
	}
	a.running.Go(func() { a.workLater(ctx) })
	return nil
}

// startCrew starts the workers, and from then on goes on with the turns of processes that die, until ctx ends.
func (a *App) startCrew(ctx context.Context) error {
	err := a.crew.start()
	if err == nil && a.takeovers != nil {
		a.crew.once.Do(func() { a.running.Go(func() { a.takeovers.Run(ctx) }) })
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
// Where an operator has registered them, the operator service is not called, which not every namespace offers.
func (a *App) greetTemporal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, temporalPatience)
	defer cancel()
	if !a.config.TemporalRegister {
		if _, err := a.temporal.CheckHealth(ctx, &client.CheckHealthRequest{}); err != nil {
			return fmt.Errorf("greet Temporal: %w", err)
		}
		return nil
	}
	return worker.EnsureSearchAttributes(ctx, a.temporal, a.config.TemporalNamespace)
}
