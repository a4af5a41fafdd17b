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
	// scanInterval is the time between two scans for orphaned turns.
	scanInterval = 250 * time.Millisecond
	// deathConfirmation is how long a process must stay without a connection to count as dead: one that has lost its
	// connection to the database reconnects in less.
	deathConfirmation = 700 * time.Millisecond
	// staleObservationLimit is the pause between two scans after which earlier observations are stale, and the limit of a
	// scan's own duration.
	staleObservationLimit = 4 * scanInterval
	// reconnectGrace is how long processes may take to reconnect once the database is back.
	reconnectGrace = 3 * time.Second
	// maxRestarts bounds concurrent restarts of turns, restartTimeout the time spent on those of one scan.
	maxRestarts    = 4
	restartTimeout = 10 * time.Second
)

// Takeovers claim orphaned turns of killed processes and restart their workflows. Temporal would give the workflow
// tasks to other processes after their timeout; the database shows sooner that the connections of a process have ended.
// A process that hangs, or whose machine is gone, is left to Temporal.
type Takeovers struct {
	Log    *slog.Logger
	Engine *Engine
	Turns  *turn.Store
	// Process is the lease by which other processes see that this one lives.
	Process *store.ProcessLease

	seen map[turn.Orphan]time.Time
	// scannedAt is the time of the last scan. Scans before untrustedUntil do not count.
	scannedAt, untrustedUntil time.Time
}

// Run scans until ctx ends.
func (t *Takeovers) Run(ctx context.Context) {
	tick := time.NewTicker(scanInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		due, err := t.scan(ctx, time.Now())
		if err != nil && ctx.Err() == nil {
			t.Log.Debug("Scan for orphaned turns failed", "error", err)
		}
		t.claim(ctx, due)
	}
}

// scan returns the turns that have been orphaned for long enough. A process without its own lease finds none: the
// others may have lost their connections by the same outage.
func (t *Takeovers) scan(ctx context.Context, now time.Time) (due []turn.Orphan, err error) {
	startedAt := time.Now()
	limited, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	found, err := t.Turns.Orphans(limited, t.Process.LockKey())
	took := time.Since(startedAt)
	before := t.seen
	if now.Sub(t.scannedAt) > staleObservationLimit {
		before = nil
	}
	t.seen, t.scannedAt = make(map[turn.Orphan]time.Time, len(found)), now
	if err != nil || took > staleObservationLimit || !t.Process.Stable(reconnectGrace) {
		t.untrustedUntil = now.Add(took + reconnectGrace)
	}
	if now.Before(t.untrustedUntil) {
		return nil, err
	}
	for _, o := range found {
		since, known := before[o]
		if !known {
			since = now
		}
		t.seen[o] = since
		if now.Sub(since) >= deathConfirmation {
			due = append(due, o)
		}
	}
	return due, nil
}

// claim claims the turns that no other process has claimed meanwhile and restarts their workflows, until one fails.
func (t *Takeovers) claim(ctx context.Context, due []turn.Orphan) {
	if len(due) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, restartTimeout)
	defer cancel()
	var group errgroup.Group
	var failed atomic.Bool
	group.SetLimit(maxRestarts)
	for _, o := range due {
		group.Go(func() error {
			own := t.Process.HeldKey()
			if own == 0 || failed.Load() {
				return nil // the next scan finds it again
			}
			mine, err := t.Turns.ClaimOrphan(ctx, o, own)
			if err == nil && mine {
				err = t.restartWithRetries(ctx, o)
			}
			if err == nil {
				return nil
			}
			failed.Store(true)
			if mine {
				t.Log.Warn("Orphaned turn not restarted, left to Temporal", "turn", o.ID, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

// restartWithRetries restarts the workflow of a turn whose workflow task the dead process may hold.
func (t *Takeovers) restartWithRetries(ctx context.Context, o turn.Orphan) error {
	const pause = 200 * time.Millisecond
	crash.Point("takeover.before-restart", o.ID)
	for {
		err := t.restart(ctx, o)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("restart an orphaned turn: %w", err)
		case <-time.After(pause):
		}
	}
}

// restart leaves a turn alone that another process has claimed meanwhile, and one that waits for a timer, for which no
// process is needed.
func (t *Takeovers) restart(ctx context.Context, o turn.Orphan) error {
	set, err := t.Turns.SettingsOf(ctx, o.ID)
	if err != nil {
		return err
	}
	condition, err := t.Engine.DescribeTurn(ctx, o.ID)
	if err != nil || condition.State == TurnClosed || condition.State == TurnRunning && condition.Attempt == 0 {
		return err
	}
	if adopted, err := t.Turns.StillHoldsOrphan(ctx, o, t.Process.LockKey()); err != nil || !adopted {
		return err
	}
	if condition.State == TurnMissing {
		return t.Engine.StartTurnOf(ctx, o.ID, set)
	}
	if err := t.Engine.RestartTurnOf(ctx, o.ID, set); err != nil {
		return err
	}
	t.Log.Info("Orphaned turn restarted", "turn", o.ID)
	return nil
}
