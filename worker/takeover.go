package worker

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/chat/turn"
	"countersign/crash"
	"countersign/store"
)

const (
	// lookEvery is how often a process looks for turns of dead ones.
	lookEvery = 250 * time.Millisecond
	// mourning is how long a process has to be seen dead: one that has lost its connection to the database makes another in less.
	mourning = 700 * time.Millisecond
	// amnesia is a pause between two looks after which what was seen before does not count, and how long a look may take to count.
	amnesia = 4 * lookEvery
	// reunion is how long processes are given to connect anew once the database is back.
	reunion = 3 * time.Second
	// restarts bounds how many turns are begun anew at the same time, restartPatience how long that is tried for those of one look.
	restarts        = 4
	restartPatience = 10 * time.Second
)

// Takeovers go on with the turns of processes that were killed. Temporal would give their workflow tasks to others when
// these time out; the database knows sooner, as it sees the connections of a process end. A process that stands still,
// or whose machine is gone, is left to Temporal.
type Takeovers struct {
	Log    *slog.Logger
	Engine *Engine
	Turns  *turn.Store
	// Process is by what others see that this process lives.
	Process *store.Presence

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

// look is which turns have been seen without a process for long enough. Whoever is not seen to live sees nobody dead: others may have lost
// their connections by the same.
func (t *Takeovers) look(ctx context.Context, now time.Time) (due []turn.Orphan, err error) {
	asked := time.Now()
	limited, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found, err := t.Turns.Orphans(limited, t.Process.Own())
	took := time.Since(asked)
	before := t.seen
	if now.Sub(t.looked) > amnesia {
		before = nil
	}
	t.seen, t.looked = make(map[turn.Orphan]time.Time, len(found)), now
	if err != nil || took > amnesia || !t.Process.Steady(reunion) {
		t.away = now.Add(took + reunion)
	}
	if now.Before(t.away) {
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

// take goes on with the turns that no other process has taken meanwhile, until one cannot be had.
func (t *Takeovers) take(ctx context.Context, due []turn.Orphan) {
	if len(due) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, restartPatience)
	defer cancel()
	var group errgroup.Group
	var failed atomic.Bool
	group.SetLimit(restarts)
	for _, o := range due {
		group.Go(func() error {
			own := t.Process.Key()
			if own == 0 || failed.Load() {
				return nil // the next look finds it again
			}
			mine, err := t.Turns.Adopt(ctx, o, own)
			if err == nil && mine {
				err = t.restart(ctx, o)
			}
			if err == nil {
				return nil
			}
			failed.Store(true)
			if mine {
				t.Log.Warn("A turn whose process has died is left to Temporal", "turn", o.ID, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// restart begins the workflow of a turn anew where a workflow task of it may be with the dead process.
func (t *Takeovers) restart(ctx context.Context, o turn.Orphan) error {
	const pause = 200 * time.Millisecond
	crash.Point("takeover.before-restart", o.ID)
	for {
		err := t.begin(ctx, o)
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

// begin leaves a turn alone that somebody has gone on with meanwhile, and one that waits for a time, for which no process is needed.
func (t *Takeovers) begin(ctx context.Context, o turn.Orphan) error {
	set, err := t.Turns.SettingsOf(ctx, o.ID)
	if err != nil {
		return err
	}
	condition, err := t.Engine.Examine(ctx, o.ID)
	if err != nil || condition.State == TurnClosed || condition.State == TurnRunning && condition.Attempt == 0 {
		return err
	}
	if adopted, err := t.Turns.Adopted(ctx, o, t.Process.Own()); err != nil || !adopted {
		return err
	}
	if condition.State == TurnMissing {
		return t.Engine.StartTurnOf(ctx, o.ID, set)
	}
	if err := t.Engine.RestartTurnOf(ctx, o.ID, set); err != nil {
		return err
	}
	t.Log.Info("The process that had a turn has died; it goes on in another run of its workflow", "turn", o.ID)
	return nil
}
