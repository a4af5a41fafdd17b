// Package batching coalesces concurrent requests of the same key into one call (request batching, write coalescing).
//
// A request without another one of its key in flight runs at once, alone. Requests that arrive meanwhile wait and run together
// when that call has returned. So each batch starts after all of its requests have arrived: it reads data as fresh as separate
// calls would, and takes a contended lock once for many.
package batching

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// batchTimeout bounds a batch of waiting requests, whose callers may have gone away meanwhile.
const batchTimeout = 30 * time.Second

// Func handles the requests of a batch; its answers are in the order of the requests. An error fails all of them.
type Func[K comparable, Q, A any] func(ctx context.Context, key K, asked []Q) ([]A, error)

// Batcher coalesces requests.
type Batcher[K comparable, Q, A any] struct {
	run     Func[K, Q, A]
	maxSize int

	mu sync.Mutex
	// waiting has an entry for each key with a call in flight.
	waiting map[K][]*request[Q, A]
}

type request[Q, A any] struct {
	ctx    context.Context
	input  Q
	answer A
	err    error
	done   chan struct{}
}

// New makes a Batcher whose batches hold at most maxSize requests.
func New[K comparable, Q, A any](maxSize int, trip Func[K, Q, A]) *Batcher[K, Q, A] {
	return &Batcher[K, Q, A]{run: trip, maxSize: maxSize, waiting: map[K][]*request[Q, A]{}}
}

// Do returns the answer of the batch that includes q. When ctx ends before, the batch may run all the same, as a canceled
// database request may. The context values of a batch may be those of another caller: ctx must not carry a transaction.
func (l *Batcher[K, Q, A]) Do(ctx context.Context, key K, q Q) (A, error) {
	p := &request[Q, A]{ctx: ctx, input: q}
	l.mu.Lock()
	waiting, busy := l.waiting[key]
	if busy {
		p.done = make(chan struct{})
		l.waiting[key] = append(waiting, p)
		l.mu.Unlock()
		select {
		case <-p.done:
			return p.answer, p.err
		case <-ctx.Done():
			var none A
			return none, context.Cause(ctx)
		}
	}
	l.waiting[key] = nil
	l.mu.Unlock()
	// A panic of run reaches this caller, and blocks no other one.
	defer l.startPending(key)
	answers, err := l.run(ctx, key, []Q{q})
	l.deliver([]*request[Q, A]{p}, answers, err)
	return p.answer, p.err
}

// startPending starts a batch of the requests that have arrived meanwhile, or removes the key.
func (l *Batcher[K, Q, A]) startPending(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting[key]) == 0 {
		delete(l.waiting, key)
		return
	}
	go l.runPending(key)
}

// runPending runs batches until no request waits.
func (l *Batcher[K, Q, A]) runPending(key K) {
	for {
		l.mu.Lock()
		all := l.waiting[key]
		if len(all) == 0 {
			delete(l.waiting, key)
			l.mu.Unlock()
			return
		}
		n := min(len(all), l.maxSize)
		l.waiting[key] = all[n:]
		l.mu.Unlock()
		l.runBatch(key, all[:n])
	}
}

// runBatch runs a batch with the requests whose callers still wait.
func (l *Batcher[K, Q, A]) runBatch(key K, all []*request[Q, A]) {
	here := make([]*request[Q, A], 0, len(all))
	asked := make([]Q, 0, len(all))
	for _, p := range all {
		if p.ctx.Err() == nil {
			here, asked = append(here, p), append(asked, p.input)
		}
	}
	if len(here) == 0 {
		return
	}
	var answers []A
	var err error
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
		l.deliver(here, answers, err)
		for _, p := range here {
			close(p.done)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(here[0].ctx), batchTimeout)
	defer cancel()
	answers, err = l.run(ctx, key, asked)
}

func (l *Batcher[K, Q, A]) deliver(all []*request[Q, A], answers []A, err error) {
	if err == nil && len(answers) != len(all) {
		err = fmt.Errorf("%d answers for %d requests", len(answers), len(all))
	}
	for i, p := range all {
		if p.err = err; err == nil {
			p.answer = answers[i]
		}
	}
}
