package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/check"
	"countersign/check/health"
	"countersign/check/history/historydb"
	"countersign/internal/problem"
)

// Limits of a chart.
const (
	MinPoints = 10
	MaxPoints = 2000
	// rawHours bounds the target hours that a chart decodes; above, it uses sums.
	rawHours = 3000
)

// ChartQuery selects the targets, time and resolution of a chart.
type ChartQuery struct {
	// Targets are those whose runs are shown, aggregated, as those of a system; States those whose states determine the
	// availability.
	Targets  []int32
	States   []int32
	From, To time.Time
	// Points bounds the number of points.
	Points int
}

// Chart is a time series of results.
type Chart struct {
	// From and To are the window.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Resolution is the source of the points: single runs, or sums of hours or days.
	Resolution string `json:"resolution"`
	// StepMS is the duration of a point. Points are contiguous; one without runs has no times.
	StepMS int64   `json:"stepMs"`
	Points []Point `json:"points"`
	// Availability, MeasuredMS and DownMS are those of the window, as in the statistics.
	Availability *float64 `json:"availability,omitempty"`
	MeasuredMS   int64    `json:"measuredMs"`
	DownMS       int64    `json:"downMs"`
	// States are the times in which the targets together were not healthy or not measured.
	States      []ChartState `json:"states"`
	Transitions []Transition `json:"transitions"`
	Gaps        []Gap        `json:"gaps"`
}

// The resolutions of a chart.
const (
	ByRun  = "run"
	ByHour = "hour"
	ByDay  = "day"
)

// Point is a time bucket of a chart. Times are those of answered runs, in milliseconds.
type Point struct {
	At      time.Time `json:"at"`
	Runs    int64     `json:"runs"`
	Failed  int64     `json:"failed"`
	Errored int64     `json:"errored"`
	Skipped int64     `json:"skipped"`
	Missed  int64     `json:"missed"`
	AvgMS   *float64  `json:"avgMs"`
	P50MS   *float64  `json:"p50Ms"`
	P95MS   *float64  `json:"p95Ms"`
	MaxMS   *float64  `json:"maxMs"`
}

// ChartState is a time in which a status other than healthy lasted. Unknown was not measured: because of a gap, or because it was
// idle, such as paused, or for lack of runs that could be made.
type ChartState struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Status string    `json:"status"`
	Gap    string    `json:"gap,omitempty"`
	Idle   bool      `json:"idle,omitempty"`
}

// maxStates bounds the states of a chart; of more, the newest are there.
const maxStates = 2000

// Transition is a change of a target's status. Began is when the first run of the streak that changed it was due.
type Transition struct {
	Target int32         `json:"targetId"`
	At     time.Time     `json:"at"`
	Began  time.Time     `json:"began"`
	Before health.Status `json:"-"`
	After  health.Status `json:"-"`
	From   string        `json:"before"`
	To     string        `json:"after"`
	Reason string        `json:"reason"`
}

// Gap is a range of missed slots, from the first to the last.
type Gap struct {
	Target int32     `json:"targetId"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Missed int64     `json:"missed"`
	Reason string    `json:"reason"`
}

// Chart makes a chart: from single runs where they are stored and few enough, otherwise from hours or days.
func (r *Reader) Chart(ctx context.Context, q ChartQuery) (Chart, error) {
	from, to := q.From.UnixMilli(), q.To.UnixMilli()
	if q.Points < MinPoints || q.Points > MaxPoints {
		return Chart{}, problem.InvalidInput(fmt.Sprintf("A chart has from %d to %d points. Ask for so many.", MinPoints, MaxPoints),
			problem.Issue{Path: "points", Message: fmt.Sprintf("must be between %d and %d", MinPoints, MaxPoints)})
	}
	if from < 0 || to <= from || to-from > 1100*Day {
		return Chart{}, problem.InvalidInput("A chart ends after its beginning, three years at most. Correct from and to.",
			problem.Issue{Path: "to", Message: "must be after from"})
	}
	targets := slices.Sorted(slices.Values(q.Targets))
	keep, now, err := r.settings(ctx)
	if err != nil {
		return Chart{}, err
	}
	step := max((to-from+int64(q.Points)-1)/int64(q.Points), 1)
	hours := (to - from + Hour - 1) / Hour * int64(len(targets))
	c := Chart{Resolution: ByRun, StepMS: step}
	switch {
	case step < Hour && from >= now-int64(keep.RawDays)*Day && hours <= rawHours:
	case step < Day && from >= now-int64(keep.HourlyDays)*Day && hours <= 20*rawHours:
		c.Resolution, c.StepMS, from = ByHour, (step+Hour-1)/Hour*Hour, from/Hour*Hour
	default:
		c.Resolution, c.StepMS, from = ByDay, (step+Day-1)/Day*Day, from/Day*Day
	}
	count := int((to - from + c.StepMS - 1) / c.StepMS)
	c.Points = make([]Point, count)
	for i := range c.Points {
		c.Points[i].At = time.UnixMilli(from + int64(i)*c.StepMS).UTC()
	}
	runs, err := r.runsOf(ctx, targets)
	if err != nil {
		return Chart{}, err
	}
	if c.Resolution == ByRun {
		err = r.chartRuns(ctx, runs, from, to, &c)
	} else {
		err = r.chartSums(ctx, runs, from, to, now, &c)
	}
	if err != nil {
		return Chart{}, err
	}
	if err := r.chartChanges(ctx, targets, from, to, &c); err != nil {
		return Chart{}, err
	}
	// Points of hours may begin before the window, the figures do not.
	return c, r.chartStates(ctx, q, keep, now, &c)
}

func (r *Reader) chartStates(ctx context.Context, q ChartQuery, keep Retention, now int64, c *Chart) error {
	from, to := q.From.UnixMilli(), q.To.UnixMilli()
	list, err := timelines{q: historydb.New(r.db.Conn(ctx)), keep: keep, now: now}.of(ctx, q.States, nil, from, to)
	if err != nil {
		return err
	}
	whole := combined(list, from, to)
	a := account(whole)
	c.Availability, c.MeasuredMS, c.DownMS = a.Availability(), a.Measured.Milliseconds(), a.Down.Milliseconds()
	c.States = []ChartState{}
	for _, i := range whole.intervals {
		if i.Status != health.Healthy {
			c.States = append(c.States, ChartState{From: moment(i.From), To: moment(i.To), Status: i.Status.String(), Gap: i.Gap, Idle: i.Idle})
		}
	}
	c.States = c.States[max(len(c.States)-maxStates, 0):]
	return nil
}

func (r *Reader) chartRuns(ctx context.Context, targets []int32, from, to int64, c *Chart) error {
	took := make([][]int32, len(c.Points))
	err := r.results(ctx, targets, from, to, func(_ int32, results []Result) {
		// One allocation for a target; a point of several targets grows from it.
		room := make([]int32, 0, len(results))
		for i := range results {
			v := &results[i]
			at := int((v.Slot - from) / c.StepMS)
			p := &c.Points[at]
			switch v.Verdict {
			case check.Passed:
				p.Runs++
			case check.Failed:
				p.Runs++
				p.Failed++
			case check.Skipped:
				p.Skipped++
			default:
				p.Runs++
				p.Errored++
			}
			if !v.Answered() {
				continue
			}
			if took[at] == nil {
				took[at] = room[len(room):len(room):cap(room)]
			}
			took[at] = append(took[at], v.TookUS)
			room = room[:min(len(room)+1, cap(room))]
		}
		for i := range took {
			// Later appends must not overwrite the next bucket.
			took[i] = slices.Clip(took[i])
		}
	})
	if err != nil {
		return err
	}
	for i, all := range took {
		if len(all) == 0 {
			continue
		}
		sum := int64(0)
		for _, us := range all {
			sum += int64(us)
		}
		p := &c.Points[i]
		p.P50MS, p.P95MS = ms(quantile(all, 0.5)), ms(quantile(all, 0.95))
		p.AvgMS, p.MaxMS = ms(float64(sum)/float64(len(all))), ms(float64(all[len(all)-1]))
	}
	return nil
}

func ms(us float64) *float64 {
	v := us / 1000
	return &v
}

func (r *Reader) chartSums(ctx context.Context, targets []int32, from, to, now int64, c *Chart) error {
	sums := make([]Sum, len(c.Points))
	at := func(at int64) *Sum {
		if i := (at - from) / c.StepMS; at >= from && i < int64(len(sums)) {
			return &sums[i]
		}
		return nil
	}
	hoursFrom := from / Hour
	if c.Resolution == ByDay {
		// The last two days may not be rolled up yet.
		recent := max(from/Day, now/Day-1)
		hoursFrom = recent * 24
		if err := r.days(ctx, targets, from/Day, recent, func(day int64) *Sum { return at(day * Day) }); err != nil {
			return err
		}
	}
	if hoursTo := (to + Hour - 1) / Hour; hoursFrom < hoursTo {
		if err := r.sums(ctx, targets, hoursFrom, hoursTo, func(hour int64) *Sum { return at(hour * Hour) }); err != nil {
			return err
		}
	}
	for i := range sums {
		s, p := &sums[i], &c.Points[i]
		p.Runs, p.Failed, p.Errored, p.Skipped = s.Runs(), s.Failed, s.Errored, s.Skipped
		if s.Answered > 0 {
			p.AvgMS, p.P50MS, p.P95MS, p.MaxMS = ms(s.Average()), ms(s.Took.Quantile(0.5)), ms(s.Took.Quantile(0.95)), ms(float64(s.TookMax))
		}
	}
	return nil
}

// chartChanges adds status transitions and gaps.
func (r *Reader) chartChanges(ctx context.Context, targets []int32, from, to int64, c *Chart) error {
	rows, err := historydb.New(r.db.Conn(ctx)).ChangesOf(ctx, historydb.ChangesOfParams{Targets: targets, First: from, Before: to})
	if err != nil {
		return fmt.Errorf("read transitions and gaps: %w", err)
	}
	c.Transitions, c.Gaps = []Transition{}, []Gap{}
	for _, row := range rows {
		if row.After >= 0 {
			c.Transitions = append(c.Transitions, transition(row))
			continue
		}
		g := historydb.CheckGap{Target: row.Target, FromSlot: row.FromMs, ToSlot: row.ToMs, Missed: row.Missed}
		c.Gaps = append(c.Gaps, Gap{
			Target: g.Target,
			From:   time.UnixMilli(g.FromSlot).UTC(),
			To:     time.UnixMilli(g.ToSlot).UTC(),
			Missed: int64(g.Missed),
			Reason: row.Reason,
		})
		first := max((g.FromSlot-from)/c.StepMS, 0)
		for j := first; j < int64(len(c.Points)) && from+j*c.StepMS <= g.ToSlot; j++ {
			c.Points[j].Missed += missed(g, from+j*c.StepMS, min(from+(j+1)*c.StepMS, to))
		}
	}
	return nil
}

// missed returns the number of a gap's slots from one time up to another. Its slots have equal distances.
func missed(g historydb.CheckGap, from, to int64) int64 {
	n := int64(g.Missed)
	if n == 1 || g.ToSlot <= g.FromSlot {
		if g.FromSlot >= from && g.FromSlot < to {
			return n
		}
		return 0
	}
	before := func(at int64) int64 {
		// The slots before a time, of n slots at FromSlot + i * (ToSlot - FromSlot) / (n - 1).
		span := g.ToSlot - g.FromSlot
		return min(max(((at-g.FromSlot)*(n-1)+span-1)/span, 0), n)
	}
	return before(to) - before(from)
}

func transition(row historydb.ChangesOfRow) Transition {
	before, after := health.Status(row.Before), health.Status(row.After)
	return Transition{
		Target: row.Target, At: moment(row.FromMs), Began: moment(row.BeganMs), Before: before, After: after,
		From: before.String(), To: after.String(), Reason: row.Reason,
	}
}
