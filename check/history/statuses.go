package history

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/check/history/historydb"
)

// SystemStatus is the status of a system as a whole, and since when.
type SystemStatus struct {
	Status health.Status
	Since  time.Time
}

// Statuses returns the statuses of systems with checks or overrides.
func (r *Reader) Statuses(ctx context.Context, systems []uuid.UUID) (map[uuid.UUID]SystemStatus, error) {
	rows, err := historydb.New(r.db.Conn(ctx)).StatesOfSystems(ctx, systems)
	if err != nil {
		return nil, fmt.Errorf("read states of systems: %w", err)
	}
	found := make(map[uuid.UUID]SystemStatus, len(rows))
	for _, row := range rows {
		found[row.SystemID] = SystemStatus{health.Status(row.Status), time.UnixMilli(row.SinceMs).UTC()}
	}
	return found, nil
}
