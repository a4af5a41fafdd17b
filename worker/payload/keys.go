package payload

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"countersign/secret"
)

// reread is how often a keyset is read again at most.
const reread = time.Second

// Keys are the keys of payloads: those of the product's keyset. The newest encrypts, all of them decrypt.
type Keys struct {
	current atomic.Pointer[secret.Keyset]
	load    func() (*secret.Keyset, error)

	mu   sync.Mutex
	last time.Time
}

// NewKeys are the keys of a keyset. When a payload needs one that it lacks, load reads the keyset again: another process
// may have been started with a newer one. A nil load reads nothing.
func NewKeys(k *secret.Keyset, load func() (*secret.Keyset, error)) *Keys {
	keys := &Keys{load: load}
	keys.current.Store(k)
	return keys
}

// Current is the newest known keyset.
func (k *Keys) Current() *secret.Keyset { return k.current.Load() }

// holding is the keyset if it has the key with this name, nil otherwise.
func (k *Keys) holding(name string) *secret.Keyset {
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
	if k.load != nil && time.Since(k.last) >= reread {
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
