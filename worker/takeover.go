package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/chat/turn"
	"countersign/crash"
)

const (
	// lookEvery is how often a process looks for turns of dead ones.
	lookEvery = 250 * time.Millisecond
	// mourning is how long a process has to be seen dead: one that has lost its connection to the database makes another in less.
	mourning = 700 * time.Millisecond
	// amnesia is a pause between two looks after which what was seen before does not count.
	amnesia = 4 * lookEvery
	// reunion is how long processes are given to connect anew once the database is back.
	reunion = 3 * time.Second
	// restarts bounds how many turns are begun anew at the same time, restartPatience how long that is tried for one.
	restarts        = 4
	restartPatience = 10 * time.Second
)

// Takeovers go on with the turns of processes that were killed. Temporal would give their workflow tasks to others when these time out; the
// database knows sooner, as it sees the connections of a process end. A process that stands still, or whose machine is gone, is left to Temporal.
type Takeovers struct {
	Log    *slog.Logger
	Engine *Engine
	Turns  *turn.Store
	// Process is the key of the lock that this process holds as long as it lives.
	Process int64

	seen map[turn.Orphan]time.Time
	// looked is when the last look was, and away until when no look counts.
	looked, away time.Time
}

// Run looks until ctx ends.
func (t *Takeovers) Run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		due, err := t.look(ctx, time.Now())
		if err != nil && ctx.Err() == nil {
			t.Log.Debug("Not known whether processes have died", "error", err)
		}
		t.take(ctx, due)
	}
}

// look is which turns have been seen without a process for long enough.
func (t *Takeovers) look(ctx context.Context, now time.Time) (due []turn.Orphan, err error) {
	limited, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found, err := t.Turns.Orphans(limited, t.Process)
	before := t.seen
	if err != nil || now.Sub(t.looked) > amnesia {
		before = nil
	}
	t.seen, t.looked = make(map[turn.Orphan]time.Time, len(found)), now
	if err != nil {
		t.away = now.Add(reunion)
	}
	if err != nil || now.Before(t.away) {
		return nil, err
	}
	for _, o := range found {
		since, known := before[o]
		if !known {
			since = now
		}
		t.seen[o] = since
		if now.Sub(since) >= mourning {
			due = append(due, o)
		}
	}
	return due, nil
}

// take goes on with the turns that no other process has taken meanwhile.
func (t *Takeovers) take(ctx context.Context, due []turn.Orphan) {
	var group errgroup.Group
	group.SetLimit(restarts)
	for _, o := range due {
		group.Go(func() error {
			mine, err := t.Turns.Adopt(ctx, o, t.Process)
			if err == nil && mine {
				err = t.restart(ctx, o.ID)
			}
			if err != nil && ctx.Err() == nil {
				t.Log.Warn("A turn whose process has died is left to Temporal", "turn", o.ID, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// restart begins the workflow of a turn anew where a workflow task of it may be with the dead process. One that waits for a time is left alone.
func (t *Takeovers) restart(ctx context.Context, id uuid.UUID) error {
	const pause = 200 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, restartPatience)
	defer cancel()
	crash.Point("takeover.before-restart", id)
	for {
		err := t.begin(ctx, id)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("begin a turn anew: %w", err)
		case <-time.After(pause):
		}
	}
}

func (t *Takeovers) begin(ctx context.Context, id uuid.UUID) error {
	condition, err := t.Engine.Examine(ctx, id)
	if err != nil || condition.State == TurnClosed || condition.State == TurnRunning && condition.Attempt == 0 {
		return err
	}
	set, err := t.Turns.SettingsOf(ctx, id)
	if err != nil {
		return err
	}
	t.Log.Info("The process that had a turn has died; it goes on in another run of its workflow", "turn", id)
	return t.Engine.RestartTurnOf(ctx, id, set)
}
