package script

import (
	"strings"
	"sync"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// Channel is the PostgreSQL notification channel of tests. The payload is the id of a finished test, or that id after
// the word begun.
const Channel = "script_tests"

const begun = "begun "

// watch wakes waiters. A wake-up is only a hint to read the row.
type watch struct {
	mu      sync.Mutex
	waiting map[uuid.UUID]*waiter
}

// waiter waits for one test.
type waiter struct{ begun, done chan struct{} }

// Subscriptions receive the notifications.
func (s *Service) Subscriptions() store.Subscriptions {
	return store.Subscriptions{Channel: {
		Notify: func(payload string) {
			text, isBegun := strings.CutPrefix(payload, begun)
			if id, err := uuid.Parse(text); err == nil {
				s.watch.wake(id, isBegun)
			}
		},
		Resync: s.watch.wakeAll,
	}}
}

// register adds a waiter for a test, until stop is called.
func (w *watch) register(id uuid.UUID) (one *waiter, stop func()) {
	one = &waiter{begun: make(chan struct{}, 1), done: make(chan struct{}, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[id] = one
	return one, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, id)
	}
}

func (w *watch) wake(id uuid.UUID, isBegun bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.waiting[id]
	switch {
	case one == nil:
	case isBegun:
		signal(one.begun)
	default:
		signal(one.done)
	}
}

func (w *watch) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.waiting {
		signal(one.begun)
		signal(one.done)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
