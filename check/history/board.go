package history

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/check/history/historydb"
)

// maxLiveTargets bounds the targets whose unsealed durations a board shows: a page of a board has fewer, and reading those of a
// whole large installation would cost more than the last hour is worth.
const maxLiveTargets = 1000

// Board is the health of systems over time.
type Board struct {
	Systems map[uuid.UUID]SystemBoard
	// Live reports that durations of the current hour are included; if not, they end with the last sealed hour.
	Live bool
}

// SystemBoard is the health of a system over time.
type SystemBoard struct {
	// Days has one cell per UTC day, oldest first; the last is today.
	Days []DayCell
	// LatencyMS has the last 24 hours, oldest first, the last being the current one: the average duration of answered
	// runs, nil without any.
	LatencyMS []*float64
}

// DayCell is a day of a system. Availability is nil when nothing was measured. Worst is the worst status of that day so far.
type DayCell struct {
	Day time.Time
	// Measured is the time in which the state of the system was known, Down the part in which it was degraded or unhealthy.
	Measured, Down time.Duration
	// Due and Missed count the due times of a system of jobs.
	Due, Missed  int64
	Availability *float64
	Worst        health.Status
}

// LastDays is when the last days (UTC) begin, of which the last is that of now. Boards and all other figures about days begin there.
func LastDays(now time.Time, days int) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
}

// Board returns the last days, at most 90, and hours of systems. The cells of complete days are stored, those of others are
// computed; both come from the same intervals as every other figure.
func (r *Reader) Board(ctx context.Context, systems []uuid.UUID, days int) (Board, error) {
	days = min(max(days, 1), boardDays)
	keep, now, err := r.settings(ctx)
	if err != nil {
		return Board{}, err
	}
	q := historydb.New(r.db.Conn(ctx))
	targets, err := q.CountTargets(ctx, historydb.CountTargetsParams{Systems: systems, AtMost: maxLiveTargets + 1})
	if err != nil {
		return Board{}, fmt.Errorf("count targets: %w", err)
	}
	b := Board{Systems: make(map[uuid.UUID]SystemBoard, len(systems)), Live: targets <= maxLiveTargets}
	hour := int32(now / Hour)
	// Results are read first, so those sealed meanwhile are found in the boards.
	var live []historydb.LiveOfSystemsRow
	if b.Live {
		if live, err = r.liveOf(ctx, q, systems, now); err != nil {
			return Board{}, err
		}
	}
	kept, err := q.Boards(ctx, systems)
	if err != nil {
		return Board{}, fmt.Errorf("read boards: %w", err)
	}
	rows := make(map[uuid.UUID]historydb.BoardsRow, len(kept))
	for _, k := range kept {
		rows[k.SystemID] = k
	}
	today, first := int32(now/Day), int32(LastDays(moment(now), days).UnixMilli()/Day)
	cells, err := boardCells(ctx, timelines{q: q, keep: keep, now: now}, systems, rows, first, today)
	if err != nil {
		return Board{}, err
	}
	worst, err := worstToday(ctx, q, systems, int64(today)*Day, now)
	if err != nil {
		return Board{}, fmt.Errorf("read statuses: %w", err)
	}
	for _, id := range systems {
		shown := show(first, today, hour, cells[id], rows[id].Hours)
		last := &shown.Days[len(shown.Days)-1]
		last.Worst = health.Worse(last.Worst, worst[id])
		b.Systems[id] = shown
	}
	for _, l := range live {
		if l.Hour <= rows[l.SystemID].Through {
			continue
		}
		shown := b.Systems[l.SystemID]
		if i := int(l.Hour-hour) + 23; l.Answered > 0 && i >= 0 && i < 24 {
			shown.LatencyMS[i] = ms(float64(l.TookSum) / float64(l.Answered))
		}
	}
	return b, nil
}

// boardCells returns the cells of systems, of the days from the first one to today.
func boardCells(
	ctx context.Context,
	l timelines,
	systems []uuid.UUID,
	rows map[uuid.UUID]historydb.BoardsRow,
	first, today int32,
) (map[uuid.UUID]map[int32]boardCell, error) {
	first = max(first, today-int32(l.keep.DailyDays))
	all := make(map[uuid.UUID]map[int32]boardCell, len(systems))
	missing := map[int32][]uuid.UUID{}
	jobs, err := l.q.SystemsOfJobs(ctx, systems)
	if err != nil {
		return nil, fmt.Errorf("look for jobs: %w", err)
	}
	for _, id := range systems {
		row := rows[id]
		from := max(row.CellsTo, first)
		if slices.Contains(jobs, id) {
			from = first
		}
		missing[from] = append(missing[from], id)
		all[id] = unpackCells(row.Cells)
		maps.DeleteFunc(all[id], func(day int32, _ boardCell) bool { return day < first || day >= from })
	}
	for from, of := range missing {
		cells, err := l.days(ctx, of, int64(from), int64(today)+1)
		if err != nil {
			return nil, err
		}
		for id, days := range cells {
			maps.Copy(all[id], days)
		}
	}
	return all, nil
}

// worstToday returns the worst status of each system since a time. A system whose status is older has had no other.
func worstToday(ctx context.Context, q *historydb.Queries, systems []uuid.UUID, from, now int64) (map[uuid.UUID]health.Status, error) {
	states, err := q.StatesOfSystems(ctx, systems)
	if err != nil {
		return nil, err
	}
	worst := make(map[uuid.UUID]health.Status, len(states))
	var changed []uuid.UUID
	for _, s := range states {
		worst[s.SystemID] = health.Status(s.Status)
		if s.SinceMs >= from {
			changed = append(changed, s.SystemID)
		}
	}
	if len(changed) == 0 {
		return worst, nil
	}
	rows, err := q.WorstOfSystems(ctx, historydb.WorstOfSystemsParams{Systems: changed, First: from, Before: now + 1})
	for _, w := range rows {
		worst[w.SystemID] = health.Worse(worst[w.SystemID], health.Status(w.Worst))
	}
	return worst, err
}

// show arranges the days and hours of a system.
func show(first, today, hour int32, cells map[int32]boardCell, keptHours []byte) SystemBoard {
	shown := SystemBoard{Days: make([]DayCell, today-first+1), LatencyMS: make([]*float64, 24)}
	for i := range shown.Days {
		day := &shown.Days[i]
		day.Day = time.UnixMilli((int64(first) + int64(i)) * Day).UTC()
		if c, ok := cells[first+int32(i)]; ok {
			day.Measured, day.Down = time.Duration(c.measured)*time.Millisecond, time.Duration(c.down)*time.Millisecond
			day.Availability, day.Worst = c.availability(), c.worst
			day.Due, day.Missed = int64(c.due), int64(c.missed)
		}
	}
	eachHour(keptHours, func(at int32, h boardHour) {
		if i := at - hour + 23; i >= 0 && i < 24 {
			shown.LatencyMS[i] = ms(float64(h.tookAvg))
		}
	})
	return shown
}
