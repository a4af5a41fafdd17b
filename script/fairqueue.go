package script

import (
	"context"
	"slices"
	"sync"
)

// fairQueue is a semaphore with a round-robin queue over principals: many waiters of one principal get no more places
// than a single one.
type fairQueue struct {
	mu   sync.Mutex
	free int
	// waiters are queued by principal; round is the order in which principals are served. While waiters exist no
	// place is free.
	waiters map[string][]chan struct{}
	round   []string
}

func newFairQueue(places int) *fairQueue {
	return &fairQueue{free: places, waiters: map[string][]chan struct{}{}}
}

// acquire waits for a place. It fails with the error of ctx when that ends first.
func (q *fairQueue) acquire(ctx context.Context, who string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	assigned := q.enqueue(who)
	select {
	case <-assigned:
		return nil
	case <-ctx.Done():
	}
	if !q.dequeue(who, assigned) {
		q.release() // the place was handed over at the same moment
	}
	return ctx.Err()
}

// enqueue takes a free place, or queues. The channel is closed once the place is assigned.
func (q *fairQueue) enqueue(who string) chan struct{} {
	assigned := make(chan struct{})
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free > 0 {
		q.free--
		close(assigned)
		return assigned
	}
	if len(q.waiters[who]) == 0 {
		q.round = append(q.round, who)
	}
	q.waiters[who] = append(q.waiters[who], assigned)
	return assigned
}

// dequeue removes a waiter and reports whether it was queued.
func (q *fairQueue) dequeue(who string, assigned chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiters := q.waiters[who]
	at := slices.Index(waiters, assigned)
	if at < 0 {
		return false
	}
	q.waiters[who] = slices.Delete(waiters, at, at+1)
	if len(waiters) == 1 {
		delete(q.waiters, who)
		q.round = slices.DeleteFunc(q.round, func(one string) bool { return one == who })
	}
	return true
}

// release hands a place to the next principal, which then moves to the end of the round.
func (q *fairQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.round) == 0 {
		q.free++
		return
	}
	who := q.round[0]
	q.round = q.round[1:]
	waiters := q.waiters[who]
	close(waiters[0])
	if len(waiters) == 1 {
		delete(q.waiters, who)
		return
	}
	q.waiters[who] = waiters[1:]
	q.round = append(q.round, who)
}
