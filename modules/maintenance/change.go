package maintenance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/maintenance/maintenancedb"
)

// folded is a text as a search compares it.
func folded(title, description string) string { return text.Key(title + "\n" + description) }

// Schedule schedules a maintenance. One whose start has passed begins at once.
func (s *service) Schedule(ctx context.Context, in NewMaintenance) (Maintenance, error) {
	var v validation
	in, p := v.scheduling(in)
	if err := v.Err(); err != nil {
		return Maintenance{}, err
	}
	id := store.NewID()
	return store.InTx(ctx, s.db, func(ctx context.Context) (Maintenance, error) {
		now, err := s.now(ctx)
		if err != nil {
			return Maintenance{}, err
		}
		since := p.unfinished(now)
		first, ok := v.upcoming(p, since, now, nil)
		if err := v.Err(); err != nil || !ok {
			return Maintenance{}, err
		}
		if err := s.holdSystems(ctx, in.SystemIDs); err != nil {
			return Maintenance{}, err
		}
		row, err := s.queries(ctx).CreateMaintenance(ctx, maintenancedb.CreateMaintenanceParams{
			ID: id, Title: in.Title, Description: in.Description, SuppressNotifications: in.SuppressNotifications, Zone: in.Zone,
			Rule: in.Rule, FirstStart: in.StartAt, FirstEnd: in.EndAt, Original: first.original, StartsAt: first.start,
			EndsAt: first.end, HasMore: p.follows(first, nil), Since: since, Folded: folded(in.Title, in.Description),
		})
		if err != nil {
			return Maintenance{}, fmt.Errorf("schedule maintenance: %w", err)
		}
		s.db.AfterCommit(ctx, s.wake)
		if _, err := s.queries(ctx).AddSystems(ctx, maintenancedb.AddSystemsParams{MaintenanceID: id, SystemIds: in.SystemIDs}); err != nil {
			return Maintenance{}, fmt.Errorf("add systems: %w", err)
		}
		if err := s.record(ctx, audit.Created, row, "Maintenance scheduled", nil); err != nil {
			return Maintenance{}, err
		}
		if in.InitialMessage != "" {
			if _, err := s.notes.Add(ctx, id, note.New{Message: in.InitialMessage, Visibility: in.Visibility}); err != nil {
				return Maintenance{}, err
			}
		}
		if err := s.announce(ctx, EventScheduled, row, Payload{}); err != nil {
			return Maintenance{}, err
		}
		return s.shown(ctx, row, now)
	})
}

// shown lets a locked maintenance follow the clock and returns it as the caller sees it.
func (s *service) shown(ctx context.Context, row maintenancedb.Maintenance, now time.Time) (Maintenance, error) {
	row, err := s.follow(ctx, row, now)
	if err != nil {
		return Maintenance{}, err
	}
	list, err := s.withSystems(ctx, row)
	if err != nil {
		return Maintenance{}, err
	}
	return s.present(ctx, list[0])
}

// upcoming returns the first occurrence of a plan that is not over, and reports it when there is none.
func (v *validation) upcoming(p plan, since, now time.Time, k kept) (span, bool) {
	first, ok := p.next(since, k)
	switch {
	case p.recurrence == nil:
		v.ahead("startAt", "endAt", p.start, p.end, now)
	case !ok:
		v.Report("rule", "has no occurrence in the future")
	default:
		v.ahead("startAt", "rule", first.start, first.end, now)
	}
	return first, ok && v.Count() == 0
}

// holdSystems locks systems that the caller sees, in the order of their ids.
func (s *service) holdSystems(ctx context.Context, ids []uuid.UUID) error {
	var v validation
	for i, id := range ids {
		_, err := s.Systems.Hold(ctx, id)
		if problem.Is(err, problem.NotFound) {
			v.Report(fmt.Sprintf("systemIds[%d]", i), "names no system: %s", id)
			continue
		}
		if err != nil {
			return err
		}
	}
	return v.Err()
}

// Update changes the fields of a maintenance, or one of its occurrences. A change without effect keeps the revision.
func (s *service) Update(ctx context.Context, id uuid.UUID, c Change, based *int64) (Maintenance, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Maintenance, error) {
		if c.SystemIDs != nil {
			// A deletion of a system locks the system first.
			var v validation
			wanted := v.systems(*c.SystemIDs)
			if err := v.Err(); err != nil {
				return Maintenance{}, err
			}
			if err := s.holdSystems(ctx, wanted); err != nil {
				return Maintenance{}, err
			}
		}
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return Maintenance{}, err
		}
		now, err := s.now(ctx)
		if err != nil {
			return Maintenance{}, err
		}
		// A person changes the maintenance as it is at this moment.
		if h.Maintenance, err = s.follow(ctx, h.Maintenance, now); err != nil {
			return Maintenance{}, err
		}
		was, err := s.present(ctx, h)
		if err != nil {
			return Maintenance{}, err
		}
		before := was.fields()
		after, p, err := checked(was, c, now)
		if err != nil {
			return Maintenance{}, err
		}
		row, err := s.write(ctx, h, before, after, p, now)
		if err != nil {
			return Maintenance{}, err
		}
		if c.Occurrence != nil {
			if row, err = s.changeOccurrence(ctx, row, *c.Occurrence, now); err != nil {
				return Maintenance{}, err
			}
		}
		return s.shown(ctx, row, now)
	})
}

// checked returns the fields of a maintenance after a change in their stored form, and when it happens if that changes.
func checked(was Maintenance, c Change, now time.Time) (after fields, p plan, err error) {
	var v validation
	before := was.fields()
	after = v.fields(c.over(before))
	if c.SystemIDs != nil && len(after.SystemIDs) == 0 && v.Count() == 0 {
		v.Report("systemIds", "must name a system")
	}
	replans := before.replans(after)
	if replans {
		p = v.plan(&after)
	}
	if c.Occurrence != nil {
		v.occurrence(was, *c.Occurrence, replans)
	}
	if err := v.Err(); err != nil {
		return after, p, err
	}
	if (replans || c.Occurrence != nil) && was.Status.isOver() {
		return after, p, over(was.Title, was.Status)
	}
	once := was.Rule == "" && after.Rule == ""
	if replans && once && was.Status == InProgress && !after.StartAt.Equal(before.StartAt) {
		return after, p, problem.Errorf(problem.Conflict, "The maintenance %s is in progress: its start has passed. Change its end.", was.Title)
	}
	if replans && once {
		v.ahead("startAt", "endAt", after.StartAt, after.EndAt, now)
	}
	return after, p, v.Err()
}

// over refuses a change of when a maintenance happens that is over.
func over(title string, status Status) error {
	return problem.Errorf(
		problem.Conflict, "The maintenance %s is %s: when it happened stays as it was. Schedule another one.", title, status,
	).With("maintenanceStatus", status)
}

// write stores the fields of a locked maintenance.
func (s *service) write(ctx context.Context, h held, before, after fields, p plan, now time.Time) (maintenancedb.Maintenance, error) {
	changes := changesOf(before, after)
	row := h.Maintenance
	if len(changes) == 0 {
		return row, nil
	}
	err := s.queries(ctx).UpdateMaintenance(ctx, maintenancedb.UpdateMaintenanceParams{
		ID: h.ID, Title: after.Title, Description: after.Description, SuppressNotifications: after.SuppressNotifications,
		Zone: after.Zone, Rule: after.Rule, FirstStart: after.StartAt, FirstEnd: after.EndAt, Folded: folded(after.Title, after.Description),
	})
	if err != nil {
		return row, fmt.Errorf("change maintenance: %w", err)
	}
	if err := s.setSystems(ctx, h, before.SystemIDs, after.SystemIDs); err != nil {
		return row, err
	}
	payload := Payload{}
	for _, field := range changes {
		payload.Changes = append(payload.Changes, field.Name)
	}
	if before.replans(after) {
		extended := row.Extended
		if row, err = s.replan(ctx, row, after, p, now); err != nil {
			return row, err
		}
		payload.Extended = row.Extended && !extended
	}
	if row, err = s.queries(ctx).Bump(ctx, h.ID); err != nil {
		return row, fmt.Errorf("raise the revision of a maintenance: %w", err)
	}
	if err := s.record(ctx, audit.Changed, row, "Maintenance changed", changes); err != nil {
		return row, err
	}
	return row, s.announce(ctx, EventUpdated, row, payload)
}

// replan sets which occurrence of a changed plan is the next one. An occurrence in progress goes on.
func (s *service) replan(
	ctx context.Context,
	row maintenancedb.Maintenance,
	after fields,
	p plan,
	now time.Time,
) (maintenancedb.Maintenance, error) {
	to := state(row)
	to.Replanned = 1
	k, err := s.keptOf(ctx, now, row.ID)
	if err != nil {
		return row, err
	}
	current, from := k[row.ID], p.unfinished(now)
	if Status(row.Status) == InProgress {
		if row.Rule == "" && after.Rule == "" {
			to.Extended = to.Extended || after.EndAt.After(row.EndsAt)
			to.EndsAt = after.EndAt
		}
		from = to.EndsAt
	}
	// Moved and cancelled occurrences are forgotten where the plan has them no more.
	var gone []time.Time
	current = slices.DeleteFunc(current, func(o maintenancedb.MaintenanceOccurrence) bool {
		lost := (o.State == stateMoved || o.State == stateCancelled) && !p.has(o.Original)
		if lost {
			gone = append(gone, o.Original)
		}
		return lost
	})
	if err := s.queries(ctx).DropOccurrences(ctx, maintenancedb.DropOccurrencesParams{MaintenanceID: row.ID, Originals: gone}); err != nil {
		return row, fmt.Errorf("forget occurrences: %w", err)
	}
	to.Since = from
	if Status(row.Status) == InProgress {
		to.HasMore = p.follows(span{row.Original, row.StartsAt, to.EndsAt}, current)
		if row.Rule == "" && after.Rule == "" {
			row.EndsAt, row.Extended = to.EndsAt, to.Extended
			if err := s.put(ctx, row, stateInProgress); err != nil {
				return row, err
			}
		}
	} else {
		var v validation
		next, ok := v.upcoming(p, from, now, current)
		if err := v.Err(); err != nil || !ok {
			return row, err
		}
		to = upcoming(to, p, next, current)
	}
	if err := s.queries(ctx).SetOccurrence(ctx, to); err != nil {
		return row, fmt.Errorf("plan a maintenance: %w", err)
	}
	s.db.AfterCommit(ctx, s.wake)
	row.Extended = to.Extended
	return row, nil
}

// setSystems replaces the systems that the caller sees.
func (s *service) setSystems(ctx context.Context, h held, before, after []uuid.UUID) error {
	gone := slices.DeleteFunc(slices.Clone(before), func(id uuid.UUID) bool { return slices.Contains(after, id) })
	if len(after)+len(h.hidden) > MaxSystems {
		return problem.Errorf(
			problem.Conflict, "The maintenance would have more than %d systems. Schedule another one for the rest.", MaxSystems,
		)
	}
	if err := s.queries(ctx).DropSystems(ctx, maintenancedb.DropSystemsParams{MaintenanceID: h.ID, SystemIds: gone}); err != nil {
		return fmt.Errorf("remove systems: %w", err)
	}
	if _, err := s.queries(ctx).AddSystems(ctx, maintenancedb.AddSystemsParams{MaintenanceID: h.ID, SystemIds: after}); err != nil {
		return fmt.Errorf("add systems: %w", err)
	}
	return nil
}

// changesOf are the changed fields for the audit log.
func changesOf(before, after fields) audit.Fields {
	var changes audit.Fields
	changes.Compare("title", before.Title, after.Title)
	changes.Mention("description", before.Description != after.Description)
	changes.Mention("systemIds", !slices.Equal(before.SystemIDs, after.SystemIDs))
	for _, t := range []struct {
		name          string
		before, after time.Time
	}{{"startAt", before.StartAt, after.StartAt}, {"endAt", before.EndAt, after.EndAt}} {
		changes.Compare(t.name, t.before.Format(time.RFC3339Nano), t.after.Format(time.RFC3339Nano))
	}
	changes.Compare("zone", before.Zone, after.Zone)
	changes.Compare("rule", before.Rule, after.Rule)
	changes.Compare("suppressNotifications", before.SuppressNotifications, after.SuppressNotifications)
	return changes
}

// Delete deletes a maintenance with its updates and links. A second call finds none.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return err
		}
		if err := s.recheck(ctx, id); err != nil {
			return err
		}
		if err := s.notes.DeleteAll(ctx, id); err != nil {
			return err
		}
		if _, err := s.queries(ctx).DeleteMaintenance(ctx, id); err != nil {
			return fmt.Errorf("delete maintenance: %w", err)
		}
		if err := s.Removed.Notify(ctx, maintenanceType, id); err != nil {
			return err
		}
		return s.record(ctx, audit.Deleted, h.Maintenance, "Maintenance deleted, with its updates and links", nil)
	})
}

// recheck has notifications looked at again that a maintenance holds, which is deleted.
func (s *service) recheck(ctx context.Context, id uuid.UUID) error {
	if s.Mutes == nil {
		return nil
	}
	members, err := s.queries(ctx).SystemsOf(ctx, []uuid.UUID{id})
	if err != nil {
		return fmt.Errorf("list systems: %w", err)
	}
	systems := make([]uuid.UUID, len(members))
	for i, m := range members {
		systems[i] = m.SystemID
	}
	return s.Mutes.Recheck(ctx, systems...)
}
