package script

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	// atOnce is how many tests of this process are stored or started at the same moment.
	atOnce = 4
	// unbegun is how many tests of this process wait for a sandbox worker. One that works picks them up in milliseconds, so
	// they hold nobody up then; when all workers are busy, more of them would only be load.
	unbegun = 16
	// ownAtOnce is how many tests of one principal this process has admitted at the same time. Further ones wait their turn.
	ownAtOnce = 2
	// ownRunning is how many scripts and tools of one principal run at the same time, of all kinds and over all processes: at most
	// half of MinWorkerPlaces, so that nobody has a worker to themselves, however long theirs take.
	ownRunning = MinWorkerPlaces / 2
	// MinWorkerPlaces is how many scripts a process that runs them takes at the least.
	MinWorkerPlaces = 8
)

// queue is where errands of one kind wait in this process, before they become work for the database, the
// engine and the workers: two hundred scripts that come at once must not be two hundred units of work in front of
// everybody's chats. Principals take turns, so those of one person are not in front of another's. Waiting here costs nothing.
type queue struct {
	steps, places *turns
	// ownAtOnce is how many places a principal has.
	ownAtOnce int64

	mu     sync.Mutex
	shares map[string]*share
}

// share is what one principal may have running, while anybody asks for it.
type share struct {
	places *semaphore.Weighted
	users  int
}

func newQueue(ownAtOnce int64) *queue {
	return &queue{steps: newTurns(atOnce), places: newTurns(unbegun), ownAtOnce: ownAtOnce, shares: map[string]*share{}}
}

// step does something short that loads the database or the engine.
func (q *queue) step(ctx context.Context, who string, do func() error) error {
	if err := q.steps.take(ctx, who); err != nil {
		return err
	}
	defer q.steps.give()
	return do()
}

// errOwn is why a test got no place: others of the same principal did not end.
var errOwn = errors.New("script: others of the same principal run")

// own waits for a part of what the principal may have admitted here. end gives it back and may be called again.
func (q *queue) own(ctx context.Context, who string) (end func(), err error) {
	own, leave := q.share(who)
	if err := own.Acquire(ctx, 1); err != nil {
		leave()
		return nil, err
	}
	return sync.OnceFunc(func() { own.Release(1); leave() }), nil
}

// tryOwn is own for whoever does not wait; end is nil when nothing is left.
func (q *queue) tryOwn(who string) (end func(), ok bool) {
	own, leave := q.share(who)
	if !own.TryAcquire(1) {
		leave()
		return nil, false
	}
	return sync.OnceFunc(func() { own.Release(1); leave() }), true
}

// place waits for a place in front of the workers. begun gives it to the next one and may be called again.
func (q *queue) place(ctx context.Context, who string) (begun func(), err error) {
	if err := q.places.take(ctx, who); err != nil {
		return nil, err
	}
	return sync.OnceFunc(q.places.give), nil
}

// share answers the places of a principal, until leave is called.
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
