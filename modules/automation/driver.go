package automation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/internal/process"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/modules/automation/automationdb"
	"countersign/modules/automation/run"
)

const (
	// channel is notified when Temporal has to hear of something.
	channel = "automation_due"
	// claimSeconds is how long a process has for what it has claimed.
	claimSeconds = 20
	atOnce       = 50
	// retentionDays is how long ended runs are kept.
	retentionDays = 90
)

// Loops implements module.Loops.
func (m *Module) Loops() []process.Loop {
	return []process.Loop{
		{Name: "automation schedules", Role: process.Turns, Run: m.service.keepTime},
		{Name: "automation runs", Role: process.Turns, Run: m.service.drive},
	}
}

// Subscriptions implements module.Subscriptions.
func (m *Module) Subscriptions() store.Subscriptions {
	return store.Subscriptions{channel: {
		Notify: func(string) { m.service.notifier.Notify() }, Resync: m.service.notifier.Notify,
	}}
}

// Chores implements module.Chores.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "delete old runs of automations", Every: time.Hour, Do: m.service.prune},
		{Name: "check runs of automations", Every: time.Minute, Do: m.service.reconcile},
	}
}

// prune deletes ended runs whose time is over.
func (s *service) prune(ctx context.Context) error {
	for {
		n, err := s.queries(ctx).DeleteOldRuns(ctx, automationdb.DeleteOldRunsParams{Days: retentionDays, MaxRows: 1000})
		if err != nil {
			return fmt.Errorf("delete old runs: %w", err)
		}
		if n < 1000 {
			return nil
		}
	}
}

// drive tells Temporal what rows say: runs to start, to wake and to cancel. A claim that is lost with its process is taken
// again by another one, and each of these calls may be repeated.
func (s *service) drive(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		changed := s.notifier.Changed()
		did, err := s.driveOnce(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Warn("Runs of automations are not started", "error", err)
		}
		failing = err != nil
		if did && err == nil {
			continue
		}
		timer := time.NewTimer(s.Poll)
		select {
		case <-ctx.Done():
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// driveOnce handles the rows that are due now, and reports whether there were any.
func (s *service) driveOnce(ctx context.Context) (did bool, err error) {
	q := s.queries(ctx)
	var failed []error
	pending, err := q.ClaimPending(ctx, automationdb.ClaimPendingParams{Seconds: claimSeconds, MaxRows: atOnce})
	if err != nil {
		return false, fmt.Errorf("claim runs to start: %w", err)
	}
	for _, r := range pending {
		failed = append(failed, s.start(ctx, r.ID, r.AutomationID, r.TriggerID))
	}
	wakes, err := q.ClaimWakes(ctx, automationdb.ClaimWakesParams{Seconds: claimSeconds, MaxRows: atOnce})
	if err != nil {
		return false, fmt.Errorf("claim runs to wake: %w", err)
	}
	for _, w := range wakes {
		err := s.Engine.Signal(ctx, run.ID(w.RunID), run.Woken.With(run.WokenInput{}))
		if err == nil || problem.Is(err, problem.NotFound) {
			err = q.Woken(ctx, automationdb.WokenParams(w))
		}
		failed = append(failed, err)
	}
	cancelled, err := q.ClaimCancelled(ctx, automationdb.ClaimCancelledParams{Seconds: claimSeconds, MaxRows: atOnce})
	if err != nil {
		return false, fmt.Errorf("claim runs to cancel: %w", err)
	}
	for _, id := range cancelled {
		failed = append(failed, s.Engine.Cancel(ctx, run.ID(id)))
	}
	return len(pending)+len(wakes)+len(cancelled) > 0, errors.Join(failed...)
}

// start starts the workflow of a run, unless it has been started.
func (s *service) start(ctx context.Context, id, automation uuid.UUID, trigger string) error {
	return s.Engine.Start(ctx, run.Workflow.Execute(durable.Execution{
		ID: run.ID(id), Queue: durable.AutomationQueue, Summary: "Run of automation " + automation.String() + " by trigger " + trigger,
		Retried: true, Attributes: []temporal.SearchAttributeUpdate{
			durable.AutomationAttribute.ValueSet(automation.String()), durable.TriggerAttribute.ValueSet(trigger),
		},
	}, run.Input{RunID: id}))
}
