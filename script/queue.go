package script

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// atOnce is how many tests of this process are stored or started at the same moment.
	atOnce = 4
	// unbegun is how many tests of this process wait for a sandbox worker. One that works picks them up in milliseconds, so
	// they hold nobody up then; when all workers are busy, more of them would only be load.
	unbegun = 16
)

// queue is where tests wait in this process, first come, first served, before they become work for the database, the
// engine and the workers: two hundred scripts that come at once must not be two hundred units of work in front of
// everybody's chats. Waiting here costs nothing.
type queue struct{ steps, places *semaphore.Weighted }

func newQueue() queue {
	return queue{steps: semaphore.NewWeighted(atOnce), places: semaphore.NewWeighted(unbegun)}
}

// step does something short that loads the database or the engine.
func (q queue) step(ctx context.Context, do func() error) error {
	if err := q.steps.Acquire(ctx, 1); err != nil {
		return err
	}
	defer q.steps.Release(1)
	return do()
}

// place waits for a place among those that wait for a worker, as long as most. The place is given back with leave, which
// may be called again.
func (q queue) place(ctx context.Context, most time.Duration) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if err := q.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { q.places.Release(1) }), nil
}
