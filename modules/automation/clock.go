package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/event"
	"countersign/internal/calendar"
	"countersign/internal/store"
	"countersign/modules/automation/automationdb"
)

const (
	// dueAtOnce bounds the due triggers of one pass, slotsAtOnce the slots of one schedule that catch up in a pass.
	dueAtOnce   = 100
	slotsAtOnce = 100
	// lateAfter is when a schedule counts as standing still.
	lateAfter = time.Minute
	// shortly is how long slots pile up without being missed: a loop that is a little behind loses no slot of a short interval.
	shortly = 5 * time.Second
)

// keepTime fires schedules and lasting states until ctx ends. Each process does it: a row that is due is claimed.
func (s *service) keepTime(ctx context.Context) {
	failing := false
	for ctx.Err() == nil {
		wait, err := s.fireDue(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Warn("Schedules of automations are not looked at", "error", err)
		}
		if failing = err != nil; failing {
			wait = s.Poll
		}
		timer := time.NewTimer(min(wait, s.Poll))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// fireDue fires what is due, and returns how long to wait for the next.
func (s *service) fireDue(ctx context.Context) (time.Duration, error) {
	q := s.queries(ctx)
	schedules, err := q.DueSchedules(ctx, dueAtOnce)
	if err != nil {
		return 0, fmt.Errorf("find due schedules: %w", err)
	}
	for _, due := range schedules {
		if err := s.fireSchedule(ctx, due.AutomationID, due.TriggerID); err != nil {
			return 0, err
		}
	}
	lasting, err := q.DueFors(ctx, dueAtOnce)
	if err != nil {
		return 0, fmt.Errorf("find lasting states: %w", err)
	}
	for _, due := range lasting {
		if err := s.fireLasting(ctx, due, due.DueAt); err != nil {
			return 0, err
		}
	}
	seconds, err := q.NextDue(ctx)
	if err != nil {
		return 0, fmt.Errorf("find the next schedule: %w", err)
	}
	if seconds < 0 {
		return s.Poll, nil
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// enabledTrigger finds a trigger of the current revision of a locked automation.
func (s *service) enabledTrigger(
	ctx context.Context,
	automation uuid.UUID,
	id string,
) (a automationdb.Automation, t definition.Trigger, ok bool, err error) {
	a, err = s.queries(ctx).HoldAutomation(ctx, automation)
	if store.NoRows(err) {
		return a, t, false, nil
	}
	if err != nil {
		return a, t, false, fmt.Errorf("hold automation %s: %w", automation, err)
	}
	def, err := s.definitionOf(ctx, a.ID, a.DefinitionRevision)
	if err != nil {
		return a, t, false, err
	}
	for _, t := range def.Triggers {
		if t.ID == id && t.Enabled {
			return a, t, a.Status == Enabled, nil
		}
	}
	return a, t, false, nil
}

// fireSchedule takes the slots of a schedule that are over, in one transaction with their runs.
func (s *service) fireSchedule(ctx context.Context, automation uuid.UUID, trigger string) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		// The automation first, as everywhere.
		a, t, enabled, err := s.enabledTrigger(ctx, automation, trigger)
		if err != nil {
			return err
		}
		row, err := s.queries(ctx).HoldSchedule(ctx, automationdb.HoldScheduleParams{AutomationID: automation, TriggerID: trigger})
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("hold a schedule of automation %s: %w", automation, err)
		}
		if !enabled {
			return s.stand(ctx, automation, trigger)
		}
		due, _, err := scheduleOf(t)
		if err != nil || due == nil || row.NextAt == nil || row.NextAt.After(row.Clock) {
			return err
		}
		return s.fireOverdue(ctx, a, t, due, row)
	})
}

// fireOverdue fires the slots of a locked schedule that are over, and moves it to the next one.
func (s *service) fireOverdue(
	ctx context.Context,
	a automationdb.Automation,
	t definition.Trigger,
	due calendar.Schedule,
	row automationdb.HoldScheduleRow,
) error {
	move := automationdb.MoveScheduleParams{AutomationID: a.ID, TriggerID: t.ID, LastAt: row.Clock}
	slots, next, more := overdue(due, *row.NextAt, row.Clock)
	if move.Late = row.Clock.Sub(*row.NextAt) > lateAfter; move.Late && !row.Late {
		if err := s.late(ctx, a, t, *row.NextAt, row.Clock); err != nil {
			return err
		}
	}
	if more && t.CatchUp != definition.CatchAll {
		next, slots = last(due, row.Clock)
	}
	for _, slot := range caughtUp(t.CatchUp, slots, row.Clock) {
		if err := s.fireSlot(ctx, a.ID, t, slot); err != nil {
			return err
		}
	}
	if !next.IsZero() {
		move.NextAt = &next
	}
	return s.move(ctx, move)
}

// stand keeps the place of a schedule while it is disabled. It is not due until arm lets it go on.
func (s *service) stand(ctx context.Context, automation uuid.UUID, trigger string) error {
	if err := s.queries(ctx).StandSchedule(ctx, automationdb.StandScheduleParams{AutomationID: automation, TriggerID: trigger}); err != nil {
		return fmt.Errorf("let a schedule of automation %s stand: %w", automation, err)
	}
	return nil
}

// caughtUp are the due slots that run. Those in time always do: none older than shortly, and the newest one within lateAfter.
func caughtUp(choice definition.CatchUp, slots []time.Time, now time.Time) []time.Time {
	if choice == definition.CatchAll {
		return slots
	}
	missed := 0
	for n, slot := range slots {
		age := now.Sub(slot)
		if age > lateAfter || age > shortly && n < len(slots)-1 {
			missed = n + 1
		}
	}
	if choice == definition.CatchLast && missed == len(slots) {
		return slots[len(slots)-1:]
	}
	return slots[missed:]
}

func (s *service) move(ctx context.Context, m automationdb.MoveScheduleParams) error {
	if err := s.queries(ctx).MoveSchedule(ctx, m); err != nil {
		return fmt.Errorf("move a schedule of automation %s: %w", m.AutomationID, err)
	}
	return nil
}

// overdue returns the slots from first until now, at most slotsAtOnce, and the slot after them.
func overdue(due calendar.Schedule, first, now time.Time) (slots []time.Time, next time.Time, more bool) {
	for slot, ok := first, true; ok; slot, ok = due.Next(slot) {
		if slot.After(now) {
			return slots, slot, false
		}
		if len(slots) == slotsAtOnce {
			return slots, slot, true
		}
		slots = append(slots, slot)
	}
	return slots, time.Time{}, false
}

// last returns the newest slot until now, and the one after it.
func last(due calendar.Schedule, now time.Time) (next time.Time, slots []time.Time) {
	for back := time.Minute; ; back *= 2 {
		slot, ok := due.Next(now.Add(-back))
		if !ok || slot.After(now) {
			continue
		}
		for {
			next, ok = due.Next(slot)
			if !ok || next.After(now) {
				return next, []time.Time{slot}
			}
			slot = next
		}
	}
}

func (s *service) fireSlot(ctx context.Context, automation uuid.UUID, t definition.Trigger, slot time.Time) error {
	payload, err := json.Marshal(slotPayload{slot.UTC()})
	if err != nil {
		return fmt.Errorf("write a slot: %w", err)
	}
	data, err := happened{Event: t.Event, Payload: payload, Time: slot.UTC()}.encode()
	if err != nil {
		return err
	}
	_, err = s.fire(ctx, firing{automation: automation, trigger: t, slot: &slot, data: data})
	return err
}

// late announces a schedule that stood still.
func (s *service) late(ctx context.Context, a automationdb.Automation, t definition.Trigger, slot, now time.Time) error {
	return s.Events.Append(ctx, event.New{
		Type: EventTriggerLate, Subject: subjectAutomation + ":" + a.ID.String(), ContextKey: a.ID.String(),
		Payload: TriggerLatePayload{a.ID, a.Name, t.ID, slot, int(now.Sub(slot).Seconds())},
	})
}

// fireLasting fires a trigger whose state had lasted by a moment.
func (s *service) fireLasting(ctx context.Context, due automationdb.DueForsRow, by time.Time) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		_, t, enabled, err := s.enabledTrigger(ctx, due.AutomationID, due.TriggerID)
		if err != nil {
			return err
		}
		row, err := s.queries(ctx).TakeFor(ctx, automationdb.TakeForParams{
			AutomationID: due.AutomationID, TriggerID: due.TriggerID, ContextKey: due.ContextKey, DueBy: by,
		})
		if store.NoRows(err) || err == nil && !enabled {
			return nil
		}
		if err != nil {
			return fmt.Errorf("take a lasting state of automation %s: %w", due.AutomationID, err)
		}
		cause := causeOf(row.Cause)
		f := firing{
			automation: due.AutomationID, trigger: t, eventID: &row.EventID, contextKey: row.ContextKey, data: row.Trigger,
			cause: cause, by: &cause,
		}
		_, err = s.fire(ctx, f)
		return err
	})
}
