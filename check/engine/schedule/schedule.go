// Package schedule knows which slots are due, in memory: the targets of the shards that a process holds, what of them runs, waits,
// was skipped or shed, and up to where each shard is settled. Slots are phase + k * interval and are computed, never stored. It has no
// clock, no goroutine and no database: who uses it says what time it is and what the database has granted. All times are milliseconds
// of the database's clock.
package schedule

import (
	"maps"
	"sync"

	"countersign/check/engine/lane"
	"countersign/check/engine/wheel"
)

// Options are what a Schedule is made of.
type Options struct {
	Limits lane.Limits
	// MaxLate is how long after its slot a run may begin; 1 s when zero. What would be later becomes a gap, so that nothing is
	// made up for in a burst.
	MaxLate int64
	// Start begins a run. It is called with the schedule locked, so it must only hand the run over.
	Start func(*Run)
	Now   int64
}

// Why slots have no result.
const (
	Overloaded = "overloaded" // too many runs went on or waited
	Late       = "late"       // this process stood still, or the database did not let it begin
	Takeover   = "takeover"   // the process that held the shard did not finish, or nobody held it
)

// Schedule is safe for concurrent use.
type Schedule struct {
	o      Options
	mu     sync.Mutex
	wheel  *wheel.Wheel[entry]
	lanes  *lane.Lanes[*Run]
	shards map[*Shard]struct{}
	open   runs
	skips  []Slot
	gaps   []Gap
	gapped []*Target // whose newest gap was not collected
	shed   map[string]int64
	heard  int64
}

// entry is a target's next slot; one of an earlier turn of the target is stale.
type entry struct {
	target *Target
	turn   uint32
}

// New makes a schedule without shards.
func New(o Options) *Schedule {
	o.Limits = o.Limits.Default()
	if o.MaxLate == 0 {
		o.MaxLate = 1000
	}
	return &Schedule{
		o:      o,
		wheel:  wheel.New[entry](o.Now),
		lanes:  lane.New[*Run](o.Limits),
		shards: map[*Shard]struct{}{},
		shed:   map[string]int64{},
		heard:  o.Now,
	}
}

// Turn begins what is due at now, and gives up what has waited too long.
func (s *Schedule) Turn(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = max(s.heard, now)
	s.wheel.Turn(now, func(e entry) {
		if e.turn == e.target.turn && e.target.shard.state == active {
			s.due(e.target, now)
		}
	})
	s.lanes.Expire(now, func(r *Run) {
		s.gap(r.owner, r.Slot, r.Slot, 1, Overloaded)
		s.end(r)
	})
}

// due is called when a target's next slot has come.
func (s *Schedule) due(t *Target, now int64) {
	sh := t.shard
	if t.next >= sh.claimedTo || now >= sh.claimedTo {
		sh.parked = append(sh.parked, t)
		t.parked = true
		return
	}
	if late := now - s.o.MaxLate; t.next < late {
		to := min(t.at(late), t.at(sh.claimedTo))
		for ; t.before != nil && t.next < to; t.next += t.Interval {
			if !t.begun(t.next) {
				s.gap(t, t.next, t.next, 1, Late)
			}
		}
		if n := (to - t.next) / t.Interval; n > 0 {
			s.gap(t, t.next, to-t.Interval, int32(min(n, 1<<30)), Late)
			t.next = to
		}
		if t.next > now {
			s.put(t)
			return
		}
	}
	slot := t.next
	t.next += t.Interval
	s.put(t)
	if !t.begun(slot) {
		s.start(t, slot, false, now)
	}
}

// put lets a target come due at its next slot.
func (s *Schedule) put(t *Target) {
	t.turn++
	e := entry{t, t.turn}
	if t.next < s.wheel.Turned() {
		t.shard.behind = append(t.shard.behind, e)
	}
	s.wheel.Put(e, t.next)
}

// start begins the run of a slot, if it may: a target has one run at a time.
func (s *Schedule) start(t *Target, slot int64, asked bool, now int64) {
	if t.run != nil {
		if t.run.waiting {
			s.gap(t, slot, slot, 1, Overloaded)
			return
		}
		s.skips = append(s.skips, Slot{t, t.shard, slot, asked})
		return
	}
	r := &Run{Target: t, owner: t, Shard: t.shard, Slot: slot, Asked: asked, place: lane.Place{Host: t.host, Slow: t.slow}}
	s.open.add(r)
	t.run = r
	switch s.lanes.Enter(r, r.place, now) {
	case lane.Start:
		s.begin(r)
	case lane.Wait:
		r.waiting = true
	case lane.Refuse:
		s.gap(t, slot, slot, 1, Overloaded)
		s.end(r)
	}
}

func (s *Schedule) begin(r *Run) {
	r.waiting, r.began = false, s.heard
	s.o.Start(r)
}

// end takes a run out of those that are open. It gives no place back.
func (s *Schedule) end(r *Run) {
	s.open.remove(r)
	r.ended = true
	if r.owner.run == r {
		r.owner.run = nil
	}
}

// Finish ends a run, and remembers where the next one of its target belongs. What the run found must be in the hands of the one
// who collects before. It reports whether the run was still open: one that was given up has been replaced.
func (s *Schedule) Finish(r *Run, host string, slow bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ended {
		return false
	}
	s.end(r)
	r.owner.host, r.owner.slow = host, slow
	s.lanes.Leave(r.place, s.begin)
	return true
}

// Overdue are the runs that go on for longer than their limit. Whoever finishes them first has Claim them.
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

// gap notes slots without a result. Neighbours of one reason become one gap.
func (s *Schedule) gap(t *Target, from, to int64, missed int32, reason string) {
	s.shed[reason] += int64(missed)
	if g := &t.gap; g.Reason == reason && g.To+t.Interval == from && g.shard == t.shard {
		g.To, g.Missed = to, g.Missed+missed
	} else {
		if t.gapped {
			s.gaps = append(s.gaps, *g)
		}
		*g = Gap{Target: t, shard: t.shard, From: from, To: to, Missed: missed, Reason: reason}
	}
	if !t.gapped {
		t.gapped = true
		s.gapped = append(s.gapped, t)
	}
}

// Stats are what a schedule has at the moment, and how many slots it has shed since it was made, by reason.
type Stats struct {
	Shards, Targets           int
	Fast, Slow, Waiting, Open int
	Shed                      map[string]int64
}

// Stats counts.
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
