package schedule

type state int

const (
	active state = iota
	stopped
)

// Shard is a shard that this process holds by an epoch. A process can have two of one number, with different epochs.
type Shard struct {
	ID    int16
	Epoch int64

	state     state
	from      int64 // where its slots begin
	claimedTo int64
	stoppedAt int64
	targets   map[int32]*Target
	parked    []*Target // which wait for the claim
	behind    []entry   // whose slot has passed, until they come due
}

// Hold begins to run the targets of a shard: slots from a moment on, as far as they are claimed.
func (s *Schedule) Hold(id int16, epoch, from, claimedTo int64, targets []*Target) *Shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := &Shard{ID: id, Epoch: epoch, from: from, claimedTo: claimedTo, targets: make(map[int32]*Target, len(targets))}
	s.shards[sh] = struct{}{}
	for _, t := range targets {
		s.add(sh, t, from)
	}
	return sh
}

func (s *Schedule) add(sh *Shard, t *Target, from int64) {
	t.shard = sh
	t.next = t.at(max(from, t.Since))
	sh.targets[t.ID] = t
	s.put(t)
}

// Put adds a target to a shard, or replaces it: slots go on from its Since, none of them twice.
//
// It reports whether the shard is held and goes on.
func (s *Schedule) Put(sh *Shard, t *Target) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, held := s.shards[sh]; !held || sh.state != active {
		return false
	}
	from := t.Since
	if old := sh.targets[t.ID]; old != nil {
		t.host, t.slow, t.run = old.host, old.slow, old.run
		if old.run != nil {
			old.run.owner = t
		}
		if old.gapped { // the gap that was not collected goes on its own
			s.gaps = append(s.gaps, old.gap)
			old.gapped = false
		}
		old.turn++
		old.run = nil
		if old.Since == t.Since && old.Interval == t.Interval && old.Phase == t.Phase {
			from = old.next
		} else {
			// Until the change was noticed, slots went on as before.
			t.before = &Target{Interval: old.Interval, Phase: old.Phase, Since: old.Since, next: old.next, before: old.before}
		}
	}
	s.add(sh, t, from)
	return true
}

// Remove ends the slots of a target, and reports whether it had some. What runs of it goes on.
func (s *Schedule) Remove(sh *Shard, id int32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := sh.targets[id]
	if t == nil {
		return false
	}
	t.turn++
	if t.gapped {
		s.gaps = append(s.gaps, t.gap)
		t.gapped = false
	}
	delete(sh.targets, id)
	return true
}

// Ask runs a target at once, at a slot of its own. It reports whether it could: the target must be held and the claim good.
func (s *Schedule) Ask(sh *Shard, id int32, slot, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := sh.targets[id]
	if t == nil || sh.state != active || now >= sh.claimedTo {
		return false
	}
	s.start(t, slot, true, now)
	return true
}

// Target is nil when the shard has none with the id.
func (s *Schedule) Target(sh *Shard, id int32) *Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sh.targets[id]
}

// Claim is how far a shard is.
type Claim struct {
	Shard *Shard
	// Settled is the moment before which every slot has a result or a gap, once what was collected with the claim is committed.
	Settled int64
}

// Batch is what a schedule has to tell the database.
type Batch struct {
	Claims []Claim
	Skips  []Slot
	Gaps   []Gap
}

// Collect takes what is to be committed. Results of runs that have finished must be taken after it.
func (s *Schedule) Collect() Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Batch{Skips: s.skips, Gaps: s.gaps}
	for _, t := range s.gapped {
		if t.gapped {
			b.Gaps = append(b.Gaps, t.gap)
			t.gapped = false
		}
	}
	s.skips, s.gaps, s.gapped = nil, nil, s.gapped[:0]
	settled := s.settled()
	for sh, at := range settled {
		b.Claims = append(b.Claims, Claim{Shard: sh, Settled: at})
	}
	return b
}

// settled is for each shard the moment before which all slots have ended.
func (s *Schedule) settled() map[*Shard]int64 {
	settled := make(map[*Shard]int64, len(s.shards))
	for sh := range s.shards {
		at := s.wheel.Turned()
		if sh.state == stopped {
			at = min(at, sh.stoppedAt)
		}
		for _, t := range sh.parked {
			if t.parked {
				at = min(at, t.next)
			}
		}
		waiting := sh.behind[:0]
		for _, e := range sh.behind {
			if e.turn == e.target.turn && !e.target.parked {
				at = min(at, e.target.next)
				waiting = append(waiting, e)
			}
		}
		sh.behind = waiting
		settled[sh] = at
	}
	for r := s.open.first; r != nil; r = r.next {
		if at, held := settled[r.Shard]; held && !r.Asked && r.Slot < at {
			settled[r.Shard] = r.Slot
		}
	}
	return settled
}

// Settled is the moment before which all slots of a shard have ended.
func (s *Schedule) Settled(sh *Shard) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled()[sh]
}

// Claimed says that the slots of a shard before a moment may be run.
func (s *Schedule) Claimed(sh *Shard, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.claimedTo = max(sh.claimedTo, to)
	parked := sh.parked
	sh.parked = nil
	for _, t := range parked {
		if t.parked && sh.targets[t.ID] == t {
			t.parked = false
			s.put(t)
		}
	}
}

// Stop ends the beginning of runs. It answers the moment from which on no slot has begun.
func (s *Schedule) Stop(sh *Shard) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.state == active {
		sh.state = stopped
		// What lies before its own slots is accounted for: it was claimed by holders before, and may be ahead after several of them.
		sh.stoppedAt = max(sh.from, min(s.wheel.Turned(), sh.claimedTo))
	}
	return sh.stoppedAt
}

// Open is how many runs of a shard wait or go on.
func (s *Schedule) Open(sh *Shard) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := s.open.first; r != nil; r = r.next {
		if r.Shard == sh {
			n++
		}
	}
	return n
}

// Drop forgets a shard, and answers its targets. Runs of it that go on end without effect on others.
func (s *Schedule) Drop(sh *Shard) []*Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.state = stopped
	sh.stoppedAt = min(sh.stoppedAt, s.wheel.Turned())
	delete(s.shards, sh)
	targets := make([]*Target, 0, len(sh.targets))
	for _, t := range sh.targets {
		t.turn++
		targets = append(targets, t)
	}
	sh.targets, sh.parked, sh.behind = nil, nil, nil
	return targets
}

// Shards are those that are held and go on, by no order.
func (s *Schedule) Shards() []*Shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	var held []*Shard
	for sh := range s.shards {
		if sh.state == active {
			held = append(held, sh)
		}
	}
	return held
}

// Expiring are the shards that go on and are claimed up to before a moment only.
func (s *Schedule) Expiring(before int64) []*Shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []*Shard
	for sh := range s.shards {
		if sh.state == active && sh.claimedTo < before {
			due = append(due, sh)
		}
	}
	return due
}

// ClaimedTo is until when the slots of a shard may be run.
func (s *Schedule) ClaimedTo(sh *Shard) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sh.claimedTo
}
