package history

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/check/history/historydb"
)

// maxLiveTargets bounds the targets whose unsealed results a board counts: a page of a board has fewer, and counting a
// whole large installation would cost more than the last hour is worth.
const maxLiveTargets = 1000

// Board is the health of systems over time.
type Board struct {
	Systems map[uuid.UUID]SystemBoard
	// Live reports that runs of the current hour are included; if not, counts end with the last sealed hour.
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

// DayCell is a day of a system. Availability is nil without passed or failed runs. Worst is the worst status of that
// day so far.
type DayCell struct {
	Day            time.Time
	Passed, Failed int64
	Availability   *float64
	Worst          health.Status
}

// Board returns the last days, at most 90, and hours of systems.
func (r *Reader) Board(ctx context.Context, systems []uuid.UUID, days int) (Board, error) {
	days = min(max(days, 1), boardDays)
	_, now, err := r.settings(ctx)
	if err != nil {
		return Board{}, err
	}
	q := historydb.New(r.db.Conn(ctx))
	targets, err := q.CountTargets(ctx, historydb.CountTargetsParams{Systems: systems, AtMost: maxLiveTargets + 1})
	if err != nil {
		return Board{}, fmt.Errorf("count targets: %w", err)
	}
	b := Board{Systems: make(map[uuid.UUID]SystemBoard, len(systems)), Live: targets <= maxLiveTargets}
	today, hour := int32(now/Day), int32(now/Hour)
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
	worst, err := worstToday(ctx, q, systems, int64(today)*Day, now)
	if err != nil {
		return Board{}, fmt.Errorf("read statuses: %w", err)
	}
	through := make(map[uuid.UUID]int32, len(systems))
	for _, k := range kept {
		through[k.SystemID] = k.Through
		b.Systems[k.SystemID] = show(today, hour, int32(days), k.Days, k.Hours)
	}
	for _, id := range systems {
		shown, ok := b.Systems[id]
		if !ok {
			shown = show(today, hour, int32(days), nil, nil)
			b.Systems[id] = shown
		}
		last := &shown.Days[len(shown.Days)-1]
		last.Worst = health.Worse(last.Worst, worst[id])
	}
	for _, l := range live {
		if l.Hour <= through[l.SystemID] {
			continue
		}
		shown := b.Systems[l.SystemID]
		if i := int(l.Hour/24-today) + len(shown.Days) - 1; i >= 0 && i < len(shown.Days) {
			d := &shown.Days[i]
			d.Passed, d.Failed = d.Passed+l.Passed, d.Failed+l.Failed
			d.Availability = availability(d.Passed, d.Failed)
		}
		if i := int(l.Hour-hour) + 23; l.Answered > 0 && i >= 0 && i < 24 {
			shown.LatencyMS[i] = ms(float64(l.TookSum) / float64(l.Answered))
		}
	}
	return b, nil
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

// show decodes the stored board of a system.
func show(today, hour, days int32, keptDays, keptHours []byte) SystemBoard {
	shown := SystemBoard{Days: make([]DayCell, days), LatencyMS: make([]*float64, 24)}
	first := today - days + 1
	for i := range shown.Days {
		shown.Days[i].Day = time.UnixMilli((int64(first) + int64(i)) * Day).UTC()
	}
	eachDay(keptDays, func(day int32, d boardDay) {
		if i := day - first; i >= 0 && i < days {
			c := &shown.Days[i]
			c.Passed, c.Failed, c.Worst = int64(d.passed), int64(d.failed), d.worst
			c.Availability = availability(c.Passed, c.Failed)
		}
	})
	eachHour(keptHours, func(at int32, h boardHour) {
		if i := at - hour + 23; i >= 0 && i < 24 {
			shown.LatencyMS[i] = ms(float64(h.tookAvg))
		}
	})
	return shown
}
