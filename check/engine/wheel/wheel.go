// Package wheel is a timer wheel for very many items. It has no clock and no goroutine; its user passes the time.
package wheel

// Tick is the length of a bucket in milliseconds; buckets is their number. An item beyond the last bucket is put back once a
// rotation.
const (
	Tick    = 10
	buckets = 8192
)

type entry[T any] struct {
	at   int64
	item T
}

// Wheel holds items until they are due. Times are milliseconds. It is not safe for concurrent use.
type Wheel[T any] struct {
	ring   [buckets][]entry[T]
	cursor int64 // the number of the next bucket
	count  int
}

// New makes a wheel that starts at now.
func New[T any](now int64) *Wheel[T] { return &Wheel[T]{cursor: now / Tick} }

// Put adds an item for a time. One in the past is due at the next Advance.
func (w *Wheel[T]) Put(item T, at int64) {
	w.count++
	w.put(entry[T]{at, item})
}

func (w *Wheel[T]) put(e entry[T]) {
	b := min(max(e.at/Tick, w.cursor), w.cursor+buckets-1) % buckets
	w.ring[b] = append(w.ring[b], e)
}

// Advance hands out the items that are due at now: those whose bucket has ended, so each is at most a tick late. Items that due
// puts back are handed out in a later bucket.
func (w *Wheel[T]) Advance(now int64, due func(item T)) {
	for (w.cursor+1)*Tick <= now {
		b := w.cursor % buckets
		passed := w.ring[b]
		w.ring[b] = nil
		w.cursor++
		for _, e := range passed {
			if e.at >= w.cursor*Tick {
				w.put(e)
				continue
			}
			w.count--
			due(e.item)
		}
		if w.ring[b] == nil {
			clear(passed)
			w.ring[b] = passed[:0]
		}
	}
}

// AdvancedTo is the time up to which all items have been handed out.
func (w *Wheel[T]) AdvancedTo() int64 { return w.cursor * Tick }

// Len returns the number of items.
func (w *Wheel[T]) Len() int { return w.count }
