package store

import (
	"crypto/rand"
	"encoding/binary"
)

// NewPresence is a key by which a process is told from all others as long as it lives: that of Listener.Presence.
func NewPresence() int64 {
	var key [8]byte
	// It never fails.
	_, _ = rand.Read(key[:])
	return int64(binary.BigEndian.Uint64(key[:]) | 1)
}
