package history

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/check/history/historydb"
)

// maxLiveKept bounds the cached systems.
const maxLiveKept = 20_000

// live caches the sums of unsealed results per system for a short time. They take longer to compute than the rest of a
// board, and all readers need the same.
type live struct {
	mu sync.Mutex
	of map[uuid.UUID]counted
}

// counted is the cached sums of a system's unsealed results, with the time of the read.
type counted struct {
	rows []historydb.LiveOfSystemsRow
	at   time.Time
}

// known splits systems into those cached since a time, with their rows, and the others.
func (l *live) known(systems []uuid.UUID, since time.Time) (rows []historydb.LiveOfSystemsRow, others []uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range systems {
		if c, ok := l.of[id]; ok && c.at.After(since) {
			rows = append(rows, c.rows...)
		} else {
			others = append(others, id)
		}
	}
	return rows, others
}

// keep caches the rows of systems, also of systems without rows.
func (l *live) keep(systems []uuid.UUID, rows []historydb.LiveOfSystemsRow, at time.Time) {
	of := make(map[uuid.UUID]counted, len(systems))
	for _, id := range systems {
		of[id] = counted{at: at}
	}
	for _, row := range rows {
		of[row.SystemID] = counted{append(of[row.SystemID].rows, row), at}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil || len(l.of)+len(of) > maxLiveKept {
		l.of = make(map[uuid.UUID]counted, len(of))
	}
	maps.Copy(l.of, of)
}

// liveOf sums the unsealed results of systems by hour.
func (r *Reader) liveOf(ctx context.Context, q *historydb.Queries, systems []uuid.UUID, now int64) ([]historydb.LiveOfSystemsRow, error) {
	at := time.Now()
	rows, others := r.live.known(systems, at.Add(-r.liveFor))
	if len(others) == 0 {
		return rows, nil
	}
	read, err := q.LiveOfSystems(ctx, historydb.LiveOfSystemsParams{
		Systems: others, First: (now/Hour - 2) * Hour, PartA: now / Hour % parts, PartB: (now/Hour - 1) % parts, PartC: (now/Hour - 2) % parts,
	})
	if err != nil {
		return nil, fmt.Errorf("read results of systems: %w", err)
	}
	if r.liveFor > 0 {
		r.live.keep(others, read, at)
	}
	return append(rows, read...), nil
}
