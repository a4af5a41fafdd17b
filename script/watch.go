package script

import (
	"sync"

	"github.com/google/uuid"

	"countersign/store"
)

// Channel is the PostgreSQL notification channel that announces a test that is done; the payload is its id.
const Channel = "script_tests"

// watch wakes those who wait for tests. A wake-up is only a hint to look at the row.
type watch struct {
	mu      sync.Mutex
	waiting map[uuid.UUID]chan struct{}
}

// Subscription receives the notifications.
func (s *Service) Subscription() store.Subscription {
	return store.Subscription{
		Notify: func(payload string) {
			if id, err := uuid.Parse(payload); err == nil {
				s.watch.wake(id)
			}
		},
		Resync: s.watch.wakeAll,
	}
}

// on returns a channel that receives when the test may be done, until stop is called.
func (w *watch) on(id uuid.UUID) (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[id] = c
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting, id)
	}
}

func (w *watch) wake(id uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ring(w.waiting[id])
}

func (w *watch) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.waiting {
		ring(c)
	}
}

// ring does nothing for nobody: a nil channel takes nothing.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
