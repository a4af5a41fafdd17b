package payload

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"countersign/internal/secret"
)

// rereadInterval bounds how often a keyset is read again.
const rereadInterval = time.Second

// Keys is the product's keyset for payloads. The newest key encrypts, all of them decrypt.
type Keys struct {
	current atomic.Pointer[secret.Keyset]
	load    func() (*secret.Keyset, error)

	mu   sync.Mutex
	last time.Time
}

// NewKeys makes the keys of a keyset. load reads the keyset again when a payload needs a missing key: another process
// may have started with a newer one. A nil load reads nothing.
func NewKeys(k *secret.Keyset, load func() (*secret.Keyset, error)) *Keys {
	keys := &Keys{load: load}
	keys.current.Store(k)
	return keys
}

// Current is the newest known keyset.
func (k *Keys) Current() *secret.Keyset { return k.current.Load() }

// keysetWith is the keyset if it has the key with this name, nil otherwise.
func (k *Keys) keysetWith(name string) *secret.Keyset {
	number, err := strconv.ParseUint(name, 16, 32)
	id := uint32(number)
	if err != nil || keyName(id) != name {
		return nil
	}
	if current := k.Current(); current.Holds(id) {
		return current
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.load != nil && time.Since(k.last) >= rereadInterval {
		k.last = time.Now()
		if fresh, err := k.load(); err == nil {
			k.current.Store(fresh)
		}
	}
	if current := k.Current(); current.Holds(id) {
		return current
	}
	return nil
}
