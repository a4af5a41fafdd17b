package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/maintenance/maintenancedb"
)

// maxEdges is how many starts and ends of one maintenance are caught up with in a transaction.
const maxEdges = 50

// advance lets the row of a maintenance follow the clock, and returns the time until its next start or end. Over means
// that there is none, or that the maintenance is gone. Each edge happens once, however many callers there are.
func (s *service) advance(ctx context.Context, id uuid.UUID) (wait time.Duration, over bool, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.queries(ctx).LockMaintenance(ctx, id)
		if store.NoRows(err) {
			over = true
			return nil
		}
		if err != nil {
			return fmt.Errorf("lock maintenance: %w", err)
		}
		now, err := s.now(ctx)
		if err != nil {
			return err
		}
		if row, err = s.follow(ctx, row, now); err != nil {
			return err
		}
		if over = row.NextEdge == nil; !over {
			wait = max(row.NextEdge.Sub(now), 0)
		}
		return nil
	})
	return wait, over, err
}

// follow begins and ends the occurrences of a locked maintenance that are due.
func (s *service) follow(ctx context.Context, row maintenancedb.Maintenance, now time.Time) (maintenancedb.Maintenance, error) {
	// The clock does it, and not the person of the request.
	ctx = principal.NewContext(ctx, principal.Principal{})
	var err error
	for range maxEdges {
		switch {
		case row.NextEdge == nil || row.NextEdge.After(now):
			return row, nil
		case Status(row.Status) == Scheduled:
			row, err = s.begin(ctx, row)
		default:
			row, err = s.end(ctx, row, row.EndsAt)
		}
		if err != nil {
			return row, err
		}
	}
	return row, nil
}

// state is the part of a row that says which occurrence it is at.
func state(row maintenancedb.Maintenance) maintenancedb.SetOccurrenceParams {
	return maintenancedb.SetOccurrenceParams{
		ID: row.ID, Status: row.Status, Original: row.Original, StartsAt: row.StartsAt, EndsAt: row.EndsAt, HasMore: row.HasMore,
		Since: row.Since, EndedEarly: row.EndedEarly, Extended: row.Extended, OverAt: row.OverAt,
	}
}

// set writes the state of a locked maintenance, with its audit entry and event.
func (s *service) set(
	ctx context.Context,
	row maintenancedb.Maintenance,
	to maintenancedb.SetOccurrenceParams,
	summary, kind string,
	p Payload,
) (maintenancedb.Maintenance, error) {
	if err := s.queries(ctx).SetOccurrence(ctx, to); err != nil {
		return row, fmt.Errorf("set the state of a maintenance: %w", err)
	}
	if to.Replanned > 0 {
		s.db.AfterCommit(ctx, s.wake)
	}
	now, err := s.queries(ctx).Bump(ctx, row.ID)
	if err != nil {
		return row, fmt.Errorf("raise the revision of a maintenance: %w", err)
	}
	var fields audit.Fields
	fields.Compare("status", row.Status, now.Status)
	if err := s.record(ctx, audit.Changed, now, summary, fields); err != nil {
		return row, err
	}
	if row.Status != now.Status {
		p.StatusBefore = row.Status
	}
	return now, s.announce(ctx, kind, now, p)
}

// begin begins the occurrence of a locked maintenance.
func (s *service) begin(ctx context.Context, row maintenancedb.Maintenance) (maintenancedb.Maintenance, error) {
	if err := s.put(ctx, row, stateInProgress); err != nil {
		return row, err
	}
	to := state(row)
	to.Status = string(InProgress)
	return s.set(ctx, row, to, "Maintenance began", EventStarted, Payload{})
}

// put stores the occurrence in the row of a maintenance.
func (s *service) put(ctx context.Context, row maintenancedb.Maintenance, state string) error {
	err := s.queries(ctx).PutOccurrence(ctx, maintenancedb.PutOccurrenceParams{
		MaintenanceID: row.ID, Original: row.Original, StartsAt: row.StartsAt, EndsAt: row.EndsAt, State: state,
		EndedEarly: row.EndedEarly, Extended: row.Extended,
	})
	if err != nil {
		return fmt.Errorf("store an occurrence: %w", err)
	}
	return nil
}

// end ends the occurrence in progress of a locked maintenance, which goes on to the next one if there is any. at is
// before its planned end when a person ends it.
func (s *service) end(ctx context.Context, row maintenancedb.Maintenance, at time.Time) (maintenancedb.Maintenance, error) {
	early := at.Before(row.EndsAt)
	payload := Payload{EndedEarly: early, Extended: row.Extended}
	before := row
	row.EndedEarly = early
	// It has begun before, if only a moment ago.
	if row.EndsAt = at; !row.EndsAt.After(row.StartsAt) {
		row.EndsAt = row.StartsAt.Add(time.Microsecond)
	}
	if err := s.put(ctx, row, stateCompleted); err != nil {
		return row, err
	}
	to := state(row)
	to.Status, to.OverAt, to.HasMore, to.Since = string(Completed), new(row.EndsAt), false, row.EndsAt
	summary := "Maintenance ended"
	if early {
		summary, to.Replanned = "Maintenance ended early", 1
	}
	if row.HasMore {
		p, err := planOf(row)
		if err != nil {
			summary += ", and its recurrence cannot be read any more"
		} else if k, err := s.keptOf(ctx, row.EndsAt, row.ID); err != nil {
			return row, err
		} else if next, ok := p.next(row.EndsAt, k[row.ID]); ok {
			to = upcoming(to, p, next, k[row.ID])
			payload.NextStartsAt = &next.start
		}
	}
	payload.EndedAt = &row.EndsAt
	payload.Occurrence = &before.Original
	return s.set(ctx, before, to, summary, EventEnded, payload)
}

// upcoming is the state of a maintenance whose next occurrence is known.
func upcoming(to maintenancedb.SetOccurrenceParams, p plan, next span, k kept) maintenancedb.SetOccurrenceParams {
	to.Status, to.OverAt = string(Scheduled), nil
	to.Original, to.StartsAt, to.EndsAt = next.original, next.start, next.end
	to.EndedEarly, to.Extended = false, false
	to.HasMore = p.follows(next, k)
	return to
}

// follows reports whether there is an occurrence after another one.
func (p plan) follows(s span, k kept) bool {
	if p.recurrence == nil {
		return false
	}
	for next, ok := p.next(s.end, k); ok; next, ok = p.next(next.start.Add(1), k) {
		if !next.original.Equal(s.original) {
			return true
		}
	}
	return false
}

// wake lets the chore tell workflows at once.
func (s *service) wake() {
	select {
	case s.changedPlans <- struct{}{}:
	default:
	}
}

// maxDue is how many maintenances one run of a chore looks at.
const maxDue = 200

// AdvanceDue begins and ends what is due, wherever no workflow has done so. One that fails stops no other one.
func (s *service) AdvanceDue(ctx context.Context) error {
	now, err := s.now(ctx)
	if err != nil {
		return err
	}
	due, err := s.queries(ctx).DueMaintenances(ctx, maintenancedb.DueMaintenancesParams{Now: now, MaxRows: maxDue})
	if err != nil {
		return fmt.Errorf("list due maintenances: %w", err)
	}
	var failed error
	for _, id := range due {
		if _, _, err := s.advance(ctx, id); err != nil && failed == nil {
			failed = fmt.Errorf("follow maintenance %s: %w", id, err)
		}
	}
	return failed
}
