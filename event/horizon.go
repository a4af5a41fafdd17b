package event

import (
	"context"
	"fmt"
	"sync"

	"countersign/event/eventdb"
	"countersign/store"
)

// horizon knows up to which id all events are visible that ever will be. Ids become visible out of order: a transaction can draw
// a lower id than another and commit later.
//
// Each transaction has its number before it draws an id (event_next_id). So who reads the last id and then draws a number of its
// own knows: whoever drew a lower id has a lower number. When the oldest running transaction has that number or a higher one,
// all of them have ended. The xmax of a snapshot would not do in place of the own number: it is one above the highest number
// that has ended, and a transaction that still runs can be above it.
type horizon struct {
	db *store.DB

	mu sync.Mutex
	// reached is the last id for which it is known.
	reached int64
	// last waits until all transactions before xid have ended; xid is 0 while nothing waits.
	last, xid int64
}

// look moves the horizon as far as it goes. pending says that there is more, which an older transaction keeps from being read.
func (h *horizon) look(ctx context.Context) (reached int64, pending bool, err error) {
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
			return h.reached, true, nil
		}
		h.reached, h.xid = h.last, 0
	}
	return h.reached, false, nil
}
