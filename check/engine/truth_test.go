package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/engine"
	"countersign/check/health"
	"countersign/check/history"
)

const (
	truthTargets  = 20
	truthInterval = 200 // milliseconds
	truthSlots    = 64
	truthTimeout  = 500 * time.Millisecond
	truthLate     = 1000 // a slot may run so many milliseconds late, after which it is a gap
	// The process ends before this slot and another one begins after a gap. No target hangs around that.
	truthRestart = 32
)

// script is what each target does at each slot, by the number of the slot since the test began: answer, fail or hang.
type script struct {
	base  int64
	modes [truthTargets][truthSlots + 40]byte

	mu   sync.Mutex
	runs map[int32]map[int64]time.Duration // what the targets saw, by target and slot, with how long they took to answer
	ids  []int32
}

func newScript(seed uint64) *script {
	random := rand.New(rand.NewPCG(seed, 38))
	s := &script{runs: map[int32]map[int64]time.Duration{}}
	for i := range s.modes {
		for at := 0; at < len(s.modes[i]); {
			mode, length := byte('p'), 4+random.IntN(12)
			switch random.IntN(3) {
			case 0:
				mode, length = 'f', 1+random.IntN(8)
			case 1:
				mode, length = 'h', 1+random.IntN(5)
			}
			for ; length > 0 && at < len(s.modes[i]); at, length = at+1, length-1 {
				calm := at > truthRestart-8 && at < truthRestart+20 || paused(i)
				s.modes[i][at] = mode
				if mode == 'h' && calm {
					s.modes[i][at] = 'f'
				}
			}
		}
	}
	return s
}

// paused reports whether the test pauses a target for a while.
func paused(i int) bool { return i%7 == 3 }

func (s *script) mode(target int32, slot int64) byte {
	n := slot/truthInterval - s.base
	return s.modes[slices.Index(s.ids, target)][min(max(n, 0), int64(len(s.modes[0])-1))]
}

func (s *script) run(ctx context.Context, target int32, slot time.Time) check.Outcome {
	at := slot.UnixMilli()
	mode, took := s.mode(target, at), 10*time.Millisecond
	if at/truthInterval%10 == 0 {
		took = 100 * time.Millisecond
	}
	s.mu.Lock()
	if s.runs[target] == nil {
		s.runs[target] = map[int64]time.Duration{}
	}
	s.runs[target][at] = took
	s.mu.Unlock()
	switch mode {
	case 'f':
		return failed("Expected statusCode = 200, got 503.")
	case 'h':
		select {
		case <-ctx.Done():
		case <-time.After(truthTimeout):
		}
		return check.Outcome{Verdict: check.Failed, Cause: check.TimedOut, Took: truthTimeout, Report: report("It took more than 0.5 s.")}
	}
	return check.Outcome{Verdict: check.Passed, Took: took, Report: report("")}
}

// moved is a change of status in the model, with when it began.
type moved struct {
	at, began int64
	after     health.Status
}

// truth is what a target was at each millisecond from a moment on: h, d, u, - unknown, g a gap of ours, and a space while paused
// or not due yet.
type truth struct {
	states []byte
	moved  []moved
}

// silence returns what a target did not see of the restart: the times after its last slot of the first process and before its first
// one of the second. ended and began are when the first process had ended and the second one began.
func (s *script) silence(t *testing.T, target int32, ended, began int64) (after, before int64) {
	after, before = 0, math.MaxInt64
	for slot := range s.runs[target] {
		if slot < ended {
			after = max(after, slot)
		}
		if slot > ended {
			before = min(before, slot)
		}
	}
	require.GreaterOrEqual(t, before, began-truthLate, "target %d ran a slot that was over", target)
	return after, before
}

// truthOf models a target slot by slot, of what it saw and of the times in which the test let the product not run.
func (s *script) truthOf(target int32, phase, from, to int64, pause [2]int64, gap func(slot int64) bool) truth {
	t := truth{states: slices.Repeat([]byte{'-'}, int(to-from))}
	paint := func(a, b int64, state byte) {
		for at := max(a, from); at < min(b, to); at++ {
			t.states[at-from] = state
		}
	}
	status, fails, streak, hung := byte('-'), 0, int64(0), false
	letters := map[byte]health.Status{'h': health.Healthy, 'd': health.Degraded, 'u': health.Unhealthy}
	for slot := phase + (from-phase+truthInterval-1)/truthInterval*truthInterval; slot < to; slot += truthInterval {
		if slot >= pause[0] && slot < pause[1] {
			status, fails, hung = '-', 0, false
			continue
		}
		_, ran := s.runs[target][slot]
		mode := s.mode(target, slot)
		if !ran && hung && !gap(slot) {
			mode, ran = 'h', true
		} else {
			hung = ran && mode == 'h'
		}
		if !ran && gap(slot) {
			paint(slot, slot+truthInterval, 'g')
			continue
		}
		if !ran { // it was skipped, as slots are caught up after a restart, and says nothing
			paint(slot, slot+truthInterval, status)
			continue
		}
		next := status
		if mode == 'p' {
			next, fails = 'h', 0
		} else {
			if fails++; fails == 1 {
				streak = slot
			}
			switch {
			case fails >= 5:
				next = 'u'
			case fails >= 2 && status != 'u':
				next = 'd'
			}
		}
		if next != status {
			began := slot
			if next != 'h' && (status == 'h' || status == '-') {
				began = streak
				for at := began; at < slot; at++ {
					if at >= from && t.states[at-from] != 'g' {
						t.states[at-from] = next
					}
				}
			}
			t.moved, status = append(t.moved, moved{slot, began, letters[next]}), next
		}
		paint(slot, slot+truthInterval, status)
	}
	paint(pause[0], pause[1], ' ')
	// The last slot before a pause lasts until it, and until the next slot nothing is due.
	for at := max(pause[1], from); pause[1] > 0 && at < to && (at-phase)%truthInterval != 0; at++ {
		t.states[at-from] = ' '
	}
	return t
}

// figures counts the states of each millisecond.
func figures(states []byte) (measured, down time.Duration, outages int) {
	open := false
	for _, state := range states {
		switch state {
		case 'h':
			measured += time.Millisecond
			open = false
		case 'd', 'u':
			measured, down = measured+time.Millisecond, down+time.Millisecond
			if !open {
				outages++
			}
			open = true
		case 'g':
		default:
			open = false
		}
	}
	return measured, down, outages
}

// together is a system: at each moment as bad as its worst check, and known only when all checks that run are.
func together(all []truth) []byte {
	states := make([]byte, len(all[0].states))
	for at := range states {
		states[at] = ' '
		for _, t := range all {
			if order := []byte(" hg-du"); slices.Index(order, t.states[at]) > slices.Index(order, states[at]) {
				states[at] = t.states[at]
			}
		}
	}
	return states
}

// Availability, outages, changes and percentiles of twenty targets that fail, hang, and are paused, over a restart of ours, are those
// of a model that goes through each slot and counts each millisecond.
func TestAvailabilityIsThatOfAModelOfEachMoment(t *testing.T) {
	t.Parallel()
	const seed = 2026
	w := newWorld(t, 1)
	w.targets(truthTargets, truthInterval*time.Millisecond)
	w.exec(`UPDATE check_targets SET thresholds = '{"flapChanges": -1}'`)
	s := newScript(seed)
	s.ids = column[int32](w, `SELECT id FROM check_targets ORDER BY id`)
	now := func() int64 { return one[int64](w, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`) }
	s.base = now()/truthInterval + 1
	until := func(slot int64) {
		eventually(t, fmt.Sprintf("slot %d comes", slot), func() bool { return now() >= (s.base+slot)*truthInterval })
	}
	start := func() *process {
		p := w.start(engine.Options{Runner: &runner{run: s.run, timeout: truthTimeout}})
		p.hold(0)
		return p
	}
	first := start()
	until(12)
	pausing := [2]int64{now()}
	for i, id := range s.ids {
		if paused(i) {
			// As a plan does.
			w.exec(`UPDATE check_targets SET active = false WHERE id = $1`, id)
			w.exec(`DELETE FROM check_states WHERE target = $1`, id)
		}
	}
	pausing[1] = now()
	until(20)
	resuming := [2]int64{now()}
	w.exec(`UPDATE check_targets SET active = true WHERE NOT active`)
	resuming[1] = now()
	until(truthRestart)
	first.end()
	ended := now()
	until(max(truthRestart, ended/truthInterval-s.base) + 12)
	began := now()
	second := start()
	until(truthSlots)
	second.end()
	w.accounted()

	from, to := (s.base+2)*truthInterval, (s.base+truthSlots-6)*truthInterval
	reader := history.NewReader(w.db, history.ReaderOptions{})
	stats := func(targets ...int32) history.Stats {
		got, err := reader.Stats(
			t.Context(),
			history.StatsQuery{Targets: targets, States: targets, From: time.UnixMilli(from), To: time.UnixMilli(to)},
		)
		require.NoError(t, err)
		return got
	}
	requireFigures := func(name string, states []byte, got history.Stats) {
		measured, down, outages := figures(states)
		require.Equal(t, measured, got.Measured, "measured, %s, seed %d", name, seed)
		require.Equal(t, down, got.Down, "down, %s, seed %d", name, seed)
		require.Len(t, got.Outages, outages, "outages, %s, seed %d", name, seed)
	}
	var all []truth
	down := time.Duration(0)
	for i, id := range s.ids {
		var pause [2]int64
		if paused(i) {
			idle := column[int64](
				w,
				`SELECT at_ms FROM check_transitions WHERE target = $1 AND reason IN ('It was paused or switched off', 'It runs again') ORDER BY id`,
				id,
			)
			require.Len(t, idle, 2)
			pause = [2]int64(idle)
			for n, within := range [][2]int64{pausing, resuming} {
				require.True(t, within[0] <= pause[n] && pause[n] <= within[1], "change %d of target %d at %d, made in %v", n, i, pause[n], within)
			}
		}
		// The model begins where the target did, to know its state at the beginning of the window.
		begin := (s.base - 2) * truthInterval
		after, before := s.silence(t, id, ended, began)
		whole := s.truthOf(id, one[int64](w, `SELECT phase_ms FROM check_targets WHERE id = $1`, id), begin, to, pause, func(slot int64) bool {
			return after < slot && slot < before
		})
		var want, got []moved
		for _, m := range whole.moved {
			if m.at < to {
				want = append(want, m)
			}
		}
		rows, err := w.db.Conn(t.Context()).Query(t.Context(), `SELECT at_ms, began_ms, after FROM check_transitions
			WHERE target = $1 AND began_ms IS NOT NULL AND at_ms < $2 ORDER BY at_ms`, id, to)
		require.NoError(t, err)
		for rows.Next() {
			var m moved
			require.NoError(t, rows.Scan(&m.at, &m.began, &m.after))
			got = append(got, m)
		}
		require.NoError(t, rows.Err())
		require.Equal(t, want, got, "changes of target %d (%s)", i, s.modes[i])
		whole.states = whole.states[from-begin:]
		alone := stats(id)
		requireFigures(fmt.Sprintf("target %d (%s)", i, s.modes[i]), whole.states, alone)
		down += alone.Down
		all = append(all, whole)

		var took []float64
		for slot, d := range s.runs[id] {
			if slot >= from && slot < to && s.mode(id, slot) == 'p' {
				took = append(took, float64(d)/float64(time.Millisecond))
			}
		}
		slices.Sort(took)
		require.InEpsilon(t, took[(len(took)-1)/2], *alone.P50MS, 0.008)
		require.InEpsilon(t, took[int(0.95*float64(len(took)-1))], *alone.P95MS, 0.008)
	}
	require.Positive(t, down)
	require.Positive(t, bytes.Count(all[0].states, []byte("g")), "the restart is not measured")
	requireFigures("the system", together(all), stats(s.ids...))
}
