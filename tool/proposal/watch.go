package proposal

import (
	"sync"

	"github.com/google/uuid"

	"countersign/internal/store"
)

// Channel is the PostgreSQL notification channel that announces a proposal that became final; the payload is its id.
const Channel = "proposals"

// Watch wakes waiters for proposals. A wake-up is only a hint to read the row.
type Watch struct {
	mu      sync.Mutex
	waiting map[uuid.UUID]map[chan struct{}]struct{}
}

// NewWatch makes a watch; subscribe its Subscriptions.
func NewWatch() *Watch { return &Watch{waiting: map[uuid.UUID]map[chan struct{}]struct{}{}} }

// Subscriptions receive the notifications.
func (w *Watch) Subscriptions() store.Subscriptions {
	return store.Subscriptions{Channel: {
		Notify: func(payload string) {
			if id, err := uuid.Parse(payload); err == nil {
				w.wake(&id)
			}
		},
		Resync: func() { w.wake(nil) },
	}}
}

// On returns a channel that receives when the proposal may have changed, until stop is called.
func (w *Watch) On(id uuid.UUID) (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[id] == nil {
		w.waiting[id] = map[chan struct{}]struct{}{}
	}
	w.waiting[id][c] = struct{}{}
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waiting[id], c)
		if len(w.waiting[id]) == 0 {
			delete(w.waiting, id)
		}
	}
}

func (w *Watch) wake(id *uuid.UUID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, set := range w.waiting {
		if id != nil && key != *id {
			continue
		}
		for c := range set {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}
}
