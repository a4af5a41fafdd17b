package stream

import (
	"context"
	"time"

	"countersign/store/chore"
)

// keep is how long the events of a turn that has ended stay, for readers that are behind.
const keep = 10 * time.Minute

// Chores are what has to be done now and then.
func (l *Log) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "prune events", Every: time.Minute, Do: func(ctx context.Context) error { return l.Prune(ctx, keep) }},
	}
}
