package feed

import (
	"time"

	"github.com/google/uuid"
)

// Reader collects what changes for a person until somebody takes it. The feed never waits for who does.
type Reader struct {
	feed    *Feed
	looking *looking
	person  uuid.UUID
	wake    chan struct{}

	// The mutex of the feed guards the rest. known are those of events.
	events []Event
	known  map[Event]struct{}
	lost   bool
}

// Wake receives when there is something to Take.
func (r *Reader) Wake() <-chan struct{} { return r.wake }

// Take is what has changed since the last time, each thing once, for the person or for whoever may see it. lost says that anything may
// have changed. The reader has heard all up to a moment then.
func (r *Reader) Take() (events []Event, lost bool, at time.Time) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	events, lost = r.events, r.lost
	r.forget()
	r.lost = false
	return events, lost, r.looking.at
}

// told is called with the mutex of the feed.
func (r *Reader) told(events []Event, lost bool) {
	for _, e := range events {
		if e.Sight == "" && e.Person != r.person {
			continue
		}
		if _, known := r.known[e]; !known {
			r.known[e] = struct{}{}
			r.events = append(r.events, e)
		}
	}
	if r.lost = r.lost || lost || len(r.events) > mostPending; r.lost {
		r.forget()
	}
	if !r.lost && len(r.events) == 0 {
		return
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Reader) forget() {
	r.events = nil
	clear(r.known)
}
