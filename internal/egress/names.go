package egress

import (
	"net/netip"
	"sync"
	"time"
)

// maxNames bounds how many names are remembered at once.
const maxNames = 4096

// names remembers for a short while which addresses a name has, so that a burst of connections asks the DNS once.
type names struct {
	mu    sync.Mutex
	keep  time.Duration
	known map[string]known
}

type known struct {
	addrs []netip.Addr
	until time.Time
}

// newNames remembers nothing when keep is negative.
func newNames(keep time.Duration) *names { return &names{keep: keep, known: map[string]known{}} }

// get returns the cached addresses of a name; nil for an unknown one.
func (n *names) get(name string) []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	k, ok := n.known[name]
	if !ok || time.Now().After(k.until) {
		return nil
	}
	return k.addrs
}

func (n *names) put(name string, addrs []netip.Addr) {
	if n.keep < 0 {
		return
	}
	now := time.Now()
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.known) >= maxNames {
		for old, k := range n.known {
			if now.After(k.until) {
				delete(n.known, old)
			}
		}
		if len(n.known) >= maxNames {
			clear(n.known)
		}
	}
	n.known[name] = known{addrs, now.Add(n.keep)}
}
