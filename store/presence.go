package store

import (
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"
	"time"
)

// Presence tells a process from all others by the key of an advisory lock, which a Listener holds as long as the
// process lives and is connected. A process that is killed loses it at once, as the system closes its connections, and
// one that stands still keeps it.
type Presence struct {
	key  int64
	held atomic.Pointer[time.Time]
	// broke is set once it was lost.
	broke atomic.Bool
}

// NewPresence draws a key.
func NewPresence() *Presence {
	var key [8]byte
	// It never fails.
	_, _ = rand.Read(key[:])
	return &Presence{key: int64(binary.BigEndian.Uint64(key[:]) | 1)}
}

// Own is the key, whoever holds its lock; 0 without a Presence.
func (p *Presence) Own() int64 {
	if p == nil {
		return 0
	}
	return p.key
}

// Key is the key while its lock is held, else 0: nothing is to be found dead whose process has but lost a connection.
func (p *Presence) Key() int64 {
	if p == nil || p.held.Load() == nil {
		return 0
	}
	return p.key
}

// Steady reports whether the lock is held, and was not lost less than so long ago.
func (p *Presence) Steady(lately time.Duration) bool {
	if p == nil {
		return false
	}
	since := p.held.Load()
	return since != nil && (!p.broke.Load() || time.Since(*since) >= lately)
}

func (p *Presence) hold() { p.held.Store(new(time.Now())) }

func (p *Presence) lose() {
	p.broke.Store(true)
	p.held.Store(nil)
}
