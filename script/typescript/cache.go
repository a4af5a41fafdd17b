package typescript

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync"
	"time"
)

type key [sha256.Size]byte

func (r request) key() key {
	h := sha256.New()
	flags := byte(0)
	if r.Emit {
		flags |= 1
	}
	if r.Types {
		flags |= 2
	}
	head := []byte{flags}
	for _, part := range []string{string(r.Context), r.Args.Loose, r.Args.Strict} {
		head = append(binary.BigEndian.AppendUint32(head, uint32(len(part))), part...)
	}
	_, _ = h.Write(head)
	_, _ = io.WriteString(h, r.Source)
	return key(h.Sum(nil))
}

// cache is an LRU cache of results, bounded in bytes. Results of a check that timed out expire, because a less busy
// machine may finish it.
type cache[V any] struct {
	limit int
	size  func(V) int
	brief time.Duration

	mu      sync.Mutex
	held    int
	recent  *list.List
	entries map[key]*list.Element
}

type cached[V any] struct {
	key   key
	value V
	size  int
	// until is zero for entries without expiry.
	until time.Time
}

func newCache[V any](limit int, brief time.Duration, size func(V) int) *cache[V] {
	return &cache[V]{limit: limit, size: size, brief: brief, recent: list.New(), entries: map[key]*list.Element{}}
}

func (c *cache[V]) get(k key) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[k]
	var none V
	if !ok {
		return none, false
	}
	entry := e.Value.(*cached[V]) //nolint:errcheck // the list holds nothing else
	if !entry.until.IsZero() && time.Now().After(entry.until) {
		c.remove(e)
		return none, false
	}
	c.recent.MoveToFront(e)
	return entry.value, true
}

func (c *cache[V]) put(k key, value V, cut bool) {
	entry := &cached[V]{key: k, value: value, size: c.size(value)}
	if cut {
		entry.until = time.Now().Add(c.brief)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[k]; ok {
		c.remove(e)
	}
	c.entries[k] = c.recent.PushFront(entry)
	c.held += entry.size
	for c.held > c.limit {
		c.remove(c.recent.Back())
	}
}

func (c *cache[V]) remove(e *list.Element) {
	entry := c.recent.Remove(e).(*cached[V]) //nolint:errcheck // the list holds nothing else
	delete(c.entries, entry.key)
	c.held -= entry.size
}
