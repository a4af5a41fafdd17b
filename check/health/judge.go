package health

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"countersign/check"
)

// Transition is a change of status. Reason is a sentence without its full stop.
type Transition struct {
	Before, After Status
	At            time.Time
	// Began is the slot of the first run of the streak that changed the status: of failed runs when the status is no longer healthy,
	// of errored ones when it is unknown. It is At for other changes.
	Began  time.Time
	Reason string
}

// Effect is what a run changes. Its zero value is none.
type Effect struct {
	// Changed reports that the state differs from the one before.
	Changed bool
	// Transition is the change of status, if any.
	Transition *Transition
	// Reason replaces the reason of the target; empty when that stays. It is a sentence without its full stop.
	Reason string
	// Lasting reports that runs could not be made so often, with this one, that the status is unknown.
	Lasting bool
}

// Judge applies a run to a state. Thresholds must be WithDefaults. It reads the report of the outcome only when the state
// changes.
func Judge(s State, t Thresholds, o check.Outcome, slot time.Time) (State, Effect) {
	before := s
	if s.window != (t.Mode == Window) {
		// Counts of the other mode are void.
		s.window, s.fails, s.passes, s.runs, s.recent = t.Mode == Window, 0, 0, 0, [2]uint64{}
	}
	raw := s.raw
	streaks(&s, o.Verdict, slot.UnixMilli(), t.UnknownAfter)
	switch o.Verdict {
	case check.Errored:
		s.errors = uint8(min(int(s.errors)+1, t.UnknownAfter))
		if int(s.errors) == t.UnknownAfter {
			raw = Unknown
		}
	case check.Passed, check.Failed:
		s.errors = 0
		if s.window {
			raw = countWindow(&s, t, o.Verdict == check.Failed)
		} else {
			raw = countStreak(&s, t, o.Verdict == check.Failed)
		}
	default:
		return before, Effect{}
	}
	damp(&s, t, raw, slot)
	if s == before {
		return s, Effect{}
	}
	limit := uint8(min(t.UnknownAfter, MaxStreak))
	e := Effect{Changed: true, Lasting: s.errors == limit && before.errors < limit}
	if s.status != before.status {
		e.Reason = s.reason(t, before, o)
		e.Transition = &Transition{Before: before.status, After: s.status, At: slot, Began: s.began(before, slot), Reason: e.Reason}
	} else if !s.status.Bad() {
		// The reason of a degraded or unhealthy target stays that of its transition.
		e.Reason = s.lastRuns(o)
	}
	return s, e
}

// lastRuns says how the last runs of a target went that are too few to change its status.
func (s State) lastRuns(o check.Outcome) string {
	switch {
	case o.Verdict == check.Errored:
		return quote(inARow(int(s.errors))+" could not be made", o)
	case o.Verdict == check.Passed:
		return inARow(1) + " passed"
	case s.window:
		return quote(fmt.Sprintf("%d of the last %s failed", s.failures(), count(int(s.runs), "run")), o)
	default:
		return quote(inARow(int(s.fails))+" failed", o)
	}
}

// quote adds what a run that did not pass found.
func quote(why string, o check.Outcome) string {
	if o.Report == nil || o.Verdict == check.Passed {
		return why
	}
	if message := o.Report().Message; message != "" {
		return why + ": " + strings.TrimSuffix(message, ".")
	}
	return why
}

// streaks notes where the current streaks began. Failures before a time of unknown status belong to no streak after it.
func streaks(s *State, verdict check.Verdict, slot int64, unknownAfter int) {
	switch verdict {
	case check.Passed:
		s.failing, s.erring = 0, 0
	case check.Failed:
		s.erring = 0
		if s.failing == 0 {
			s.failing = slot
		}
	case check.Errored:
		if s.erring == 0 {
			s.erring = slot
		}
		if int(s.errors)+1 >= unknownAfter {
			s.failing = 0
		}
	default:
	}
}

// began returns when what a change of status stands for began.
func (s State) began(before State, slot time.Time) time.Time {
	first := int64(0)
	switch {
	case s.status == Unknown:
		first = s.erring
	case s.status.Bad() && !before.status.Bad():
		first = s.failing
	}
	if first == 0 || first > slot.UnixMilli() {
		return slot
	}
	return time.UnixMilli(first).UTC()
}

// countStreak counts consecutive runs.
func countStreak(s *State, t Thresholds, failed bool) Status {
	if !failed {
		s.fails, s.passes = 0, uint8(min(int(s.passes)+1, t.HealthyAfter))
		if int(s.passes) >= t.HealthyAfter {
			return Healthy
		}
		return s.raw
	}
	s.passes, s.fails = 0, uint8(min(int(s.fails)+1, t.UnhealthyAfter))
	switch {
	case int(s.fails) >= t.UnhealthyAfter:
		return Unhealthy
	case int(s.fails) >= t.DegradedAfter:
		return max(s.raw, Degraded)
	default:
		return s.raw
	}
}

// countWindow counts the failed runs among the last ones.
func countWindow(s *State, t Thresholds, failed bool) Status {
	s.recent = [2]uint64{s.recent[0] << 1, s.recent[1]<<1 | s.recent[0]>>63}
	if failed {
		s.recent[0] |= 1
	}
	s.runs = uint8(min(int(s.runs)+1, t.WindowSize))
	s.recent = cut(s.recent, int(s.runs))
	switch n := s.failures(); {
	case n >= t.UnhealthyAfter:
		return Unhealthy
	case n >= t.DegradedAfter:
		return Degraded
	case n == int(s.runs):
		// No run has passed yet, and too few have failed.
		return s.raw
	default:
		return Healthy
	}
}

func (s State) failures() int { return bits.OnesCount64(s.recent[0]) + bits.OnesCount64(s.recent[1]) }

// damp applies flap damping: while a status changes too often, the worse one stays until nothing has changed for half
// of the window.
func damp(s *State, t Thresholds, raw Status, slot time.Time) {
	now := seconds(slot)
	window := uint32(t.flapWindow() / time.Second)
	flapped := s.raw != Unknown && raw != Unknown && (s.raw == Healthy) != (raw == Healthy)
	s.raw = raw
	if t.FlapChanges < 0 {
		s.flapping, s.flaps = false, [MaxFlaps + 1]uint32{}
	}
	if flapped && t.FlapChanges > 0 {
		copy(s.flaps[1:], s.flaps[:MaxFlaps])
		s.flaps[0] = max(now, s.flaps[1])
		forget(s, now, window, t.FlapChanges)
		s.flapping = s.flapping || s.flaps[t.FlapChanges] != 0
	}
	if s.flapping && now > s.flaps[0]+window/2 {
		s.flapping, s.flaps = false, [MaxFlaps + 1]uint32{}
	}
	if s.flapping && raw != Unknown {
		raw = max(raw, s.status)
	}
	s.status = raw
}

// forget drops changes that are outside of the window or no longer count.
func forget(s *State, now, window uint32, changes int) {
	for i := range s.flaps {
		if i > changes || s.flaps[i]+window < now || now > window && s.flaps[i] < now-window {
			s.flaps[i] = 0
		}
	}
}

// reason explains the current status.
func (s State) reason(t Thresholds, before State, o check.Outcome) string {
	var why string
	switch {
	case s.status == Unknown:
		why = inARow(int(s.errors)) + " could not be made"
	case s.flapping:
		why = fmt.Sprintf(
			"The status has changed more than %d times in %d minutes, so it stays %s until it is calm",
			t.FlapChanges,
			t.FlapMinutes,
			s.status,
		)
	case s.status == Healthy && before.flapping:
		return fmt.Sprintf("Calm for %d minutes after many changes", t.FlapMinutes/2)
	case s.status == Healthy && s.window && s.runs == 1:
		return inARow(1) + " passed"
	case s.status == Healthy && s.window:
		return fmt.Sprintf("Only %s of the last %d failed", count(s.failures(), "run"), s.runs)
	case s.status == Healthy:
		return fmt.Sprintf("%s passed", inARow(int(s.passes)))
	case s.window:
		why = fmt.Sprintf("%d of the last %s failed", s.failures(), count(int(s.runs), "run"))
	default:
		why = fmt.Sprintf("%s failed", inARow(int(s.fails)))
	}
	return quote(why, o)
}

func inARow(n int) string {
	if n == 1 {
		return "The last run"
	}
	return fmt.Sprintf("%d runs in a row", n)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
