package history

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/check/history/historydb"
)

// maxLiveTargets is up to how many targets a board counts results that are not sealed: a page of a board has fewer, and all of
// a large installation at once would cost more than the last hour is worth.
const maxLiveTargets = 1000

// Board is how systems fared.
type Board struct {
	Systems map[uuid.UUID]SystemBoard
	// Live says that runs of the current hour are counted; if not, counts end with the last sealed hour.
	Live bool
}

// SystemBoard is how a system fared.
type SystemBoard struct {
	// Days are one a day of UTC, oldest first, the last is today.
	Days []DayCell
	// LatencyMS are the last 24 hours, oldest first, the last is the current one: the average of what runs took that were answered, nil
	// where none was.
	LatencyMS []*float64
}

// DayCell is a day of a system. Availability is nil when no run said anything about it. Worst is the worst status of that day, for today
// to this moment.
type DayCell struct {
	Day            time.Time
	Passed, Failed int64
	Availability   *float64
	Worst          health.Status
}

// Board gives the last days, 90 at most, and hours of systems.
func (r *Reader) Board(ctx context.Context, systems []uuid.UUID, days int) (Board, error) {
	days = min(max(days, 1), boardDays)
	now, err := r.now(ctx)
	if err != nil {
		return Board{}, fmt.Errorf("read clock: %w", err)
	}
	q := historydb.New(r.db.Conn(ctx))
	targets, err := q.CountTargets(ctx, historydb.CountTargetsParams{Systems: systems, AtMost: maxLiveTargets + 1})
	if err != nil {
		return Board{}, fmt.Errorf("count targets: %w", err)
	}
	b := Board{Systems: make(map[uuid.UUID]SystemBoard, len(systems)), Live: targets <= maxLiveTargets}
	today, hour := int32(now/Day), int32(now/Hour)
	// Results first: those that are sealed meanwhile are then in the boards.
	var live []historydb.LiveOfSystemsRow
	if b.Live {
		if live, err = q.LiveOfSystems(ctx, historydb.LiveOfSystemsParams{Systems: systems, First: (now/Hour - parts) * Hour}); err != nil {
			return Board{}, fmt.Errorf("read results of systems: %w", err)
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
	boards := make(map[uuid.UUID]board, len(systems))
	through := make(map[uuid.UUID]int32, len(systems))
	for _, k := range kept {
		boards[k.SystemID], through[k.SystemID] = unpackBoard(k.Days, k.Hours), k.Through
	}
	for _, id := range systems {
		if _, ok := boards[id]; !ok {
			boards[id] = unpackBoard(nil, nil)
		}
	}
	for _, l := range live {
		sb := boards[l.SystemID]
		if l.Hour <= through[l.SystemID] {
			continue
		}
		d := sb.days[l.Hour/24]
		d.passed += uint32(l.Passed)
		d.failed += uint32(l.Failed)
		sb.days[l.Hour/24] = d
		if l.Answered > 0 {
			sb.hours[l.Hour] = boardHour{uint32(l.Answered), uint32(l.TookSum / l.Answered)}
		}
	}
	for id, status := range worst {
		d := boards[id].days[today]
		d.worst = max(d.worst, status)
		boards[id].days[today] = d
	}
	for _, id := range systems {
		b.Systems[id] = boards[id].show(today, hour, int32(days))
	}
	return b, nil
}

// worstToday is the worst status of each system since a moment. One whose status is older has had no other.
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
		worst[w.SystemID] = max(worst[w.SystemID], health.Status(w.Worst))
	}
	return worst, err
}

func (b board) show(today, hour, days int32) SystemBoard {
	shown := SystemBoard{Days: make([]DayCell, days), LatencyMS: make([]*float64, 24)}
	for i := range days {
		day := today - days + 1 + i
		d := b.days[day]
		shown.Days[i] = DayCell{
			Day: time.UnixMilli(int64(day) * Day).UTC(), Passed: int64(d.passed), Failed: int64(d.failed),
			Availability: availability(int64(d.passed), int64(d.failed)), Worst: d.worst,
		}
	}
	for i := range shown.LatencyMS {
		if h, ok := b.hours[hour-23+int32(i)]; ok {
			shown.LatencyMS[i] = ms(float64(h.tookAvg))
		}
	}
	return shown
}
