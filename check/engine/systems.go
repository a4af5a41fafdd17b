package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/check/engine/enginedb"
	"countersign/check/health"
	"countersign/event"
	"countersign/store"
)

// Systems keeps the state of whole systems, which is that of their worst target.
type Systems struct {
	DB     *store.DB
	Events event.Appender
}

// Settle works the state of systems out anew after targets of theirs have changed, in the transaction of ctx. Whoever changes
// the status of targets, or which targets there are, calls it in the same transaction, after its own writes. at is when they
// changed, in milliseconds.
func (s Systems) Settle(ctx context.Context, systems []uuid.UUID, at int64) error {
	if len(systems) == 0 {
		return nil
	}
	q := enginedb.New(s.DB.Conn(ctx))
	slices.SortFunc(systems, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
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
	for _, was := range states {
		if err := s.settle(ctx, q, was, of[was.SystemID], at); err != nil {
			return err
		}
	}
	return nil
}

func (s Systems) settle(ctx context.Context, q *enginedb.Queries, was enginedb.CheckSystemState, rows []enginedb.SystemTargetsRow, at int64) error {
	targets := make([]health.Target, len(rows))
	for i, r := range rows {
		targets[i] = health.Target{
			ID: r.Target, Name: r.CheckName, Environment: r.EnvironmentName,
			Status: health.Status(r.Status), Since: time.UnixMilli(r.SinceMs).UTC(), Reason: r.Reason,
		}
	}
	status, worst, reason := health.Worst(targets)
	now := enginedb.PutSystemParams{Status: int16(status), SinceMs: was.SinceMs, Reason: reason, SystemID: was.SystemID}
	if worst >= 0 {
		now.Target = &targets[worst].ID
	}
	changed := now.Status != was.Status
	if changed {
		now.SinceMs = max(at, was.SinceMs)
	}
	if err := q.PutSystem(ctx, now); err != nil {
		return fmt.Errorf("write system: %w", err)
	}
	if !changed {
		return nil
	}
	before := health.Status(was.Status)
	err := q.AddTransitions(ctx, enginedb.AddTransitionsParams{
		Systems: []uuid.UUID{was.SystemID}, Targets: []int32{0}, At: []int64{now.SinceMs}, Before: []int16{was.Status}, After: []int16{now.Status}, Reasons: []string{reason},
	})
	if err != nil {
		return fmt.Errorf("write transition of system: %w", err)
	}
	payload := event.SystemHealth{SystemID: was.SystemID, Before: before.String(), After: status.String(), Reason: reason, TargetID: now.Target, At: time.UnixMilli(now.SinceMs).UTC()}
	if worst >= 0 {
		payload.SystemName, payload.CheckID = rows[worst].SystemName, &rows[worst].CheckID
	}
	var events []event.New
	for _, kind := range kinds(before, status) {
		events = append(events, event.New{Type: kind, Subject: event.OfSystem(was.SystemID), ContextKey: was.SystemID.String(), Payload: payload})
	}
	if err := s.Events.Append(ctx, events...); err != nil {
		return fmt.Errorf("append events: %w", err)
	}
	return nil
}

// kinds are the types of the events about a change.
func kinds(before, after health.Status) []string {
	bad := func(s health.Status) bool { return s == health.Degraded || s == health.Unhealthy }
	switch {
	case bad(after) && after > before:
		return []string{event.SystemDegraded, event.SystemHealthChanged}
	case after == health.Healthy && bad(before):
		return []string{event.SystemHealthy, event.SystemHealthChanged}
	default:
		return []string{event.SystemHealthChanged}
	}
}
