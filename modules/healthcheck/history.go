package healthcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/check/history"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// History queries stored results; *history.Reader implements it. It takes ids, so this package checks access.
type History interface {
	Board(ctx context.Context, systems []uuid.UUID, days int) (history.Board, error)
	Chart(ctx context.Context, q history.ChartQuery) (history.Chart, error)
	Runs(ctx context.Context, q history.RunsQuery) (history.Runs, error)
	Run(ctx context.Context, target int32, slot time.Time) (history.Result, json.RawMessage, error)
	Stats(ctx context.Context, q history.StatsQuery) (history.Stats, error)
	Last(ctx context.Context, targets []int32) (map[int32]history.Result, error)
}

// Run is one run of a target.
type Run struct {
	Slot    int64      `json:"slot" doc:"The moment for which it was planned, in milliseconds since 1970; what it is found by."`
	At      time.Time  `json:"at" doc:"The same moment."`
	Verdict string     `json:"verdict" enum:"passed,failed,errored,skipped" doc:"errored: it could not be made, which says nothing about the target."`
	Cause   string     `json:"cause" doc:"Why it did not pass. One that passed on a retry has the cause of its first try; others that passed have none."`
	Code    int16      `json:"code,omitempty" doc:"The answer in one number, such as an HTTP status."`
	LateMS  int32      `json:"lateMs" doc:"How long after its moment it began."`
	TookMS  float64    `json:"tookMs"`
	Kept    []*float32 `json:"kept,omitempty" doc:"The values of keptFields of the check; null where there was none."`
}

// WholeRun is a run with its report, if one was stored: for a run that did not pass, for the first that passed after a
// change, for one that passed on a retry, and for one run an hour.
type WholeRun struct {
	Run
	Message    string            `json:"message,omitempty"`
	Kept       bool              `json:"reported" doc:"Whether what it found was kept."`
	Earlier    []FailedTry       `json:"earlierTries" nullable:"false" doc:"The tries of the run that failed before the one that is reported."`
	Collectors []CollectorReport `json:"collectors" nullable:"false"`
}

// FailedTry is a try of a run that was tried again.
type FailedTry struct {
	Cause   string  `json:"cause"`
	Message string  `json:"message"`
	TookMS  float64 `json:"tookMs"`
}

// Period holds the statistics of the runs in a period. Times are in milliseconds, of answered runs.
type Period struct {
	From         time.Time      `json:"from"`
	To           time.Time      `json:"to"`
	Runs         int64          `json:"runs"`
	Passed       int64          `json:"passed"`
	Failed       int64          `json:"failed"`
	Errored      int64          `json:"errored" doc:"Could not be made."`
	Skipped      int64          `json:"skipped"`
	Missed       int64          `json:"missed" doc:"Planned and not made, such as while nothing ran checks."`
	Availability *float64       `json:"availability,omitempty" doc:"The part of the measured time that was no downtime, from 0 to 1, or of the due times that was not missed: absent when nothing was measured or due."`
	Measured     int64          `json:"measuredSeconds" doc:"The time in which the status was known. Pauses, times before the first run and times in which the product did not run are not a part of it."`
	Due          int64          `json:"dueTimes,omitempty" doc:"How many due times were decided, of heartbeats with a cron schedule: in availability they count instead of time. A job that is due more often than each half hour counts time."`
	MissedDue    int64          `json:"missedDueTimes,omitempty" doc:"How many of them the job missed: it had not called in when the grace was over, or had failed."`
	AvgMS        *float64       `json:"avgMs,omitempty"`
	P50MS        *float64       `json:"p50Ms,omitempty"`
	P95MS        *float64       `json:"p95Ms,omitempty"`
	P99MS        *float64       `json:"p99Ms,omitempty"`
	MaxMS        *float64       `json:"maxMs,omitempty"`
	Causes       []CauseCount   `json:"causes" nullable:"false" doc:"Of runs that did not pass, the most frequent first."`
	Outages      int64          `json:"outages" doc:"Times in which it was degraded or unhealthy. One that two checks see is one."`
	DownSeconds  int64          `json:"downSeconds" doc:"Measured from the first failed run of each streak that changed the status."`
	LongestDown  int64          `json:"longestOutageSeconds"`
	MTTR         int64          `json:"meanOutageSeconds" doc:"Of outages that ended healthy."`
	Seconds      []StatusLength `json:"seconds" nullable:"false" doc:"How long it had each status. Unknown was not measured."`
	Downtime     []Downtime     `json:"downtime" nullable:"false" doc:"The outages, the newest first: at most 100 of them."`
	Older        int64          `json:"olderOutages,omitempty" doc:"How many outages of the period are older than those. Ask for an earlier period to see them."`
}

// maxDowntime bounds the outages that a period lists, maxParts the parts of each.
const (
	maxDowntime = 100
	maxParts    = 20
)

// Downtime is one outage.
type Downtime struct {
	From    time.Time      `json:"from" doc:"When the first failed run of the streak was due."`
	To      time.Time      `json:"to"`
	Changed time.Time      `json:"changedAt" doc:"When the status changed, after as many failed runs as the threshold says."`
	Seconds int64          `json:"seconds" doc:"Without gaps in which nothing was measured."`
	Status  Status         `json:"status" enum:"degraded,unhealthy" doc:"The worst one."`
	Ongoing bool           `json:"ongoing,omitempty" doc:"Whether it has not ended at the end of the period."`
	Parts   []DowntimePart `json:"parts" nullable:"false" doc:"Which check decided when, the first 20."`
}

// DowntimePart is a part of an outage in which one check decided.
type DowntimePart struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Status    Status    `json:"status" enum:"degraded,unhealthy"`
	TargetID  int32     `json:"targetId,omitempty" doc:"Absent for a check that the reader may not see."`
	CheckName string    `json:"checkName,omitempty"`
	Reason    string    `json:"reason,omitempty"`
}

// CauseCount is the number of runs with a cause.
type CauseCount struct {
	Cause string `json:"cause"`
	N     int64  `json:"n"`
}

// StatusLength is the total duration of a status.
type StatusLength struct {
	Status  Status `json:"status" enum:"unknown,healthy,degraded,unhealthy"`
	Seconds int64  `json:"seconds"`
}

// sees returns a problem unless the target exists and the caller may see its check and system.
func (s *service) sees(ctx context.Context, id int32) error {
	missing := problem.Errorf(problem.NotFound, "No target has the id %d. Look at the checks of a system to see what exists.", id)
	row, err := s.queries(ctx).Target(ctx, id)
	if store.NoRows(err) {
		return missing
	}
	if err != nil {
		return fmt.Errorf("load a target: %w", err)
	}
	levels, err := statusKind.Sight(ctx).Levels(ctx, s.DB, row.CheckID)
	if err != nil {
		return err
	}
	systems, err := s.Systems.Lookup(ctx, []uuid.UUID{row.SystemID})
	if err != nil {
		return fmt.Errorf("look up system: %w", err)
	}
	if _, seen := systems[row.SystemID]; !seen || levels[row.CheckID] == access.None {
		return missing
	}
	return nil
}

// watched are the targets whose history a page shows.
type watched struct {
	// seen are those whose checks the caller sees. all determine the availability, as they determine the status.
	seen, all []int32
	names     map[int32]string
}

// watchedBy returns the targets of a system.
func (s *service) watchedBy(ctx context.Context, system uuid.UUID) (watched, error) {
	status, err := s.status(ctx, system)
	if err != nil {
		return watched{}, err
	}
	rows, err := s.queries(ctx).TargetsOfSystem(ctx, system)
	if err != nil {
		return watched{}, fmt.Errorf("list targets: %w", err)
	}
	w := watched{seen: make([]int32, 0, len(status.Targets)), all: make([]int32, 0, len(rows)), names: map[int32]string{}}
	for _, t := range status.Targets {
		w.seen, w.names[t.ID] = append(w.seen, t.ID), t.CheckName
		if t.Environment != nil && t.Environment.Name != "" {
			w.names[t.ID] += ", " + t.Environment.Name
		}
	}
	for _, row := range rows {
		w.all = append(w.all, row.ID)
	}
	return w, nil
}

// watchedAlone is a single target that the caller sees.
func watchedAlone(id int32) watched {
	return watched{seen: []int32{id}, all: []int32{id}, names: map[int32]string{id: ""}}
}

// Runs lists runs of a target, newest first.
func (s *service) Runs(ctx context.Context, id int32, verdict string, limit int, cursor string) ([]Run, rest.Next, error) {
	if err := s.sees(ctx, id); err != nil {
		return nil, rest.Next{}, err
	}
	if err := s.runsHere(ctx, id); err != nil {
		return nil, rest.Next{}, err
	}
	page := rest.Page{Limit: limit, Cursor: cursor}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	q := history.RunsQuery{Target: id, Limit: limit}
	if after != "" {
		if _, err := fmt.Sscanf(after, "%d", &q.Before); err != nil || fmt.Sprint(q.Before) != after || q.Before <= 0 {
			return nil, rest.Next{}, problem.UnknownCursor()
		}
	}
	if verdict != "" {
		v, ok := verdictOf(verdict)
		if !ok {
			return nil, rest.Next{}, problem.InvalidInput(
				"There is no such verdict.",
				problem.Issue{Path: "verdict", Message: "must be passed, failed, errored or skipped"},
			)
		}
		q.Verdicts = []check.Verdict{v}
	}
	found, err := s.History.Runs(ctx, q)
	if err != nil {
		return nil, rest.Next{}, err
	}
	runs := make([]Run, len(found.Results))
	for i, r := range found.Results {
		runs[i] = shownRun(r)
	}
	if found.Next == 0 {
		return runs, rest.Next{}, nil
	}
	return runs, rest.NextAfter(fmt.Sprint(found.Next)), nil
}

func shownRun(r history.Result) Run {
	run := Run{
		Slot:    r.Slot,
		At:      moment(r.Slot),
		Verdict: verdictWord(r.Verdict),
		Cause:   causeWord(r.Cause),
		Code:    r.Code,
		LateMS:  r.LateMS,
		TookMS:  float64(r.TookUS) / 1000,
	}
	for _, value := range r.Kept {
		if math.IsNaN(float64(value)) || math.IsInf(float64(value), 0) {
			run.Kept = append(run.Kept, nil)
			continue
		}
		run.Kept = append(run.Kept, &value)
	}
	return run
}

// Run returns one run with its report.
func (s *service) Run(ctx context.Context, id int32, slot int64) (WholeRun, error) {
	if err := s.sees(ctx, id); err != nil {
		return WholeRun{}, err
	}
	result, raw, err := s.History.Run(ctx, id, time.UnixMilli(slot))
	if err != nil {
		return WholeRun{}, err
	}
	whole := WholeRun{Run: shownRun(result), Earlier: []FailedTry{}, Collectors: []CollectorReport{}}
	if len(raw) == 0 {
		return whole, nil
	}
	var report check.Report
	if err := json.Unmarshal(raw, &report); err != nil {
		return WholeRun{}, fmt.Errorf("read the report of a run: %w", err)
	}
	whole.Kept, whole.Message, whole.Collectors = true, report.Message, shownReport(report)
	whole.Earlier = failedTries(report)
	return whole, nil
}

// window returns the time range of a chart or statistics; by default the last day.
func (s *service) window(ctx context.Context, q WindowQuery) (from, to time.Time, err error) {
	from, to = q.From, q.To
	if q.Days > 0 && (!from.IsZero() || !to.IsZero()) {
		return from, to, problem.InvalidInput(
			"Ask for days or for a time range.",
			problem.Issue{Path: "days", Message: "does not go with from or to: leave one of them out"},
		)
	}
	if to.IsZero() {
		now, err := s.queries(ctx).NowMS(ctx)
		if err != nil {
			return from, to, fmt.Errorf("read the clock: %w", err)
		}
		to = moment(now)
	}
	switch {
	case q.Days > 0:
		from = history.LastDays(to, q.Days)
	case from.IsZero():
		from = to.Add(-24 * time.Hour)
	}
	if !from.Before(to) || to.Sub(from) > 1100*24*time.Hour || from.Year() < 1971 || to.Year() > 9000 {
		return from, to, problem.InvalidInput(
			"A window ends after its beginning, three years at most.",
			problem.Issue{Path: "from", Message: "must be before to, by three years at most"},
		)
	}
	return from, to, nil
}

// TargetChart returns the time series of a target.
func (s *service) TargetChart(ctx context.Context, id int32, window WindowQuery, points int) (history.Chart, error) {
	if err := s.sees(ctx, id); err != nil {
		return history.Chart{}, err
	}
	return s.chart(ctx, watchedAlone(id), window, points)
}

// SystemChart returns the time series of the targets of a system: the runs of those that the caller may see, and the states of all.
func (s *service) SystemChart(ctx context.Context, system uuid.UUID, window WindowQuery, points int) (history.Chart, error) {
	w, err := s.watchedBy(ctx, system)
	if err != nil {
		return history.Chart{}, err
	}
	return s.chart(ctx, w, window, points)
}

func (s *service) chart(ctx context.Context, w watched, window WindowQuery, points int) (history.Chart, error) {
	from, to, err := s.window(ctx, window)
	if err != nil {
		return history.Chart{}, err
	}
	chart, err := s.History.Chart(ctx, history.ChartQuery{Targets: w.seen, States: w.all, From: from, To: to, Points: points})
	chart.From, chart.To = from, to
	if chart.Points == nil {
		chart.Points = []history.Point{}
	}
	if chart.Transitions == nil {
		chart.Transitions = []history.Transition{}
	}
	details := seesDetails(ctx)
	for i := range chart.Transitions {
		chart.Transitions[i].Reason = shownReason(chart.Transitions[i].Reason, details)
	}
	if chart.Gaps == nil {
		chart.Gaps = []history.Gap{}
	}
	if chart.States == nil {
		chart.States = []history.ChartState{}
	}
	return chart, err
}

// TargetPeriod returns the statistics of a target.
func (s *service) TargetPeriod(ctx context.Context, id int32, window WindowQuery) (Period, error) {
	if err := s.sees(ctx, id); err != nil {
		return Period{}, err
	}
	return s.period(ctx, watchedAlone(id), window)
}

// SystemPeriod returns the statistics of a system: of the runs of checks that the caller may see, and of its availability.
func (s *service) SystemPeriod(ctx context.Context, system uuid.UUID, window WindowQuery) (Period, error) {
	w, err := s.watchedBy(ctx, system)
	if err != nil {
		return Period{}, err
	}
	return s.period(ctx, w, window)
}

func (s *service) period(ctx context.Context, w watched, window WindowQuery) (Period, error) {
	from, to, err := s.window(ctx, window)
	if err != nil {
		return Period{}, err
	}
	stats, err := s.History.Stats(ctx, history.StatsQuery{Targets: w.seen, States: w.all, From: from, To: to})
	if err != nil {
		return Period{}, err
	}
	p := Period{
		From:         from,
		To:           to,
		Runs:         stats.Runs,
		Passed:       stats.Passed,
		Failed:       stats.Failed,
		Errored:      stats.Errored,
		Skipped:      stats.Skipped,
		Missed:       stats.Missed,
		Availability: stats.Availability(),
		Measured:     seconds(stats.Measured),
		Due:          stats.Due,
		MissedDue:    stats.MissedDue,
		AvgMS:        stats.AvgMS,
		P50MS:        stats.P50MS,
		P95MS:        stats.P95MS,
		P99MS:        stats.P99MS,
		MaxMS:        stats.MaxMS,
		Causes:       []CauseCount{},
		Outages:      int64(len(stats.Outages)),
		DownSeconds:  seconds(stats.Down),
		LongestDown:  seconds(stats.LongestOutage),
		MTTR:         seconds(stats.MTTR),
		Seconds:      []StatusLength{},
		Downtime:     []Downtime{},
		Older:        int64(max(len(stats.Outages)-maxDowntime, 0)),
	}
	for _, c := range stats.Causes {
		p.Causes = append(p.Causes, CauseCount{causeWord(c.Cause), c.N})
	}
	for stored := range int16(4) {
		for status, length := range stats.Status {
			if int16(status) == stored && length > 0 {
				p.Seconds = append(p.Seconds, StatusLength{statusOf(stored), seconds(length)})
			}
		}
	}
	details := seesDetails(ctx)
	for _, o := range slices.Backward(stats.Outages[p.Older:]) {
		p.Downtime = append(p.Downtime, w.downtime(o, details))
	}
	return p, nil
}

// downtime shows an outage, with the reasons of checks that the caller sees.
func (w watched) downtime(o history.Outage, details bool) Downtime {
	d := Downtime{
		From: o.From, To: o.To, Changed: o.Changed, Seconds: seconds(o.Down), Status: Status(o.Worst.String()), Ongoing: o.Ongoing,
		Parts: []DowntimePart{},
	}
	for _, part := range o.Parts[:min(len(o.Parts), maxParts)] {
		shown := DowntimePart{From: moment(part.From), To: moment(part.To), Status: Status(part.Status.String()), Reason: hiddenReason}
		if name, seen := w.names[part.Target]; seen {
			shown.TargetID, shown.CheckName, shown.Reason = part.Target, name, shownReason(part.Reason, details)
		}
		d.Parts = append(d.Parts, shown)
	}
	return d
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// mostDays bounds the targets of a system with statistics of the last day.
const mostDays = 60

// addDay adds the statistics of the last day to targets.
func (s *service) addDay(ctx context.Context, targets []TargetStatus) error {
	if s.History == nil {
		return nil
	}
	from, to, err := s.window(ctx, WindowQuery{})
	if err != nil {
		return err
	}
	for i := range targets[:min(len(targets), mostDays)] {
		t := &targets[i]
		alone := []int32{t.ID}
		stats, err := s.History.Stats(ctx, history.StatsQuery{Targets: alone, States: alone, From: from, To: to})
		if err != nil {
			return err
		}
		t.Availability, t.P50, t.P95 = stats.Availability(), stats.P50MS, stats.P95MS
		if n := len(stats.Outages); n > 0 && stats.Outages[n-1].Ongoing && stats.Outages[n-1].From.After(from) {
			t.DownSince = &stats.Outages[n-1].From
		}
		for j := range t.Locations {
			l := &t.Locations[j]
			alone := []int32{l.ID}
			stats, err := s.History.Stats(ctx, history.StatsQuery{Targets: alone, States: alone, From: from, To: to})
			if err != nil {
				return err
			}
			l.P50, l.P95 = stats.P50MS, stats.P95MS
		}
	}
	return s.addLast(ctx, targets)
}

// addLast adds the times of the last runs to targets.
func (s *service) addLast(ctx context.Context, targets []TargetStatus) error {
	var ids []int32
	for i := range targets {
		ids = append(ids, targets[i].ID)
		for _, l := range targets[i].Locations {
			ids = append(ids, l.ID)
		}
	}
	last, err := s.History.Last(ctx, ids)
	if err != nil {
		return err
	}
	for i := range targets {
		if run, ok := last[targets[i].ID]; ok {
			targets[i].LastRun = optional(moment(run.Slot))
		}
		for j := range targets[i].Locations {
			l := &targets[i].Locations[j]
			if run, ok := last[l.ID]; ok {
				l.LastRun = optional(moment(run.Slot))
				if targets[i].LastRun == nil || targets[i].LastRun.Before(*l.LastRun) {
					targets[i].LastRun = l.LastRun
				}
			}
		}
	}
	return nil
}

// boardDays is the number of days on the board.
const boardDays = 90

// addDays adds the health of the last days to systems.
func (s *service) addDays(ctx context.Context, rows []BoardPast) error {
	if s.History == nil || len(rows) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.SystemID
	}
	found, err := s.History.Board(ctx, ids, boardDays)
	if err != nil {
		return err
	}
	for i := range rows {
		fared, ok := found.Systems[rows[i].SystemID]
		if !ok {
			continue
		}
		for _, d := range fared.Days {
			rows[i].Days = append(
				rows[i].Days,
				BoardDay{
					Day: d.Day.Format(time.DateOnly), Availability: d.Availability, Measured: d.Measured.Milliseconds(),
					Down: d.Down.Milliseconds(), Due: d.Due, MissedDue: d.Missed, Worst: statusOf(int16(d.Worst)),
				},
			)
		}
		rows[i].Latency = append(rows[i].Latency, fared.LatencyMS...)
	}
	return nil
}
