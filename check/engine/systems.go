package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/check/engine/enginedb"
	"countersign/check/health"
	"countersign/event"
	"countersign/internal/store"
)

// Systems maintains the health of systems, which is that of their worst target.
type Systems struct {
	DB     *store.DB
	Events event.Appender
}

// Recompute updates the health of systems whose targets have changed, in the transaction of ctx. A caller that changes the
// status or the set of targets calls it in the same transaction, after its own writes. at is the time of the change, in
// milliseconds.
func (s Systems) Recompute(ctx context.Context, systems []uuid.UUID, at int64) error {
	if len(systems) == 0 {
		return nil
	}
	q := enginedb.New(s.DB.Conn(ctx))
	store.SortIDs(systems)
	if err := q.EnsureSystems(ctx, enginedb.EnsureSystemsParams{AtMs: at, Systems: systems}); err != nil {
		return fmt.Errorf("write systems: %w", err)
	}
	states, err := q.LockSystems(ctx, systems)
	if err != nil {
		return fmt.Errorf("lock systems: %w", err)
	}
	rows, err := q.SystemTargets(ctx, systems)
	if err != nil {
		return fmt.Errorf("read targets of systems: %w", err)
	}
	of := map[uuid.UUID][]enginedb.SystemTargetsRow{}
	for _, r := range rows {
		of[r.SystemID] = append(of[r.SystemID], r)
	}
	// A network failure changes many systems at once, so all rows are written in three statements.
	var puts enginedb.PutSystemsParams
	var changes enginedb.AddTransitionsParams
	var events []event.New
	for _, was := range states {
		now := worstOf(was, of[was.SystemID], at)
		puts.Systems, puts.Statuses, puts.Since = append(
			puts.Systems,
			was.SystemID,
		), append(
			puts.Statuses,
			int16(now.status),
		), append(
			puts.Since,
			now.since,
		)
		puts.Targets, puts.Reasons = append(puts.Targets, now.target()), append(puts.Reasons, now.reason)
		if int16(now.status) == was.Status {
			continue
		}
		changes.Systems, changes.Targets, changes.At = append(
			changes.Systems,
			was.SystemID,
		), append(
			changes.Targets,
			0,
		), append(
			changes.At,
			now.since,
		)
		changes.Before, changes.After, changes.Reasons = append(
			changes.Before,
			was.Status,
		), append(
			changes.After,
			int16(now.status),
		), append(
			changes.Reasons,
			now.reason,
		)
		events = append(events, now.events(was)...)
	}
	if err := q.PutSystems(ctx, puts); err != nil {
		return fmt.Errorf("write systems: %w", err)
	}
	if len(events) == 0 {
		return nil
	}
	if err := q.AddTransitions(ctx, changes); err != nil {
		return fmt.Errorf("write transitions of systems: %w", err)
	}
	if err := s.Events.Append(ctx, events...); err != nil {
		return fmt.Errorf("append events: %w", err)
	}
	return nil
}

// systemState is the health of a system.
type systemState struct {
	status health.Status
	reason string
	since  int64
	// worst is the target that determines it; nil for none.
	worst *enginedb.SystemTargetsRow
}

func worstOf(was enginedb.CheckSystemState, rows []enginedb.SystemTargetsRow, at int64) systemState {
	targets := make([]health.Target, len(rows))
	for i, r := range rows {
		targets[i] = health.Target{
			ID: r.Target, Name: r.CheckName, Environment: r.EnvironmentName,
			Status: health.Status(r.Status), Since: time.UnixMilli(r.SinceMs).UTC(), Reason: r.Reason,
		}
	}
	status, worst, reason := health.Worst(targets)
	now := systemState{status: status, reason: reason, since: was.SinceMs}
	if worst >= 0 {
		now.worst = &rows[worst]
	}
	if int16(status) != was.Status {
		now.since = max(at, was.SinceMs)
	}
	return now
}

// target returns the id of the worst target, 0 for none.
func (n systemState) target() int32 {
	if n.worst == nil {
		return 0
	}
	return n.worst.Target
}

// events returns the events of a status change.
func (n systemState) events(was enginedb.CheckSystemState) []event.New {
	before := health.Status(was.Status)
	payload := health.ChangedPayload{
		SystemID: was.SystemID,
		Before:   before.String(),
		After:    n.status.String(),
		Reason:   n.reason,
		At:       time.UnixMilli(n.since).UTC(),
	}
	if n.worst != nil {
		payload.SystemName, payload.CheckID, payload.TargetID = n.worst.SystemName, &n.worst.CheckID, &n.worst.Target
	}
	var events []event.New
	for _, kind := range kinds(before, n.status) {
		events = append(
			events,
			event.New{Type: kind, Subject: health.SubjectOf(was.SystemID), ContextKey: was.SystemID.String(), Payload: payload},
		)
	}
	return events
}

// kinds returns the event types of a status change.
func kinds(before, after health.Status) []string {
	bad := func(s health.Status) bool { return s == health.Degraded || s == health.Unhealthy }
	switch {
	case bad(after) && after > before:
		return []string{health.EventDegraded, health.EventChanged}
	case after == health.Healthy && bad(before):
		return []string{health.EventHealthy, health.EventChanged}
	default:
		return []string{health.EventChanged}
	}
}
