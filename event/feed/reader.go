package feed

import (
	"time"

	"github.com/google/uuid"
)

// Reader collects changes for a person until Take. The feed never waits for a slow reader.
type Reader struct {
	feed    *Feed
	looking *pollPeriod
	person  uuid.UUID
	wake    chan struct{}

	// The mutex of the feed guards the following fields. known are the ids in events.
	events []Event
	known  map[Event]struct{}
	lost   bool
}

// Wake receives when there is something to Take.
func (r *Reader) Wake() <-chan struct{} { return r.wake }

// Take returns the changes since the last call, each once, for the person or for the audience of its sight. lost says
// that anything may have changed. at is the moment up to which the reader has all changes.
func (r *Reader) Take() (events []Event, lost bool, at time.Time) {
	r.feed.mu.Lock()
	defer r.feed.mu.Unlock()
	events, lost = r.events, r.lost
	r.reset()
	r.lost = false
	return events, lost, r.looking.at
}

// add adds events; the caller holds the mutex of the feed.
func (r *Reader) add(events []Event, lost bool) {
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
		r.reset()
	}
	if !r.lost && len(r.events) == 0 {
		return
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Reader) reset() {
	r.events = nil
	clear(r.known)
}
