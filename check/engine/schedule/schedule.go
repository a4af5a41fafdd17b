// Package schedule computes in memory which slots of check targets are due. It holds the targets of the claimed shards, their
// open, waiting, skipped and shed runs, and the time up to which each shard is settled. Slots are phase + k * interval,
// computed and never stored. The package has no clock, no goroutine and no database; its user passes the time and the claims.
// All times are milliseconds of the database clock.
package schedule

import (
	"maps"
	"sync"

	"countersign/check/engine/lane"
	"countersign/check/engine/wheel"
)

// Options configure a Schedule.
type Options struct {
	Limits lane.Limits
	// MaxLate is the maximum delay of a run after its slot; 1 s when zero. Later slots become gaps, so that a suspended process
	// does not catch up in a burst.
	MaxLate int64
	// Start starts a run. The schedule is locked meanwhile, so Start must only hand the run over.
	Start func(*Run)
	Now   int64
}

// Reasons of gaps.
const (
	Overloaded = "overloaded" // load shedding: too many runs were open or waited
	Late       = "late"       // this process was suspended, or had no claim in time
	Takeover   = "takeover"   // the previous owner of the shard did not finish, or there was none
	Requested  = "requested"  // a requested run, beside the slots, was not made
)

// Schedule is safe for concurrent use.
type Schedule struct {
	o           Options
	mu          sync.Mutex
	wheel       *wheel.Wheel[entry]
	lanes       *lane.Lanes[*Run]
	shards      map[*Shard]struct{}
	open        runs
	gaps        []Gap
	pendingGaps []*Target // with a gap that was not collected
	shed        map[string]int64
	now         int64
}

// entry is the next slot of a target; an entry of an earlier version of the target is stale.
type entry struct {
	target  *Target
	version uint32
}

// New makes an empty Schedule.
func New(o Options) *Schedule {
	o.Limits = o.Limits.WithDefaults()
	if o.MaxLate == 0 {
		o.MaxLate = 1000
	}
	return &Schedule{
		o:      o,
		wheel:  wheel.New[entry](o.Now),
		lanes:  lane.New[*Run](o.Limits),
		shards: map[*Shard]struct{}{},
		shed:   map[string]int64{},
		now:    o.Now,
	}
}

// Advance starts the runs that are due at now, and abandons those that have waited too long.
func (s *Schedule) Advance(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = max(s.now, now)
	s.wheel.Advance(now, func(e entry) {
		if e.version == e.target.version && e.target.shard.state == active {
			s.due(e.target, now)
		}
	})
	s.lanes.Expire(now, func(r *Run) {
		refused := Overloaded
		if r.Requested {
			refused = Requested
		}
		s.recordGap(r.owner, r.Slot, r.Slot, 1, refused)
		s.closeRun(r)
	})
}

// due handles a target whose next slot has come.
func (s *Schedule) due(t *Target, now int64) {
	sh := t.shard
	if t.next >= sh.claimedTo || now >= sh.claimedTo {
		sh.awaitingClaim = append(sh.awaitingClaim, t)
		t.awaitingClaim = true
		return
	}
	if late := now - s.o.MaxLate; t.next < late {
		to := min(t.firstSlotFrom(late), t.firstSlotFrom(sh.claimedTo))
		for ; t.previous != nil && t.next < to; t.next += t.Interval {
			if !t.startedBefore(t.next) {
				s.recordGap(t, t.next, t.next, 1, Late)
			}
		}
		if n := (to - t.next) / t.Interval; n > 0 {
			s.recordGap(t, t.next, to-t.Interval, int32(min(n, 1<<30)), Late)
			t.next = to
		}
		if t.next > now {
			s.enqueue(t)
			return
		}
	}
	slot := t.next
	t.next += t.Interval
	s.enqueue(t)
	if !t.startedBefore(slot) {
		s.startSlot(t, slot, false, now)
	}
}

// enqueue adds the next slot of a target to the wheel.
func (s *Schedule) enqueue(t *Target) {
	t.version++
	e := entry{t, t.version}
	if t.next < s.wheel.AdvancedTo() {
		t.shard.pastSlots = append(t.shard.pastSlots, e)
	}
	s.wheel.Put(e, t.next)
}

// startSlot starts the run of a slot. An open run of the target covers the slot instead, and Finish returns it.
func (s *Schedule) startSlot(t *Target, slot int64, asked bool, now int64) {
	refused := Overloaded
	if asked {
		refused = Requested
	}
	if t.run != nil {
		if t.run.waiting {
			s.recordGap(t, slot, slot, 1, refused)
			return
		}
		t.run.covered = append(t.run.covered, Slot{t, t.shard, slot, asked})
		return
	}
	r := &Run{Target: t, owner: t, Shard: t.shard, Slot: slot, Requested: asked, laneKey: lane.Key{Host: t.host, Slow: t.slow}}
	s.open.add(r)
	t.run = r
	switch s.lanes.Enter(r, r.laneKey, now) {
	case lane.Start:
		s.startRun(r)
	case lane.Wait:
		r.waiting = true
	case lane.Refuse:
		s.recordGap(t, slot, slot, 1, refused)
		s.closeRun(r)
	}
}

func (s *Schedule) startRun(r *Run) {
	r.waiting, r.began = false, s.now
	s.o.Start(r)
}

// closeRun removes a run from the open ones. It does not leave the lane.
func (s *Schedule) closeRun(r *Run) {
	s.open.remove(r)
	r.ended = true
	if r.owner.run == r {
		r.owner.run = nil
	}
}

// Finish ends a run, and stores the lane of the next run of its target. The caller must have handed over the result before, and
// the results of the first recorded slots that the run covered. While there are more, Finish returns them instead of ending the
// run, and is called again; so no slot is settled without its result. An abandoned run was replaced: nothing is returned.
func (s *Schedule) Finish(r *Run, recorded int, host string, slow bool) (covered []Slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ended {
		return nil
	}
	if len(r.covered) > recorded {
		return r.covered[recorded:]
	}
	s.closeRun(r)
	r.owner.host, r.owner.slow = host, slow
	s.lanes.Leave(r.laneKey, s.startRun)
	return nil
}

// Overdue returns the open runs beyond their limit. TryFinish decides whether the run or its abandonment comes first.
func (s *Schedule) Overdue(now int64) []*Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	var over []*Run
	for r := s.open.first; r != nil; r = r.next {
		if limit := r.Limit.Load(); !r.waiting && limit > 0 && now > r.began+limit {
			over = append(over, r)
		}
	}
	return over
}

// recordGap records slots without a result. Adjacent slots with the same reason become one gap.
func (s *Schedule) recordGap(t *Target, from, to int64, missed int32, reason string) {
	s.shed[reason] += int64(missed)
	if g := &t.gap; g.Reason == reason && g.To+t.Interval == from && g.shard == t.shard {
		g.To, g.Missed = to, g.Missed+missed
	} else {
		if t.gapPending {
			s.gaps = append(s.gaps, *g)
		}
		*g = Gap{Target: t, shard: t.shard, From: from, To: to, Missed: missed, Reason: reason}
	}
	if !t.gapPending {
		t.gapPending = true
		s.pendingGaps = append(s.pendingGaps, t)
	}
}

// Stats are the current counts of a schedule, and the slots that it has shed since it was made, by reason.
type Stats struct {
	Shards, Targets           int
	Fast, Slow, Waiting, Open int
	Shed                      map[string]int64
}

// Stats returns the current counts.
func (s *Schedule) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{Open: s.open.count, Shed: make(map[string]int64, len(s.shed))}
	st.Fast, st.Slow, st.Waiting = s.lanes.Count()
	for sh := range s.shards {
		st.Shards++
		st.Targets += len(sh.targets)
	}
	maps.Copy(st.Shed, s.shed)
	return st
}
