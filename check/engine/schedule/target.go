package schedule

import (
	"math"
	"sync/atomic"

	"countersign/check/engine/lane"
)

// Target is a check on one system, with its slots. Its exported fields do not change after it was handed over.
type Target struct {
	ID int32
	// Interval and Phase define the slots; there are none before Since.
	Interval, Phase, Since int64
	// Job is data of the caller.
	Job any

	shard         *Shard
	version       uint32
	previous      *Target // its definition before a change of its slots
	next          int64   // earlier slots were started or recorded
	run           *Run
	host          string
	slow          bool
	awaitingClaim bool
	gap           Gap
	gapPending    bool
}

// firstSlotFrom returns the first slot at or after a time.
func (t *Target) firstSlotFrom(ms int64) int64 {
	k := (ms - t.Phase + t.Interval - 1) / t.Interval
	if ms < t.Phase {
		k = 0
	}
	return t.Phase + k*t.Interval
}

// startedBefore reports whether a slot was started under an earlier definition of the slots.
func (t *Target) startedBefore(slot int64) bool {
	b := t.previous
	if b == nil || slot >= b.next {
		t.previous = nil
		return false
	}
	return slot >= b.Since && (slot-b.Phase)%b.Interval == 0 || b.startedBefore(slot)
}

// Run is one run of a target, for a slot.
type Run struct {
	Target *Target
	Shard  *Shard
	Slot   int64
	// Requested marks a run that a user or a tool requested.
	Requested bool
	// Limit is its timeout in milliseconds; the caller sets it once it is known.
	Limit atomic.Int64

	finished       atomic.Bool
	owner          *Target // differs from Target after a replacement
	laneKey        lane.Key
	began          int64
	covered        []Slot // slots that came while it was open
	waiting, ended bool
	next, previous *Run
}

// TryFinish reports whether the caller is the first to end the run.
func (r *Run) TryFinish() bool { return r.finished.CompareAndSwap(false, true) }

// firstSlot returns the first slot of the schedule that ends with the run; the end of time without any.
func (r *Run) firstSlot() int64 {
	if !r.Requested {
		return r.Slot
	}
	for _, c := range r.covered {
		if !c.Requested {
			return c.Slot
		}
	}
	return math.MaxInt64
}

// runs is the list of open runs.
type runs struct {
	first *Run
	count int
}

func (l *runs) add(r *Run) {
	r.next = l.first
	if l.first != nil {
		l.first.previous = r
	}
	l.first = r
	l.count++
}

func (l *runs) remove(r *Run) {
	if r.previous != nil {
		r.previous.next = r.next
	} else {
		l.first = r.next
	}
	if r.next != nil {
		r.next.previous = r.previous
	}
	l.count--
}

// Slot is one slot of a target.
type Slot struct {
	Target    *Target
	Shard     *Shard
	Slot      int64
	Requested bool
}

// Gap is a range of slots of a target without a result.
type Gap struct {
	Target   *Target
	From, To int64
	Missed   int32
	Reason   string
	shard    *Shard
}

// Shard is the shard whose claim must be valid to record the gap.
func (g Gap) Shard() *Shard { return g.shard }
