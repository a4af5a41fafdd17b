package schedule

import (
	"sync/atomic"

	"countersign/check/engine/lane"
)

// Target is what has slots. Its exported fields are set before it is handed over and not changed afterwards.
type Target struct {
	ID int32
	// Interval and Phase say where the slots are; there are none before Since.
	Interval, Phase, Since int64
	// Job is what the owner of the schedule knows of it.
	Job any

	shard  *Shard
	turn   uint32
	before *Target // as it was before a change of its slots
	next   int64   // slots before it have begun or are accounted for
	run    *Run
	host   string
	slow   bool
	parked bool
	gap    Gap
	gapped bool
}

// at is the first slot that is not before a moment.
func (t *Target) at(ms int64) int64 {
	k := (ms - t.Phase + t.Interval - 1) / t.Interval
	if ms < t.Phase {
		k = 0
	}
	return t.Phase + k*t.Interval
}

// begun reports whether a slot has begun before the slots were changed.
func (t *Target) begun(slot int64) bool {
	b := t.before
	if b == nil || slot >= b.next {
		t.before = nil
		return false
	}
	return slot >= b.Since && (slot-b.Phase)%b.Interval == 0 || b.begun(slot)
}

// Run is one run of a target, for a slot.
type Run struct {
	Target *Target
	Shard  *Shard
	Slot   int64
	// Asked says that somebody asked for it.
	Asked bool
	// Limit is how long it may take, in milliseconds; the owner sets it once it is known.
	Limit atomic.Int64

	claimed        atomic.Bool
	owner          *Target // differs from Target once that was replaced
	place          lane.Place
	began          int64
	waiting, ended bool
	next, previous *Run
}

// Claim reports whether the caller is the first who wants to say how the run ended.
func (r *Run) Claim() bool { return r.claimed.CompareAndSwap(false, true) }

// runs is a list of those that are open.
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
	Target *Target
	Shard  *Shard
	Slot   int64
	Asked  bool
}

// Gap is slots of a target that have no result, from the first to the last.
type Gap struct {
	Target   *Target
	From, To int64
	Missed   int32
	Reason   string
	shard    *Shard
}

// Shard is whose claim has to be good for the gap to be recorded.
func (g Gap) Shard() *Shard { return g.shard }
