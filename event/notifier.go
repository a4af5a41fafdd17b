package event

import (
	"sync"

	"countersign/internal/store"
)

// Notifier wakes all goroutines of this process that wait for events; its Subscriptions notify it.
type Notifier struct {
	mu      sync.Mutex
	changed chan struct{}
}

// NewNotifier makes a Notifier.
func NewNotifier() *Notifier { return &Notifier{changed: make(chan struct{})} }

// Subscriptions receive the notifications of new events.
func (n *Notifier) Subscriptions() store.Subscriptions {
	return store.Subscriptions{Channel: n.Subscription()}
}

// Subscription is that to another channel than that of events.
func (n *Notifier) Subscription() store.Subscription {
	return store.Subscription{Notify: func(string) { n.Notify() }, Resync: n.Notify}
}

// Changed is closed at the next notification. Get it before reading events, so that none is missed.
func (n *Notifier) Changed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// Notify wakes all waiters.
func (n *Notifier) Notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.changed)
	n.changed = make(chan struct{})
}
