// Package wheel is a timer wheel for very many items, each of which comes due at a moment. It has no clock and no goroutine: who
// turns it says what time it is.
package wheel

// Tick is how long one bucket is, in milliseconds; buckets are how many there are. An item that is further ahead than all of them
// is passed once a turn.
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

// New makes a wheel that begins to turn at now.
func New[T any](now int64) *Wheel[T] { return &Wheel[T]{cursor: now / Tick} }

// Put lets an item come due at a moment. One that has passed is due with the next turn.
func (w *Wheel[T]) Put(item T, at int64) {
	w.count++
	w.put(entry[T]{at, item})
}

func (w *Wheel[T]) put(e entry[T]) {
	b := min(max(e.at/Tick, w.cursor), w.cursor+buckets-1) % buckets
	w.ring[b] = append(w.ring[b], e)
}

// Turn hands out what is due at now: items whose bucket has ended, so each is at most a tick late. What they put back from within
// comes due in a later bucket.
func (w *Wheel[T]) Turn(now int64, due func(item T)) {
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

// Turned is the moment before which everything has been handed out.
func (w *Wheel[T]) Turned() int64 { return w.cursor * Tick }

// Len is how many items wait.
func (w *Wheel[T]) Len() int { return w.count }
