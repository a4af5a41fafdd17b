package event

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"countersign/event/eventdb"
	"countersign/internal/store"
	"countersign/internal/store/chore"
)

const (
	// Kept is the retention time of events that no consumer waits for, and how long a consumer stays that no process runs
	// and that this version does not have. Dead letters are kept three times as long.
	Kept      = 30 * 24 * time.Hour
	pruneRows = 5000
	// announceRun is how often a process says that it runs a consumer; it is absent after several of these.
	announceRun = 10 * time.Minute
	absentAfter = 3 * announceRun
)

// Pruner deletes old events and consumers that are gone.
type Pruner struct {
	db        *store.DB
	log       *slog.Logger
	consumers func() []string
}

// NewPruner makes a pruner. consumers returns the names of all consumers of this version, in every kind of process.
func NewPruner(db *store.DB, log *slog.Logger, consumers func() []string) *Pruner {
	return &Pruner{db, log, consumers}
}

// Chores delete old events, except those that a consumer still has to handle and dead letters, and consumers that are
// gone from the product. Events are kept without a limit for a consumer that is not gone: none is lost, and the lag shows
// it.
func (p *Pruner) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune events", Every: time.Hour, Do: p.prune}}
}

func (p *Pruner) prune(ctx context.Context) error {
	q := eventdb.New(p.db.Conn(ctx))
	removed, err := q.RemoveConsumers(ctx, eventdb.RemoveConsumersParams{Known: p.consumers(), Seconds: Kept.Seconds()})
	if err != nil {
		return fmt.Errorf("remove consumers: %w", err)
	}
	if len(removed) > 0 {
		p.log.Warn("Consumers of events removed: this version does not have them", "consumers", removed)
	}
	if _, err := q.PruneDeadLetters(ctx, (3 * Kept).Seconds()); err != nil {
		return fmt.Errorf("prune dead letters: %w", err)
	}
	for {
		n, err := q.Prune(ctx, eventdb.PruneParams{Seconds: Kept.Seconds(), MaxRows: pruneRows})
		if err != nil {
			return fmt.Errorf("prune events: %w", err)
		}
		if n < pruneRows {
			return p.warnOverdue(ctx)
		}
	}
}

// warnOverdue logs the consumers for which events are kept beyond their retention time.
func (p *Pruner) warnOverdue(ctx context.Context) error {
	states, err := NewOperator(p.db).States(ctx)
	for _, s := range states {
		if s.Overdue() {
			p.log.Warn("Events kept beyond their retention for a consumer that has not come to them",
				"consumer", s.Consumer, "depth", s.Depth, "lag", s.Lag, "running", !s.Absent)
		}
	}
	return err
}
