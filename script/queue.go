package script

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	// maxStarting bounds the tests that this process stores or starts at the same moment.
	maxStarting = 4
	// maxUnstarted bounds the tests of this process that wait for a sandbox worker. A free worker picks them up in
	// milliseconds; when all are busy, more of them would only be load.
	maxUnstarted = 16
	// ownAtOnce is the concurrency limit per principal in this process. Further tests wait.
	ownAtOnce = 2
	// ownRunning is the concurrency limit per principal for scripts and tools of all kinds over all processes: at most
	// half of MinWorkerPlaces, so that no principal can occupy a whole worker.
	ownRunning = MinWorkerPlaces / 2
	// MinWorkerPlaces is the smallest concurrency limit of a process that runs scripts.
	MinWorkerPlaces = 8
)

// queue admits the jobs of one kind in this process (backpressure), before they load the database, the engine and the
// workers: two hundred scripts at once must not delay everyone's chats. It is fair between principals, and waiting is
// cheap.
type queue struct {
	steps, places *fairQueue
	// ownAtOnce is the number of places of a principal.
	ownAtOnce int64

	mu     sync.Mutex
	shares map[string]*share
}

// share is the concurrency limit of one principal, kept while in use.
type share struct {
	places *semaphore.Weighted
	users  int
}

func newQueue(ownAtOnce int64) *queue {
	return &queue{steps: newFairQueue(maxStarting), places: newFairQueue(maxUnstarted), ownAtOnce: ownAtOnce, shares: map[string]*share{}}
}

// step runs a short operation that loads the database or the engine.
func (q *queue) step(ctx context.Context, who string, do func() error) error {
	if err := q.steps.acquire(ctx, who); err != nil {
		return err
	}
	defer q.steps.release()
	return do()
}

// errOverShare means that a test got no place because others of the same principal did not end.
var errOverShare = errors.New("script: others of the same principal run")

// acquireShare waits for a part of the principal's share here. end returns it and is idempotent.
func (q *queue) acquireShare(ctx context.Context, who string) (end func(), err error) {
	own, leave := q.share(who)
	if err := own.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return sync.OnceFunc(func() { own.Release(1); leave() }), nil
}

// tryAcquireShare is acquireShare without waiting; end is nil when the share is used up.
func (q *queue) tryAcquireShare(who string) (end func(), ok bool) {
	own, leave := q.share(who)
	if !own.TryAcquire(1) {
		leave()
		return nil, false
	}
	return sync.OnceFunc(func() { own.Release(1); leave() }), true
}

// acquirePlace waits for a place in front of the workers. begun releases it and is idempotent.
func (q *queue) acquirePlace(ctx context.Context, who string) (begun func(), err error) {
	if err := q.places.acquire(ctx, who); err != nil {
		return nil, err
	}
	return sync.OnceFunc(q.places.release), nil
}

// share returns the places of a principal, until leave is called.
func (q *queue) share(principal string) (places *semaphore.Weighted, leave func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.shares[principal]
	if s == nil {
		s = &share{places: semaphore.NewWeighted(q.ownAtOnce)}
		q.shares[principal] = s
	}
	s.users++
	return s.places, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(q.shares, principal)
		}
	}
}
