package event

import (
	"context"
	"fmt"
	"sync"

	"countersign/event/eventdb"
	"countersign/internal/store"
)

// watermark is the visibility watermark: the id up to which all events are visible. Ids become visible out of order: a
// transaction can draw a lower id than another and commit later.
//
// Each transaction has its number before it draws an id (event_next_id). A reader that reads the last id and then draws
// a number of its own therefore knows that every transaction with a lower id has a lower number. When the oldest
// running transaction has that number or a higher one, all of them have ended. The xmax of a snapshot cannot replace
// the own number: it is one above the highest number that has ended, and a running transaction can be above it.
//
// A transaction that runs for long hides nothing when it has appended nothing: each one that draws an id shares a lock
// until it ends, by which readers know it among the older ones that still run. Locks are read only while there are such.
type watermark struct {
	db *store.DB

	mu sync.Mutex
	// reached is the current watermark.
	reached int64
	// last becomes the watermark when all transactions before xid have ended; xid is 0 while none is awaited.
	last, xid int64
}

// advance moves the watermark as far as possible. pending says that an older transaction still hides later events.
func (h *watermark) advance(ctx context.Context) (reached int64, pending bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := eventdb.New(h.db.Conn(ctx))
	for range 2 {
		if h.xid == 0 {
			last, err := q.LastID(ctx)
			if err != nil {
				return h.reached, false, fmt.Errorf("read last event: %w", err)
			}
			if last <= h.reached {
				return h.reached, false, nil
			}
			// After the id, in a transaction of its own.
			xid, err := q.NextXID(ctx)
			if err != nil {
				return h.reached, false, fmt.Errorf("draw transaction number: %w", err)
			}
			h.last, h.xid = last, xid
		}
		oldest, err := q.OldestXID(ctx)
		if err != nil {
			return h.reached, false, fmt.Errorf("read oldest transaction: %w", err)
		}
		if oldest < h.xid {
			hides, err := q.OlderAppends(ctx, h.xid)
			if err != nil {
				return h.reached, false, fmt.Errorf("read running appends: %w", err)
			}
			if hides {
				return h.reached, true, nil
			}
		}
		h.reached, h.xid = h.last, 0
	}
	return h.reached, false, nil
}
