package store

import (
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"
	"time"
)

// ProcessLease identifies a running process by an advisory lock, which the connection of a Listener holds. A killed process
// loses it at once, because the kernel closes its connections; a suspended process keeps it.
type ProcessLease struct {
	key       int64
	heldSince atomic.Pointer[time.Time]
	// everLost is set at the first loss.
	everLost atomic.Bool
}

// NewProcessLease draws a random lock key.
func NewProcessLease() *ProcessLease {
	var key [8]byte
	// It never fails.
	_, _ = rand.Read(key[:])
	return &ProcessLease{key: int64(binary.BigEndian.Uint64(key[:]) | 1)}
}

// LockKey is the key, whether or not its lock is held; 0 for nil.
func (p *ProcessLease) LockKey() int64 {
	if p == nil {
		return 0
	}
	return p.key
}

// HeldKey is the key while its lock is held, else 0: a process that has only lost a connection must not be taken for dead.
func (p *ProcessLease) HeldKey() int64 {
	if p == nil || p.heldSince.Load() == nil {
		return 0
	}
	return p.key
}

// Stable reports whether the lock is held and was not lost within the last such time.
func (p *ProcessLease) Stable(lately time.Duration) bool {
	if p == nil {
		return false
	}
	since := p.heldSince.Load()
	return since != nil && (!p.everLost.Load() || time.Since(*since) >= lately)
}

func (p *ProcessLease) markHeld() { p.heldSince.Store(new(time.Now())) }

func (p *ProcessLease) markLost() {
	p.everLost.Store(true)
	p.heldSince.Store(nil)
}
