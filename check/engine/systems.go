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

// Systems maintains the health of systems, which is that of their worst target or of a worse override.
type Systems struct {
	DB     *store.DB
	Events event.Appender
	// Sources are the sources of overrides, and Names returns names of systems regardless of the caller. Only Override needs
	// them.
	Sources *health.Sources
	Names   func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Recompute updates the health of systems whose targets or overrides have changed, in the transaction of ctx. A caller that
// changes the status or the set of targets calls it in the same transaction, after its own writes. at is the time of the
// change, in milliseconds.
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
	causes, err := readCauses(ctx, q, systems)
	if err != nil {
		return err
	}
	// A network failure changes many systems at once, so all rows are written in three statements.
	var puts enginedb.PutSystemsParams
	var changes enginedb.AddTransitionsParams
	var events []event.New
	settled := make([]systemState, len(states))
	var unnamed []uuid.UUID
	for i, was := range states {
		settled[i] = settle(was, causes[was.SystemID], at)
		if int16(settled[i].Status) != was.Status && settled[i].name == "" {
			unnamed = append(unnamed, was.SystemID)
		}
	}
	names, err := s.names(ctx, unnamed)
	if err != nil {
		return err
	}
	for i, was := range states {
		now := settled[i]
		puts.Systems, puts.Statuses = append(puts.Systems, was.SystemID), append(puts.Statuses, int16(now.Status))
		puts.Since, puts.Sources = append(puts.Since, now.since), append(puts.Sources, now.source)
		puts.Targets, puts.Reasons = append(puts.Targets, now.target()), append(puts.Reasons, now.Reason)
		puts.Troubled = append(puts.Troubled, now.troubled)
		if int16(now.Status) == was.Status {
			continue
		}
		changes.Systems, changes.Targets = append(changes.Systems, was.SystemID), append(changes.Targets, 0)
		changes.At, changes.Reasons = append(changes.At, now.since), append(changes.Reasons, now.Reason)
		changes.Began = append(changes.Began, now.since)
		changes.Before, changes.After = append(changes.Before, was.Status), append(changes.After, int16(now.Status))
		if now.name == "" {
			now.name = names[was.SystemID]
		}
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

// announceUnknown appends an event for each target whose runs could not be made for long, in the transaction of ctx.
func (s Systems) announceUnknown(ctx context.Context, targets []int32) error {
	if len(targets) == 0 {
		return nil
	}
	rows, err := enginedb.New(s.DB.Conn(ctx)).UnknownTargets(ctx, targets)
	if err != nil {
		return fmt.Errorf("read unknown targets: %w", err)
	}
	events := make([]event.New, len(rows))
	for i, r := range rows {
		t := health.Target{Name: r.CheckName, Environment: r.EnvironmentName, Reason: r.Reason}
		events[i] = event.New{
			Type: health.EventCheckUnknown, Subject: health.SubjectOf(r.SystemID), ContextKey: r.SystemID.String(),
			Payload: health.CheckUnknownPayload{
				SystemID: r.SystemID, SystemName: r.SystemName, TargetID: r.Target, CheckID: r.CheckID,
				Reason: t.UnknownSentence(), At: time.UnixMilli(r.LastSlot).UTC(),
			},
		}
	}
	if err := s.Events.Append(ctx, events...); err != nil {
		return fmt.Errorf("append events: %w", err)
	}
	return nil
}

// names returns the names of systems for which no check runs.
func (s Systems) names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	if len(ids) == 0 || s.Names == nil {
		return nil, nil
	}
	names, err := s.Names(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the names of systems: %w", err)
	}
	return names, nil
}

// causes determine the health of a system.
type causes struct {
	targets   []enginedb.SystemTargetsRow
	overrides []health.Override
}

func readCauses(ctx context.Context, q *enginedb.Queries, systems []uuid.UUID) (map[uuid.UUID]causes, error) {
	targets, err := q.SystemTargets(ctx, systems)
	if err != nil {
		return nil, fmt.Errorf("read targets of systems: %w", err)
	}
	overrides, err := q.SystemOverrides(ctx, systems)
	if err != nil {
		return nil, fmt.Errorf("read overrides of systems: %w", err)
	}
	of := map[uuid.UUID]causes{}
	for _, t := range targets {
		c := of[t.SystemID]
		c.targets = append(c.targets, t)
		of[t.SystemID] = c
	}
	for _, o := range overrides {
		c := of[o.SystemID]
		c.overrides = append(c.overrides, health.Override{
			System: o.SystemID, Source: o.Source, Key: o.Key, Status: health.Status(o.Status), Reason: o.Reason,
			Since: time.UnixMilli(o.SinceMs).UTC(),
		})
		of[o.SystemID] = c
	}
	return of, nil
}

// systemState is the health of a system.
type systemState struct {
	health.Settled

	// name is that of the system; empty when no check runs for it.
	name  string
	since int64
	// worst is the target that determines it, and source that of the override; nil and empty for none.
	worst  *enginedb.SystemTargetsRow
	source string
	// troubled reports that it has been degraded or unhealthy and not healthy since.
	troubled bool
}

func settle(was enginedb.CheckSystemState, c causes, at int64) systemState {
	targets := make([]health.Target, len(c.targets))
	for i, r := range c.targets {
		targets[i] = health.Target{
			ID: r.Target, Name: r.CheckName, Environment: r.EnvironmentName,
			Status: health.Status(r.Status), Since: time.UnixMilli(r.SinceMs).UTC(), Reason: r.Reason,
		}
	}
	now := systemState{Settled: health.Settle(targets, c.overrides), since: was.SinceMs}
	if len(c.targets) > 0 {
		now.name = c.targets[0].SystemName
	}
	if now.Target >= 0 {
		now.worst = &c.targets[now.Target]
	}
	if now.Override >= 0 {
		now.source = c.overrides[now.Override].Source
	}
	if int16(now.Status) != was.Status {
		now.since = max(at, was.SinceMs)
	}
	now.troubled = now.Status.Bad() || now.Status != health.Healthy && troubled(was)
	return now
}

// troubled reports that a system was degraded or unhealthy and has not been healthy since. Systems from before the column
// have their status alone.
func troubled(was enginedb.CheckSystemState) bool {
	return was.Troubled || health.Status(was.Status).Bad()
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
		After:    n.Status.String(),
		Reason:   n.Reason,
		Source:   n.source,
		At:       time.UnixMilli(n.since).UTC(),

		SystemName: n.name,
	}
	if n.worst != nil {
		payload.CheckID, payload.TargetID = &n.worst.CheckID, &n.worst.Target
	}
	var events []event.New
	for _, kind := range kinds(before, n.Status, troubled(was)) {
		events = append(
			events,
			event.New{Type: kind, Subject: health.SubjectOf(was.SystemID), ContextKey: was.SystemID.String(), Payload: payload},
		)
	}
	return events
}

// kinds returns the event types of a status change. A system that has recovered while one of its checks was unknown is healthy
// again only when that is known, too.
func kinds(before, after health.Status, troubled bool) []string {
	switch {
	case after.Bad() && after.WorseThan(before):
		return []string{health.EventDegraded, health.EventChanged}
	case after == health.Healthy && troubled:
		return []string{health.EventHealthy, health.EventChanged}
	default:
		return []string{health.EventChanged}
	}
}
