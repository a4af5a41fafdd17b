package script

import (
	"context"
	"errors"
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
	// ownAtOnce is how many tests of one principal this process has run at the same time. Further ones wait their turn, so
	// that nobody has all the workers to themselves.
	ownAtOnce = 2
)

// queue is where errands of one kind wait in this process, first come, first served, before they become work for the database, the
// engine and the workers: two hundred scripts that come at once must not be two hundred units of work in front of
// everybody's chats, and those of one person not in front of another's. Waiting here costs nothing.
type queue struct {
	steps, places *semaphore.Weighted
	// ownAtOnce is how many places a principal has.
	ownAtOnce int64

	mu  sync.Mutex
	own map[string]*share
}

// share is what one principal may have running, while anybody asks for it.
type share struct {
	places *semaphore.Weighted
	users  int
}

func newQueue(ownAtOnce int64) *queue {
	return &queue{steps: semaphore.NewWeighted(atOnce), places: semaphore.NewWeighted(unbegun), ownAtOnce: ownAtOnce, own: map[string]*share{}}
}

// step does something short that loads the database or the engine.
func (q *queue) step(ctx context.Context, do func() error) error {
	if err := q.steps.Acquire(ctx, 1); err != nil {
		return err
	}
	defer q.steps.Release(1)
	return do()
}

// place is a test's place in front of the workers. Both functions may be called again.
type place struct {
	// begun gives the place among those that wait for a worker to the next one, end also that of the principal.
	begun, end func()
}

// errOwn is why a test got no place: others of the same principal did not end.
var errOwn = errors.New("script: others of the same principal run")

// place waits for one as long as most. The error is errOwn or that of the context.
func (q *queue) place(ctx context.Context, principal string, most time.Duration) (place, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	own, leave := q.share(principal)
	if err := own.Acquire(ctx, 1); err != nil {
		leave()
		return place{}, errors.Join(errOwn, err)
	}
	release := sync.OnceFunc(func() {
		own.Release(1)
		leave()
	})
	if err := q.places.Acquire(ctx, 1); err != nil {
		release()
		return place{}, err
	}
	begun := sync.OnceFunc(func() { q.places.Release(1) })
	return place{begun: begun, end: func() { begun(); release() }}, nil
}

// share answers the places of a principal, until leave is called.
func (q *queue) share(principal string) (places *semaphore.Weighted, leave func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.own[principal]
	if s == nil {
		s = &share{places: semaphore.NewWeighted(q.ownAtOnce)}
		q.own[principal] = s
	}
	s.users++
	return s.places, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(q.own, principal)
		}
	}
}
