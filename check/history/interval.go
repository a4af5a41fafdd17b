package history

import (
	"slices"
	"time"

	"countersign/check/health"
)

// Interval is a time in which a check or a system had one state. Availability, outages and their lists are computed from
// intervals alone, by account.
type Interval struct {
	// From and To are in milliseconds since 1970; To is not included.
	From, To int64
	// Status is unknown where nothing was measured.
	Status health.Status
	// Idle marks a time in which the check did not run or was not due yet: it was paused, switched off or new. It counts for nothing.
	Idle bool
	// Gap is why slots have no result although the check was to run; empty without a gap. An outage goes on over a gap.
	Gap string
	// Changed is when the status changed. Downtime begins before, with the first failed run of the streak that changed it.
	Changed int64
	// Target is the check that decides about the system, and Reason why it is not healthy.
	Target int32
	Reason string
}

// NotRunning is the reason of a gap that is not recorded yet, because no process runs checks.
const NotRunning = "not running"

// requestedGap is the reason of gaps beside the slots: of requested runs.
const requestedGap = "requested"

// timeline are the facts of which the intervals of a target are made.
type timeline struct {
	target int32
	// made is when the target was planned first, interval the distance of its slots, phase their offset.
	made, interval, phase int64
	// firstTimeout is how long a job without a cron schedule may take to call in first, 0 for other targets.
	firstTimeout int64
	// jobs are the cron schedules of a job in the order of time.
	jobs []job
	// unwatched is from when on no process runs the target; the end of time when one does.
	unwatched   int64
	transitions []change
	gaps        []span
}

// change is a transition of a target, from the last one before the window on.
type change struct {
	at, began int64
	after     health.Status
	idle      bool
	reason    string
}

type span struct {
	from, to int64
	reason   string
}

// intervals returns the contiguous intervals of a target from one time up to another.
func (t *timeline) intervals(from, to int64) []Interval {
	if from >= to {
		return nil
	}
	var list []Interval
	add := func(i Interval) {
		i.From, i.To, i.Target = max(i.From, from), min(i.To, to), t.target
		if i.From < i.To {
			list = append(list, i)
		}
	}
	// Before its first transition a target was not there yet, or had no result.
	end := to
	if len(t.transitions) > 0 {
		end = t.begin(0)
	}
	add(Interval{From: from, To: min(t.made, end), Idle: true})
	add(Interval{From: min(max(t.made, from), end), To: end})
	for n := range t.transitions {
		c := &t.transitions[n]
		end := to
		if n+1 < len(t.transitions) {
			end = t.begin(n + 1)
		}
		add(Interval{From: t.begin(n), To: end, Status: c.after, Idle: c.idle, Changed: c.at, Reason: c.reason})
	}
	gaps := t.gaps
	if t.unwatched < to {
		gaps = append(slices.Clip(gaps), span{t.unwatched, to, NotRunning})
	}
	return withGaps(withWaits(list, t.waits()), gaps)
}

// withWaits lets time of which nothing is known because nothing was due yet count for nothing, so that a new job does not hide for a
// month what is known of the other checks of its system.
func withWaits(list []Interval, waits []span) []Interval {
	for _, w := range waits {
		for n := 0; n < len(list); n++ {
			i := list[n]
			from, to := max(i.From, w.from), min(i.To, w.to)
			if from >= to || i.Status != health.Unknown || i.Idle {
				continue
			}
			parts := cut([]Interval{i}, i.From, from)
			waiting := i
			waiting.From, waiting.To, waiting.Idle = from, to, true
			parts = append(append(parts, waiting), cut([]Interval{i}, to, i.To)...)
			list = slices.Replace(list, n, n+1, parts...)
			n += len(parts) - 1
		}
	}
	return list
}

// begin returns when the interval of a transition begins: with the streak that changed the status, unless the status was as bad
// or changed since.
func (t *timeline) begin(n int) int64 {
	c := &t.transitions[n]
	begin := min(c.began, c.at)
	if c.began == 0 {
		begin = c.at
	}
	if n == 0 {
		return begin
	}
	before := &t.transitions[n-1]
	if c.after.Bad() && before.after.Bad() {
		return c.at
	}
	return max(begin, before.at)
}

// withGaps cuts gaps, ordered by their beginning, out of intervals in which a target was to run.
func withGaps(list []Interval, gaps []span) []Interval {
	if len(gaps) == 0 {
		return list
	}
	cut := make([]Interval, 0, len(list)+2*len(gaps))
	for _, i := range list {
		for len(gaps) > 0 && gaps[0].to <= i.From {
			gaps = gaps[1:]
		}
		for _, g := range gaps {
			if i.Idle || g.from >= i.To {
				break
			}
			if g.to <= i.From {
				continue
			}
			if before := i; g.from > i.From {
				before.To = g.from
				cut = append(cut, before)
			}
			missing := Interval{From: max(i.From, g.from), To: min(i.To, g.to), Gap: g.reason, Target: i.Target}
			cut = append(cut, missing)
			i.From = missing.To
		}
		if i.From < i.To {
			cut = append(cut, i)
		}
	}
	return cut
}

// combine returns the intervals of a system from those of its checks: at each moment the worst state. A system is healthy while
// all checks that run are known to be; while one is unknown, and none is worse, nothing is known of the system.
func combine(lists [][]Interval, from, to int64) []Interval {
	if len(lists) == 1 {
		return lists[0]
	}
	var moments []int64
	for _, list := range lists {
		for _, i := range list {
			moments = append(moments, i.From)
		}
	}
	slices.Sort(moments)
	moments = append(slices.Compact(moments), to)
	if from >= to || len(moments) == 1 {
		return nil
	}
	var all []Interval
	at := make([]int, len(lists))
	for n, moment := range moments[:len(moments)-1] {
		now := Interval{From: moment, To: moments[n+1], Idle: true}
		for l, list := range lists {
			for at[l] < len(list) && list[at[l]].To <= moment {
				at[l]++
			}
			if at[l] < len(list) && list[at[l]].From <= moment {
				now.worsen(&list[at[l]])
			}
		}
		if last := len(all) - 1; last >= 0 && all[last].same(&now) {
			all[last].To = now.To
			continue
		}
		all = append(all, now)
	}
	return all
}

// worsen applies the state of one check to that of a system.
func (i *Interval) worsen(of *Interval) {
	if of.Idle {
		return
	}
	rank := func(v *Interval) int {
		switch {
		case v.Idle:
			return 0
		case v.Status == health.Healthy:
			return 1
		case v.Status == health.Unknown && v.Gap != "":
			return 2
		case v.Status == health.Unknown:
			return 3
		default:
			return 2 + int(v.Status)
		}
	}
	if have, got := rank(i), rank(of); got > have || got == have && of.Status.Bad() && of.Changed < i.Changed {
		i.Status, i.Idle, i.Gap, i.Changed, i.Target, i.Reason = of.Status, false, of.Gap, of.Changed, of.Target, of.Reason
	}
}

// same reports whether an interval only continues another.
func (i *Interval) same(o *Interval) bool {
	if i.Status != o.Status || i.Idle != o.Idle || i.Gap != o.Gap {
		return false
	}
	return !i.Status.Bad() || i.Target == o.Target && i.Changed == o.Changed
}

// Account is what intervals amount to.
type Account struct {
	// Measured is the time in which the state was known, Down the part in which it was degraded or unhealthy.
	Measured, Down time.Duration
	// Jobs reports that due times count instead of time: Due of them, of which MissedDue were missed.
	Jobs           bool
	Due, MissedDue int64
	// Status is the time in each status. That of Unknown was not measured.
	Status map[health.Status]time.Duration
	// Outages are in the order of time.
	Outages []Outage
}

// Outage is a time in which a check or a system was degraded or unhealthy. It goes on over gaps, which are not a part of Down,
// when it is found as bad after them.
type Outage struct {
	From, To time.Time
	// Changed is when the status changed, after the threshold of failed runs was reached.
	Changed time.Time
	Down    time.Duration
	Worst   health.Status
	// Ongoing outages have not ended at the end of the window; Repaired ones ended healthy.
	Ongoing, Repaired bool
	// Parts are the intervals of downtime, each with the check that decided.
	Parts []Interval
}

// Availability is the part of the measured time that was no downtime, of jobs the part of their due times that was not missed; nil
// when nothing was measured or due.
func (a *Account) Availability() *float64 {
	if a.Jobs {
		return share(a.Due, a.MissedDue)
	}
	return share(int64(a.Measured), int64(a.Down))
}

// share is the part of a whole that is not lost; nil without a whole.
func share(whole, lost int64) *float64 {
	if whole <= 0 {
		return nil
	}
	v := float64(whole-lost) / float64(whole)
	return &v
}

// account adds a record up. It is the only way from intervals to figures.
func account(r record) Account {
	a := Account{Status: map[health.Status]time.Duration{}, Jobs: r.jobs}
	for _, d := range r.due {
		a.Due++
		if d.missed {
			a.MissedDue++
		}
	}
	list := r.intervals
	open := false
	for n := range list {
		i := &list[n]
		length := time.Duration(i.To-i.From) * time.Millisecond
		a.Status[i.Status] += length
		if i.Status != health.Unknown {
			a.Measured += length
		}
		last := len(a.Outages) - 1
		switch {
		case i.Status.Bad():
			a.Down += length
			if !open {
				a.Outages = append(a.Outages, Outage{From: moment(i.From), Changed: moment(max(i.Changed, i.From))})
				open, last = true, last+1
			}
			o := &a.Outages[last]
			o.To, o.Down, o.Worst = moment(i.To), o.Down+length, health.Worse(o.Worst, i.Status)
			o.Parts = append(o.Parts, *i)
		case open && i.Gap == "":
			open = false
			a.Outages[last].Repaired = i.Status == health.Healthy
		}
	}
	if open {
		a.Outages[len(a.Outages)-1].Ongoing = true
	}
	return a
}

func moment(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
