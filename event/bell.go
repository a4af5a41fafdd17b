package event

import (
	"sync"

	"countersign/store"
)

// Bell wakes everybody in this process who waits for events; subscribe it to Channel.
type Bell struct {
	mu   sync.Mutex
	rung chan struct{}
}

// NewBell makes a bell.
func NewBell() *Bell { return &Bell{rung: make(chan struct{})} }

// Subscription receives the notifications.
func (b *Bell) Subscription() store.Subscription {
	return store.Subscription{Notify: func(string) { b.ring() }, Resync: b.ring}
}

// Rung is closed when it rings next. Get it before you look for events, so that none comes unheard.
func (b *Bell) Rung() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

func (b *Bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}
