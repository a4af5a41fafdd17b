package history

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/check/history/historydb"
)

// Limits of the stored board of a system.
const (
	boardDays  = 90
	boardHours = 48
)

// board is the decoded row of check_boards of a system.
type board struct {
	days  map[int32]boardDay
	hours map[int32]boardHour
}

type boardDay struct {
	passed, failed uint32
	worst          health.Status
}

type boardHour struct{ answered, tookAvg uint32 }

func unpackBoard(days, hours []byte) board {
	b := board{days: map[int32]boardDay{}, hours: map[int32]boardHour{}}
	eachDay(days, func(day int32, d boardDay) { b.days[day] = d })
	eachHour(hours, func(hour int32, h boardHour) { b.hours[hour] = h })
	return b
}

func eachDay(days []byte, each func(day int32, d boardDay)) {
	for ; len(days) >= 13; days = days[13:] {
		each(
			int32(binary.LittleEndian.Uint32(days)),
			boardDay{binary.LittleEndian.Uint32(days[4:]), binary.LittleEndian.Uint32(days[8:]), health.Status(days[12])},
		)
	}
}

func eachHour(hours []byte, each func(hour int32, h boardHour)) {
	for ; len(hours) >= 12; hours = hours[12:] {
		each(int32(binary.LittleEndian.Uint32(hours)), boardHour{binary.LittleEndian.Uint32(hours[4:]), binary.LittleEndian.Uint32(hours[8:])})
	}
}

// pack encodes the days and hours within the limits, oldest first.
func (b board) pack(today, hour int32) (days, hours []byte) {
	days, hours = []byte{}, []byte{}
	for day := today - boardDays + 1; day <= today; day++ {
		if d, ok := b.days[day]; ok {
			days = binary.LittleEndian.AppendUint32(days, uint32(day))
			days = binary.LittleEndian.AppendUint32(days, d.passed)
			days = append(binary.LittleEndian.AppendUint32(days, d.failed), byte(d.worst))
		}
	}
	for h := hour - boardHours + 1; h <= hour; h++ {
		if v, ok := b.hours[h]; ok {
			hours = binary.LittleEndian.AppendUint32(hours, uint32(h))
			hours = binary.LittleEndian.AppendUint32(hours, v.answered)
			hours = binary.LittleEndian.AppendUint32(hours, v.tookAvg)
		}
	}
	return days, hours
}

// refreshBoards recomputes the boards of a day from its rollups. through is the last sealed hour.
func (k *Keeper) refreshBoards(ctx context.Context, day, through int64) error {
	var after uuid.UUID
	for {
		var systems []uuid.UUID
		err := k.db.InTx(ctx, func(ctx context.Context) (err error) {
			q := historydb.New(k.db.Conn(ctx))
			if systems, err = q.SystemsWithTargets(
				ctx,
				historydb.SystemsWithTargetsParams{After: after, MaxRows: 500},
			); err != nil ||
				len(systems) == 0 {
				return err
			}
			return refresh(ctx, q, systems, int32(day), int32(through))
		})
		if err != nil {
			return fmt.Errorf("refresh boards: %w", err)
		}
		if len(systems) == 0 {
			return nil
		}
		after = systems[len(systems)-1]
	}
}

func refresh(ctx context.Context, q *historydb.Queries, systems []uuid.UUID, day, through int32) error {
	hours, err := q.HoursOfSystems(ctx, historydb.HoursOfSystemsParams{Systems: systems, First: day * 24, Before: day*24 + 24})
	if err != nil {
		return err
	}
	worst, err := q.WorstOfSystems(ctx, historydb.WorstOfSystemsParams{Systems: systems, First: int64(day) * Day, Before: int64(day+1) * Day})
	if err != nil {
		return err
	}
	kept, err := q.Boards(ctx, systems)
	if err != nil {
		return err
	}
	boards := make(map[uuid.UUID]board, len(systems))
	for _, b := range kept {
		boards[b.SystemID] = unpackBoard(b.Days, b.Hours)
	}
	for _, id := range systems {
		if _, ok := boards[id]; !ok {
			boards[id] = unpackBoard(nil, nil)
		}
		delete(boards[id].days, day)
	}
	for _, h := range hours {
		b := boards[h.SystemID]
		d := b.days[day]
		d.passed += uint32(h.Passed)
		d.failed += uint32(h.Failed)
		b.days[day] = d
		if h.Answered > 0 {
			b.hours[h.Hour] = boardHour{uint32(h.Answered), uint32(h.TookSum / h.Answered)}
		}
	}
	for _, w := range worst {
		if d, ok := boards[w.SystemID].days[day]; ok {
			d.worst = health.Status(w.Worst)
			boards[w.SystemID].days[day] = d
		}
	}
	save := historydb.SaveBoardsParams{Systems: systems, Through: through}
	for _, id := range systems {
		days, hours := boards[id].pack(max(through/24, day), max(through, day*24+23))
		save.Days, save.Hours = append(save.Days, days), append(save.Hours, hours)
	}
	return q.SaveBoards(ctx, save)
}
