// Package convoy lets those who have the same way to the database at the same time go together.
//
// Who asks while nobody of the same key is under way goes at once, alone. Who asks meanwhile waits, and goes with all others
// that wait as soon as that trip is over. So each trip begins after everybody on it has asked: what it reads is as new as if each
// had gone alone, and what takes turns in the database takes one turn for many.
package convoy

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// patience bounds a trip that is made for several, any of which may have gone away meanwhile.
const patience = 30 * time.Second

// Trip does what was asked, in the order in which it was asked; its answers are in the same order. An error is everybody's.
type Trip[K comparable, Q, A any] func(ctx context.Context, key K, asked []Q) ([]A, error)

// Line is where people wait who have the same way.
type Line[K comparable, Q, A any] struct {
	trip Trip[K, Q, A]
	most int

	mu sync.Mutex
	// waiting has an entry for each key that somebody is under way for.
	waiting map[K][]*passenger[Q, A]
}

type passenger[Q, A any] struct {
	ctx    context.Context
	asked  Q
	answer A
	err    error
	done   chan struct{}
}

// New makes a line whose trips have at most so many passengers.
func New[K comparable, Q, A any](most int, trip Trip[K, Q, A]) *Line[K, Q, A] {
	return &Line[K, Q, A]{trip: trip, most: most, waiting: map[K][]*passenger[Q, A]{}}
}

// Ask is the answer of the trip that took q along. When ctx ends before, the trip may be made all the same, as with any request
// to the database that is given up. The values of ctx may be those of another passenger: it must not carry a transaction.
func (l *Line[K, Q, A]) Ask(ctx context.Context, key K, q Q) (A, error) {
	p := &passenger[Q, A]{ctx: ctx, asked: q}
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
	// A panic of the trip is that of who asked, and keeps nobody waiting.
	defer l.handOver(key)
	answers, err := l.trip(ctx, key, []Q{q})
	l.tell([]*passenger[Q, A]{p}, answers, err)
	return p.answer, p.err
}

// handOver lets those go who have come meanwhile, or ends the key.
func (l *Line[K, Q, A]) handOver(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting[key]) == 0 {
		delete(l.waiting, key)
		return
	}
	go l.drive(key)
}

// drive makes trips until nobody waits.
func (l *Line[K, Q, A]) drive(key K) {
	for {
		l.mu.Lock()
		all := l.waiting[key]
		if len(all) == 0 {
			delete(l.waiting, key)
			l.mu.Unlock()
			return
		}
		n := min(len(all), l.most)
		l.waiting[key] = all[n:]
		l.mu.Unlock()
		l.take(key, all[:n])
	}
}

// take makes a trip with those who have not gone away.
func (l *Line[K, Q, A]) take(key K, all []*passenger[Q, A]) {
	here := make([]*passenger[Q, A], 0, len(all))
	asked := make([]Q, 0, len(all))
	for _, p := range all {
		if p.ctx.Err() == nil {
			here, asked = append(here, p), append(asked, p.asked)
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
		l.tell(here, answers, err)
		for _, p := range here {
			close(p.done)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(here[0].ctx), patience)
	defer cancel()
	answers, err = l.trip(ctx, key, asked)
}

func (l *Line[K, Q, A]) tell(all []*passenger[Q, A], answers []A, err error) {
	if err == nil && len(answers) != len(all) {
		err = fmt.Errorf("%d answers for %d passengers", len(answers), len(all))
	}
	for i, p := range all {
		if p.err = err; err == nil {
			p.answer = answers[i]
		}
	}
}
