package schedule

type state int

const (
	active state = iota
	stopped
)

// Shard is a shard that this process holds under an epoch. A process can hold two of one id, with different epochs.
type Shard struct {
	ID    int16
	Epoch int64

	state         state
	from          int64 // time of its first slot
	claimedTo     int64
	stoppedAt     int64
	targets       map[int32]*Target
	awaitingClaim []*Target // targets beyond the end of the claim
	pastSlots     []entry   // past slots that the wheel has not handed out
}

// AddShard starts to run the targets of a shard: slots from a time on, within its claim.
func (s *Schedule) AddShard(id int16, epoch, from, claimedTo int64, targets []*Target) *Shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := &Shard{ID: id, Epoch: epoch, from: from, claimedTo: claimedTo, targets: make(map[int32]*Target, len(targets))}
	s.shards[sh] = struct{}{}
	for _, t := range targets {
		s.addTarget(sh, t, from)
	}
	return sh
}

func (s *Schedule) addTarget(sh *Shard, t *Target, from int64) {
	t.shard = sh
	t.next = t.firstSlotFrom(max(from, t.Since))
	sh.targets[t.ID] = t
	s.enqueue(t)
}

// Put adds a target to a shard, or replaces it: slots continue from its Since, without repeats. It reports whether the
// shard is active.
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
		if old.gapPending { // a pending gap is collected separately
			s.gaps = append(s.gaps, old.gap)
			old.gapPending = false
		}
		old.version++
		old.run = nil
		if old.Since == t.Since && old.Interval == t.Interval && old.Phase == t.Phase {
			from = old.next
		} else {
			// Slots followed the old definition until this change was applied.
			t.previous = &Target{Interval: old.Interval, Phase: old.Phase, Since: old.Since, next: old.next, previous: old.previous}
		}
	}
	s.addTarget(sh, t, from)
	return true
}

// Remove ends the slots of a target, and reports whether the shard had it. An open run continues.
func (s *Schedule) Remove(sh *Shard, id int32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := sh.targets[id]
	if t == nil {
		return false
	}
	t.version++
	if t.gapPending {
		s.gaps = append(s.gaps, t.gap)
		t.gapPending = false
	}
	delete(sh.targets, id)
	return true
}

// RunNow starts a run of a target at once, at a slot of its own. It reports whether the target is held and the claim valid.
func (s *Schedule) RunNow(sh *Shard, id int32, slot, now int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := sh.targets[id]
	if t == nil || sh.state != active || now >= sh.claimedTo {
		return false
	}
	s.startSlot(t, slot, true, now)
	return true
}

// Target returns the target of a shard with this id, nil without one.
func (s *Schedule) Target(sh *Shard, id int32) *Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sh.targets[id]
}

// Progress is the time up to which a shard is settled.
type Progress struct {
	Shard *Shard
	// Settled is the time before which every slot has a result or a gap, once the batch is committed.
	Settled int64
}

// Batch is the output of the schedule for the database.
type Batch struct {
	Progress []Progress
	Gaps     []Gap
}

// Collect takes the pending batch. Results of finished runs must be taken after it.
func (s *Schedule) Collect() Batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := Batch{Gaps: s.gaps}
	for _, t := range s.pendingGaps {
		if t.gapPending {
			b.Gaps = append(b.Gaps, t.gap)
			t.gapPending = false
		}
	}
	s.gaps, s.pendingGaps = nil, s.pendingGaps[:0]
	settled := s.settled()
	for sh, at := range settled {
		b.Progress = append(b.Progress, Progress{Shard: sh, Settled: at})
	}
	return b
}

// settled returns, for each shard, the time before which all slots have ended.
func (s *Schedule) settled() map[*Shard]int64 {
	settled := make(map[*Shard]int64, len(s.shards))
	for sh := range s.shards {
		at := s.wheel.AdvancedTo()
		if sh.state == stopped {
			at = min(at, sh.stoppedAt)
		}
		for _, t := range sh.awaitingClaim {
			if t.awaitingClaim {
				at = min(at, t.next)
			}
		}
		waiting := sh.pastSlots[:0]
		for _, e := range sh.pastSlots {
			if e.version == e.target.version && !e.target.awaitingClaim {
				at = min(at, e.target.next)
				waiting = append(waiting, e)
			}
		}
		sh.pastSlots = waiting
		settled[sh] = at
	}
	for r := s.open.first; r != nil; r = r.next {
		if at, held := settled[r.Shard]; held {
			settled[r.Shard] = min(at, r.firstSlot())
		}
	}
	return settled
}

// Settled returns the time before which all slots of a shard have ended.
func (s *Schedule) Settled(sh *Shard) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled()[sh]
}

// ExtendClaim permits the slots of a shard before a time.
func (s *Schedule) ExtendClaim(sh *Shard, to int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.claimedTo = max(sh.claimedTo, to)
	waiting := sh.awaitingClaim
	sh.awaitingClaim = nil
	for _, t := range waiting {
		if t.awaitingClaim && sh.targets[t.ID] == t {
			t.awaitingClaim = false
			s.enqueue(t)
		}
	}
}

// StopShard starts no further runs, and returns the time from which no slot was started.
func (s *Schedule) StopShard(sh *Shard) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh.state == active {
		sh.state = stopped
		// Slots before from belong to earlier owners and are settled; from may be in the future after several takeovers.
		sh.stoppedAt = max(sh.from, min(s.wheel.AdvancedTo(), sh.claimedTo))
	}
	return sh.stoppedAt
}

// Open returns the number of open and waiting runs of a shard.
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

// RemoveShard removes a shard, and returns its targets. Its open runs end without an effect.
func (s *Schedule) RemoveShard(sh *Shard) []*Target {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.state = stopped
	sh.stoppedAt = min(sh.stoppedAt, s.wheel.AdvancedTo())
	delete(s.shards, sh)
	targets := make([]*Target, 0, len(sh.targets))
	for _, t := range sh.targets {
		t.version++
		targets = append(targets, t)
	}
	sh.targets, sh.awaitingClaim, sh.pastSlots = nil, nil, nil
	return targets
}

// Shards returns the active shards, unordered.
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

// Expiring returns the active shards whose claims end before a time.
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

// ClaimedTo returns the end of a shard's claim.
func (s *Schedule) ClaimedTo(sh *Shard) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return sh.claimedTo
}
