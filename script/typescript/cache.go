package typescript

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
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
	head := binary.BigEndian.AppendUint32([]byte{flags}, uint32(len(r.Context)))
	_, _ = h.Write(append(append(head, r.Context...), r.Source...))
	return key(h.Sum(nil))
}

// cache keeps results, the ones used last, up to a number of bytes. A check that was cut short is kept for a while only,
// because a machine with less to do may finish it.
type cache struct {
	limit int
	brief time.Duration

	mu      sync.Mutex
	size    int
	recent  *list.List
	entries map[key]*list.Element
}

type cached struct {
	key      key
	compiled Compiled
	size     int
	// until is zero for what does not expire.
	until time.Time
}

func newCache(limit int, brief time.Duration) *cache {
	return &cache{limit: limit, brief: brief, recent: list.New(), entries: map[key]*list.Element{}}
}

func (c *cache) get(k key) (Compiled, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[k]
	if !ok {
		return Compiled{}, false
	}
	entry := e.Value.(*cached) //nolint:errcheck // the list holds nothing else
	if !entry.until.IsZero() && time.Now().After(entry.until) {
		c.remove(e)
		return Compiled{}, false
	}
	c.recent.MoveToFront(e)
	return entry.compiled, true
}

func (c *cache) put(k key, compiled Compiled, cut bool) {
	entry := &cached{key: k, compiled: compiled, size: 512 + len(compiled.JS) + len(compiled.SourceMap)}
	for _, d := range compiled.Diagnostics {
		entry.size += 128 + len(d.Message)
	}
	if cut {
		entry.until = time.Now().Add(c.brief)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[k]; ok {
		c.remove(e)
	}
	c.entries[k] = c.recent.PushFront(entry)
	c.size += entry.size
	for c.size > c.limit {
		c.remove(c.recent.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	entry := c.recent.Remove(e).(*cached) //nolint:errcheck // the list holds nothing else
	delete(c.entries, entry.key)
	c.size -= entry.size
}
