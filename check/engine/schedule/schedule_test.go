package schedule_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check/engine/lane"
	"countersign/check/engine/schedule"
)

const begin = 1_700_000_000_000

// ledger keeps what becomes of each slot.
type ledger struct {
	t       *testing.T
	s       *schedule.Schedule
	running []*schedule.Run
	results map[int32]map[int64]int
	gaps    map[int32]map[int64]int
	begun   map[int32]map[int64]int64
	now     int64
}

func newLedger(t *testing.T, l lane.Limits) *ledger {
	b := &ledger{t: t, results: map[int32]map[int64]int{}, gaps: map[int32]map[int64]int{}, begun: map[int32]map[int64]int64{}, now: begin}
	b.s = schedule.New(schedule.Options{Limits: l, Now: begin, Start: func(r *schedule.Run) {
		b.running = append(b.running, r)
		add(b.begun, r.Target.ID, r.Slot, b.now)
	}})
	return b
}

func add[N int | int64](to map[int32]map[int64]N, target int32, slot int64, n N) {
	if to[target] == nil {
		to[target] = map[int64]N{}
	}
	to[target][slot] += n
}

// collect takes over what the schedule has to tell, as a flush does.
func (b *ledger) collect() schedule.Batch {
	batch := b.s.Collect()
	for _, g := range batch.Gaps {
		n := int32(0)
		for slot := g.From; slot <= g.To; slot += g.Target.Interval {
			if b.gaps[g.Target.ID][slot] == 0 {
				add(b.gaps, g.Target.ID, slot, 1)
			}
			n++
		}
		require.Equal(b.t, n, g.Missed)
	}
	return batch
}

// finish ends one of the runs.
func (b *ledger) finish(i int, slow bool) {
	r := b.running[i]
	b.running = append(b.running[:i:i], b.running[i+1:]...)
	add(b.results, r.Target.ID, r.Slot, 1)
	recorded := 0
	for covered := b.s.Finish(r, 0, "host", slow); covered != nil; covered = b.s.Finish(r, recorded, "host", slow) {
		for _, skip := range covered {
			add(b.results, skip.Target.ID, skip.Slot, 1)
		}
		recorded += len(covered)
	}
}

// Every slot of every target from the first one held up to what is settled has exactly one of a result and a gap, whatever the
// clock, the claims, the runs and the limits do.
func TestEverySlotHasOneResultOrOneGap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		b := newLedger(t, lane.Limits{Running: 2 + random.IntN(20), Slow: 1, Host: 1 + random.IntN(10), Waiting: 5, WaitTimeout: 300})
		var targets []*schedule.Target
		for id := range int32(30) {
			interval := int64(100 + random.IntN(3000))
			targets = append(
				targets,
				&schedule.Target{ID: id, Interval: interval, Phase: random.Int64N(interval), Since: begin - 5000 + random.Int64N(6000)},
			)
		}
		claimed := int64(begin + 3000)
		sh := b.s.AddShard(1, 1, begin, claimed, targets)
		settled := int64(0)
		for range 2000 {
			b.now += random.Int64N(40)
			if random.IntN(200) == 0 {
				b.now += random.Int64N(5000) // the process stood still
			}
			b.s.Advance(b.now)
			for range random.IntN(1 + len(b.running)) {
				b.finish(random.IntN(len(b.running)), random.IntN(4) == 0)
			}
			if random.IntN(5) > 0 {
				continue
			}
			for _, c := range b.collect().Progress {
				require.GreaterOrEqual(t, c.Settled, settled, "what is settled stays so")
				settled = c.Settled
			}
			for _, expiring := range b.s.Expiring(b.now + 2000) {
				if random.IntN(4) > 0 {
					claimed = b.now + 3000
					b.s.ExtendClaim(expiring, claimed)
				}
			}
		}
		end := b.s.StopShard(sh)
		for len(b.running) > 0 {
			b.finish(0, false)
		}
		b.s.Advance(b.now + 500) // what waits is given up
		for len(b.running) > 0 {
			b.finish(0, false)
		}
		for _, c := range b.collect().Progress {
			settled = c.Settled
		}
		require.LessOrEqual(t, settled, end)
		slots := 0
		for _, target := range targets {
			first := max(begin, target.Since)
			begin := (first-target.Phase+target.Interval-1)/target.Interval*target.Interval + target.Phase
			for slot := begin; slot < settled; slot += target.Interval {
				slots++
				require.Equal(
					t,
					1,
					b.results[target.ID][slot]+b.gaps[target.ID][slot],
					"seed %d target %d slot %d: %d results, %d gaps",
					seed,
					target.ID,
					slot-begin,
					b.results[target.ID][slot],
					b.gaps[target.ID][slot],
				)
			}
			for slot, at := range b.begun[target.ID] {
				require.Less(t, slot, claimed, "nothing begins that is not claimed")
				require.LessOrEqual(t, slot, at)
				require.Zero(t, (slot-target.Phase)%target.Interval)
				require.Less(t, slot, end, "nothing begins that the next holder begins with")
			}
		}
		require.Greater(t, slots, 100)
	}
}

func TestWhatIsNotClaimedDoesNotBegin(t *testing.T) {
	t.Parallel()
	b := newLedger(t, lane.Limits{})
	sh := b.s.AddShard(1, 1, begin, begin+250, []*schedule.Target{{ID: 1, Interval: 100, Since: begin}})
	for b.now = begin; b.now < begin+600; b.now += 10 {
		b.s.Advance(b.now)
		for len(b.running) > 0 {
			b.finish(0, false)
		}
	}
	require.Len(t, b.results[1], 3)
	require.Equal(t, int64(begin+300), b.collect().Progress[0].Settled)
	b.s.ExtendClaim(sh, begin+3000)
	for ; b.now < begin+1000; b.now += 10 {
		b.s.Advance(b.now)
		for len(b.running) > 0 {
			b.finish(0, false)
		}
	}
	require.Len(t, b.results[1], 10, "the slots that waited are made up for, since they are not late yet")
}

func TestNothingIsMadeUpForInABurst(t *testing.T) {
	t.Parallel()
	b := newLedger(t, lane.Limits{})
	b.s.AddShard(1, 1, begin, begin+1_000_000, []*schedule.Target{{ID: 1, Interval: 1000, Since: begin}, {ID: 2, Interval: 100, Since: begin}})
	b.now = begin + 600_000
	b.s.Advance(b.now)
	require.LessOrEqual(t, len(b.running), 4)
	batch := b.collect()
	require.Len(t, batch.Gaps, 2)
	for _, g := range batch.Gaps {
		require.Equal(t, schedule.Late, g.Reason)
		require.GreaterOrEqual(t, g.To, int64(begin+598_000))
	}
}

func TestATargetThatStillRunsIsSkipped(t *testing.T) {
	t.Parallel()
	b := newLedger(t, lane.Limits{})
	b.s.AddShard(1, 1, begin, begin+100_000, []*schedule.Target{{ID: 1, Interval: 1000, Since: begin}})
	for b.now = begin; b.now < begin+3500; b.now += 10 {
		b.s.Advance(b.now)
	}
	require.Len(t, b.running, 1)
	batch := b.collect()
	require.Equal(t, int64(begin), batch.Progress[0].Settled, "what runs is not settled")
	require.Len(t, b.s.Finish(b.running[0], 0, "", false), 3, "they end with the run")
	b.finish(0, false)
	require.Len(t, b.results[1], 4)
	require.GreaterOrEqual(t, b.collect().Progress[0].Settled, int64(begin+3400))
}

func TestARunThatIsAskedForHasASlotOfItsOwn(t *testing.T) {
	t.Parallel()
	b := newLedger(t, lane.Limits{})
	sh := b.s.AddShard(1, 1, begin, begin+1000, []*schedule.Target{{ID: 1, Interval: 100_000, Phase: 50_000, Since: begin}})
	require.True(t, b.s.RunNow(sh, 1, begin+123, begin+130))
	require.Len(t, b.running, 1)
	require.True(t, b.running[0].Requested)
	require.False(t, b.s.RunNow(sh, 2, begin+123, begin+130), "it is not held")
	require.False(t, b.s.RunNow(sh, 1, begin+2000, begin+2000), "the claim is over")
}

func TestAChangedTargetGoesOnWithItsNewSlots(t *testing.T) {
	t.Parallel()
	b := newLedger(t, lane.Limits{})
	old := &schedule.Target{ID: 1, Interval: 200, Since: begin}
	sh := b.s.AddShard(1, 1, begin, begin+100_000, []*schedule.Target{old})
	run := func(until int64) {
		for ; b.now < until; b.now += 10 {
			b.s.Advance(b.now)
			for len(b.running) > 0 {
				b.finish(0, false)
			}
		}
	}
	run(begin + 1500)
	// The change was made half a second ago; slots went on as before until now.
	require.True(t, b.s.Put(sh, &schedule.Target{ID: 1, Interval: 100, Since: begin + 1000}))
	run(begin + 3000)
	b.collect()
	for slot := int64(begin); slot < begin+2900; slot += 100 {
		want := 1
		if slot < begin+1000 && slot%200 != 0 {
			want = 0
		}
		require.Equal(t, want, b.results[1][slot]+b.gaps[1][slot], "slot %d", slot-begin)
	}
	require.True(t, b.s.Remove(sh, 1))
	require.False(t, b.s.Remove(sh, 1))
	count := len(b.results[1])
	run(begin + 4000)
	require.Len(t, b.results[1], count)
}

func TestARunThatDoesNotEndIsOverdue(t *testing.T) {
	t.Parallel()
	b := newLedger(t, lane.Limits{})
	b.s.AddShard(
		1,
		1,
		begin,
		begin+100_000,
		[]*schedule.Target{{ID: 1, Interval: 100_000, Since: begin, Phase: 0}, {ID: 2, Interval: 1000, Since: begin}},
	)
	b.now = begin + 20
	b.s.Advance(b.now)
	require.NotEmpty(t, b.running)
	for _, r := range b.running {
		r.Limit.Store(5000)
	}
	require.Empty(t, b.s.Overdue(begin+5000))
	over := b.s.Overdue(begin + 5021)
	require.Len(t, over, len(b.running))
	require.True(t, over[0].TryFinish())
	require.False(t, over[0].TryFinish())
	require.Empty(t, b.s.Finish(over[0], 0, "", true))
	require.Empty(t, b.s.Finish(over[0], 0, "", true), "it has ended")
}
