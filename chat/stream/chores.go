package stream

import (
	"context"
	"time"

	"countersign/internal/store/chore"
)

// keep is the retention time of events of ended turns, for slow readers.
const keep = 10 * time.Minute

// Chores are the periodic jobs of the log.
func (l *Log) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "prune events", Every: time.Minute, Do: func(ctx context.Context) error { return l.Prune(ctx, keep) }},
	}
}
