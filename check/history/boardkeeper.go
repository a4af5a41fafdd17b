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

// boardCell is what a day of a system amounts to: measured time and downtime in milliseconds. Those of systems with due times, which
// have members of their own, are not stored.
type boardCell struct {
	measured, down uint32
	worst          health.Status
	jobs           bool
	due, missed    uint32
}

func (c boardCell) availability() *float64 {
	if c.jobs {
		return share(int64(c.due), int64(c.missed))
	}
	return share(int64(c.measured), int64(c.down))
}

type boardHour struct{ answered, tookAvg uint32 }

func unpackCells(cells []byte) map[int32]boardCell {
	of := map[int32]boardCell{}
	for ; len(cells) >= 13; cells = cells[13:] {
		of[int32(binary.LittleEndian.Uint32(cells))] = boardCell{
			measured: binary.LittleEndian.Uint32(cells[4:]), down: binary.LittleEndian.Uint32(cells[8:]), worst: health.Status(cells[12]),
		}
	}
	return of
}

// packCells encodes the cells of the days before end within the limit, oldest first.
func packCells(of map[int32]boardCell, end int32) []byte {
	cells := []byte{}
	for day := end - boardDays; day < end; day++ {
		if c, ok := of[day]; ok {
			cells = binary.LittleEndian.AppendUint32(cells, uint32(day))
			cells = binary.LittleEndian.AppendUint32(cells, c.measured)
			cells = append(binary.LittleEndian.AppendUint32(cells, c.down), byte(c.worst))
		}
	}
	return cells
}

func eachHour(hours []byte, each func(hour int32, h boardHour)) {
	for ; len(hours) >= 12; hours = hours[12:] {
		each(int32(binary.LittleEndian.Uint32(hours)), boardHour{binary.LittleEndian.Uint32(hours[4:]), binary.LittleEndian.Uint32(hours[8:])})
	}
}

func packHours(of map[int32]boardHour, last int32) []byte {
	hours := []byte{}
	for h := last - boardHours + 1; h <= last; h++ {
		if v, ok := of[h]; ok {
			hours = binary.LittleEndian.AppendUint32(hours, uint32(h))
			hours = binary.LittleEndian.AppendUint32(hours, v.answered)
			hours = binary.LittleEndian.AppendUint32(hours, v.tookAvg)
		}
	}
	return hours
}

// refreshBoards recomputes the hours of a day on the boards, and the complete days that they do not have yet. through is the last
// sealed hour.
func (k *Keeper) refreshBoards(ctx context.Context, day, through int64) error {
	now, err := k.now(ctx)
	if err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	keep, err := k.Retention(ctx)
	if err != nil {
		return err
	}
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
			return refresh(ctx, timelines{q: q, keep: keep, now: now}, systems, int32(day), int32(through))
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

func refresh(ctx context.Context, l timelines, systems []uuid.UUID, day, through int32) error {
	// The boards are locked before the history is read, so that what is written about the past meanwhile reopens them.
	kept, err := l.q.LockBoards(ctx, systems)
	if err != nil {
		return err
	}
	rows := make(map[uuid.UUID]historydb.LockBoardsRow, len(systems))
	for _, b := range kept {
		rows[b.SystemID] = b
	}
	newest, err := l.hours(ctx, systems, rows, day)
	if err != nil {
		return err
	}
	end := max((through+1)/24, 0)
	fresh, err := l.missingCells(ctx, systems, rows, end)
	if err != nil {
		return err
	}
	save := historydb.SaveBoardsParams{Systems: systems, Through: through}
	for _, id := range systems {
		cells, to := rows[id].Cells, rows[id].CellsTo
		if all, ok := fresh[id]; ok {
			cells, to = packCells(all, end), end
		}
		if cells == nil {
			cells = []byte{}
		}
		save.Cells, save.CellsTo = append(save.Cells, cells), append(save.CellsTo, to)
		save.Hours = append(save.Hours, packHours(newest[id], max(through, day*24+23)))
	}
	return l.q.SaveBoards(ctx, save)
}

// hours are those on the boards of systems, with the hours of a day as its history has them now.
func (l timelines) hours(
	ctx context.Context, systems []uuid.UUID, rows map[uuid.UUID]historydb.LockBoardsRow, day int32,
) (map[uuid.UUID]map[int32]boardHour, error) {
	hours, err := l.q.HoursOfSystems(ctx, historydb.HoursOfSystemsParams{Systems: systems, First: day * 24, Before: day*24 + 24})
	if err != nil {
		return nil, err
	}
	newest := make(map[uuid.UUID]map[int32]boardHour, len(systems))
	for _, id := range systems {
		of := map[int32]boardHour{}
		eachHour(rows[id].Hours, func(hour int32, h boardHour) { of[hour] = h })
		newest[id] = of
	}
	for _, h := range hours {
		if h.Answered > 0 {
			newest[h.SystemID][h.Hour] = boardHour{uint32(h.Answered), uint32(h.TookSum / h.Answered)}
		}
	}
	return newest, nil
}

// missingCells are all cells of the systems whose boards lack days before end.
func (l timelines) missingCells(
	ctx context.Context, systems []uuid.UUID, rows map[uuid.UUID]historydb.LockBoardsRow, end int32,
) (map[uuid.UUID]map[int32]boardCell, error) {
	missing := map[int32][]uuid.UUID{}
	for _, id := range systems {
		if from := max(rows[id].CellsTo, end-boardDays); from < end {
			missing[from] = append(missing[from], id)
		}
	}
	fresh := map[uuid.UUID]map[int32]boardCell{}
	for from, of := range missing {
		cells, err := l.days(ctx, of, int64(from), int64(end))
		if err != nil {
			return nil, err
		}
		for _, id := range of {
			all := unpackCells(rows[id].Cells)
			for day := from; day < end; day++ {
				delete(all, day)
				if c, ok := cells[id][day]; ok {
					all[day] = c
				}
			}
			fresh[id] = all
		}
	}
	return fresh, nil
}
