package incident

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
	"countersign/modules/incident/incidentdb"
)

// Open opens an incident. While an open incident has the key of the report, it answers with that one.
func (s *service) Open(ctx context.Context, in NewIncident) (Opened, error) {
	var v validation
	in = v.opening(in)
	if err := v.Err(); err != nil {
		return Opened{}, err
	}
	id := store.NewID()
	return store.InTx(ctx, s.db, func(ctx context.Context) (Opened, error) {
		if err := s.checkStart(ctx, in.StartedAt); err != nil {
			return Opened{}, err
		}
		if err := s.holdSystems(ctx, in.SystemIDs); err != nil {
			return Opened{}, err
		}
		first, created, err := s.createOrFind(ctx, id, in)
		if err != nil {
			return Opened{}, err
		}
		if !created {
			return s.joined(ctx, first, in)
		}
		shown, err := s.complete(ctx, id, in)
		return Opened{Incident: shown, Created: true}, err
	})
}

// joined is the answer to a report whose key an open incident has, which it updates where the report says so.
func (s *service) joined(ctx context.Context, first incidentdb.Incident, in NewIncident) (Opened, error) {
	h, err := s.see(ctx, first.ID, first, nil)
	if problem.Is(err, problem.NotFound) {
		return Opened{}, keyTaken(uuid.Nil)
	}
	if err != nil {
		return Opened{}, err
	}
	shown, err := s.present(ctx, h)
	if err != nil || in.OnDuplicate != OnDuplicateUpdate {
		return Opened{Incident: shown}, err
	}
	before := shown.fields()
	now, err := s.write(ctx, h, before, in.onto(before))
	if err != nil {
		return Opened{}, err
	}
	written := in.InitialMessage != ""
	if written {
		if h, err = s.reload(ctx, h.ID); err != nil {
			return Opened{}, err
		}
		if _, err := s.notes.Write(ctx, s.noted(h), note.New{Message: in.InitialMessage, Visibility: in.Visibility}); err != nil {
			return Opened{}, err
		}
	}
	return Opened{Incident: now, Updated: written || now.Revision != shown.Revision}, nil
}

// onto returns the fields of an open incident after another report of it.
func (n NewIncident) onto(f fields) fields {
	f.Title, f.Severity = n.Title, n.Severity
	if n.Description != "" {
		f.Description = n.Description
	}
	if n.HealthOverride != NoOverride {
		f.HealthOverride = n.HealthOverride
	}
	f.SystemIDs = append(slices.Clone(f.SystemIDs), n.SystemIDs...)
	store.SortIDs(f.SystemIDs)
	f.SystemIDs = slices.Compact(f.SystemIDs)
	return f
}

// complete adds to a new incident its systems, its first update, its override, its audit entry and its event.
func (s *service) complete(ctx context.Context, id uuid.UUID, in NewIncident) (Incident, error) {
	if _, err := s.queries(ctx).AddSystems(ctx, incidentdb.AddSystemsParams{IncidentID: id, SystemIds: in.SystemIDs}); err != nil {
		return Incident{}, fmt.Errorf("add systems: %w", err)
	}
	h, err := s.reload(ctx, id)
	if err != nil {
		return Incident{}, err
	}
	if err := s.note(ctx, id, stateOpened, transition{to: in.Status, at: &h.CreatedAt}, ""); err != nil {
		return Incident{}, err
	}
	if err := s.record(ctx, audit.Created, h.Incident, summaryOpened, nil); err != nil {
		return Incident{}, err
	}
	if in.InitialMessage != "" {
		if _, err := s.notes.Add(ctx, id, note.New{Message: in.InitialMessage, Visibility: in.Visibility}); err != nil {
			return Incident{}, err
		}
	}
	if err := s.settle(ctx, h); err != nil {
		return Incident{}, err
	}
	if err := s.announce(ctx, EventCreated, h, Payload{}); err != nil {
		return Incident{}, err
	}
	return s.present(ctx, h)
}

// maxReports bounds how often a report is tried whose first incident ends meanwhile.
const maxReports = 5

// createOrFind creates an incident or finds the open one with its key, which it locks.
func (s *service) createOrFind(ctx context.Context, id uuid.UUID, in NewIncident) (row incidentdb.Incident, created bool, err error) {
	params := incidentdb.CreateIncidentParams{
		ID: id, Title: in.Title, Description: in.Description, Status: string(in.Status), Severity: string(in.Severity),
		SuppressNotifications: in.SuppressNotifications, HealthOverride: in.HealthOverride.column(), DedupeKey: store.TextOrNull(in.DedupeKey),
		StartedAt: in.StartedAt, Folded: folded(in.Title, in.Description),
	}
	for range maxReports {
		rows, err := s.queries(ctx).CreateIncident(ctx, params)
		if err != nil {
			return row, false, fmt.Errorf("open incident: %w", err)
		}
		if len(rows) > 0 {
			return rows[0], true, nil
		}
		row, err = s.queries(ctx).OpenByKey(ctx, in.DedupeKey)
		if err == nil || !store.NoRows(err) {
			return row, false, store.Wrap("find the first incident", err)
		}
	}
	return row, false, problem.Errorf(problem.Conflict, "Incidents with this dedupe key begin and end too fast. Report it again.")
}

// keyTaken is the answer to a change that would give two open incidents one key. The nil id names none.
func keyTaken(first uuid.UUID) error {
	taken := problem.Errorf(problem.Conflict, "Another open incident has this dedupe key. Merge the two, or choose another key.")
	if first != uuid.Nil {
		taken = taken.With("duplicateOf", first)
	}
	return taken
}

// checkKey refuses a key that another open incident has, which it names to those who see it.
func (s *service) checkKey(ctx context.Context, id uuid.UUID, key *string) error {
	if key == nil {
		return nil
	}
	other, err := s.queries(ctx).OpenByKey(ctx, *key)
	if store.NoRows(err) || err == nil && other.ID == id {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for the key: %w", err)
	}
	if _, err := s.see(ctx, other.ID, other, nil); err != nil {
		return keyTaken(uuid.Nil)
	}
	return keyTaken(other.ID)
}

// checkStart refuses a start in the future of the database clock.
func (s *service) checkStart(ctx context.Context, at *time.Time) error {
	if at == nil {
		return nil
	}
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	var v validation
	v.past(*at, now)
	return v.Err()
}

// holdSystems locks systems that the caller sees, in the order of their ids.
func (s *service) holdSystems(ctx context.Context, ids []uuid.UUID) error {
	var v validation
	for i, id := range ids {
		_, err := s.systems.Hold(ctx, id)
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

// Update changes the fields of an incident. A change without effect keeps the revision.
func (s *service) Update(ctx context.Context, id uuid.UUID, c Change, based *int64) (Incident, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Incident, error) {
		if err := s.checkStart(ctx, c.StartedAt); err != nil {
			return Incident{}, err
		}
		if c.SystemIDs != nil {
			// A deletion of a system locks the system first.
			var v validation
			wanted := v.systems(*c.SystemIDs)
			if err := v.Err(); err != nil {
				return Incident{}, err
			}
			if err := s.holdSystems(ctx, wanted); err != nil {
				return Incident{}, err
			}
		}
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return Incident{}, err
		}
		was, err := s.present(ctx, h)
		if err != nil {
			return Incident{}, err
		}
		var v validation
		before := was.fields()
		after := v.fields(c.over(before))
		if after.DedupeKey != before.DedupeKey {
			v.ownKey(after.DedupeKey)
		}
		if c.SystemIDs != nil && len(after.SystemIDs) == 0 && v.Count() == 0 {
			v.Report("systemIds", "must name a system")
		}
		if err := v.Err(); err != nil {
			return Incident{}, err
		}
		return s.write(ctx, h, before, after)
	})
}

// write stores the fields of a locked incident.
func (s *service) write(ctx context.Context, h held, before, after fields) (Incident, error) {
	changes := changesOf(before, after)
	if len(changes) == 0 {
		return s.present(ctx, h)
	}
	key := store.TextOrNull(after.DedupeKey)
	if h.ResolvedAt == nil && before.DedupeKey != after.DedupeKey {
		if err := s.checkKey(ctx, h.ID, key); err != nil {
			return Incident{}, err
		}
	}
	q := s.queries(ctx)
	err := q.UpdateIncident(ctx, incidentdb.UpdateIncidentParams{
		ID: h.ID, Title: after.Title, Description: after.Description, Severity: string(after.Severity),
		SuppressNotifications: after.SuppressNotifications, HealthOverride: after.HealthOverride.column(), DedupeKey: key,
		StartedAt: after.StartedAt, Folded: folded(after.Title, after.Description),
	})
	if store.Violates(err, "incidents_open_key") {
		return Incident{}, keyTaken(uuid.Nil)
	}
	if err != nil {
		return Incident{}, fmt.Errorf("change incident: %w", err)
	}
	if err := s.setSystems(ctx, h, before.SystemIDs, after.SystemIDs); err != nil {
		return Incident{}, err
	}
	now, err := s.bump(ctx, h.ID)
	if err != nil {
		return Incident{}, err
	}
	if err := s.record(ctx, audit.Changed, now.Incident, "Incident changed", changes); err != nil {
		return Incident{}, err
	}
	if err := s.settle(ctx, now); err != nil {
		return Incident{}, err
	}
	payload := Payload{}
	for _, field := range changes {
		payload.Changes = append(payload.Changes, field.Name)
	}
	if err := s.announce(ctx, EventUpdated, now, payload); err != nil {
		return Incident{}, err
	}
	return s.present(ctx, now)
}

// setSystems replaces the systems that the caller sees.
func (s *service) setSystems(ctx context.Context, h held, before, after []uuid.UUID) error {
	gone := slices.DeleteFunc(slices.Clone(before), func(id uuid.UUID) bool { return slices.Contains(after, id) })
	if len(after)+len(h.hidden) > MaxSystems {
		return problem.Errorf(problem.Conflict, "The incident would have more than %d systems. Open another one for the rest.", MaxSystems)
	}
	if _, err := s.queries(ctx).DropSystems(ctx, incidentdb.DropSystemsParams{IncidentID: h.ID, SystemIds: gone}); err != nil {
		return fmt.Errorf("remove systems: %w", err)
	}
	if _, err := s.queries(ctx).AddSystems(ctx, incidentdb.AddSystemsParams{IncidentID: h.ID, SystemIds: after}); err != nil {
		return fmt.Errorf("add systems: %w", err)
	}
	return nil
}

// changesOf are the changed fields for the audit log.
func changesOf(before, after fields) audit.Fields {
	var changes audit.Fields
	changes.Compare("title", before.Title, after.Title)
	changes.Mention("description", before.Description != after.Description)
	changes.Compare("severity", string(before.Severity), string(after.Severity))
	changes.Compare("healthOverride", string(before.HealthOverride), string(after.HealthOverride))
	changes.Compare("suppressNotifications", before.SuppressNotifications, after.SuppressNotifications)
	changes.Mention("systemIds", !slices.Equal(before.SystemIDs, after.SystemIDs))
	changes.Compare("startedAt", before.StartedAt.Format(time.RFC3339), after.StartedAt.Format(time.RFC3339))
	changes.Mention("startedAt", before.StartedAt.Format(time.RFC3339) == after.StartedAt.Format(time.RFC3339) &&
		!before.StartedAt.Equal(after.StartedAt))
	changes.Mention("dedupeKey", before.DedupeKey != after.DedupeKey)
	return changes
}

// bump raises the revision of an incident and returns it as it is then.
func (s *service) bump(ctx context.Context, id uuid.UUID) (held, error) {
	if err := s.queries(ctx).Bump(ctx, id); err != nil {
		return held{}, fmt.Errorf("raise the revision of an incident: %w", err)
	}
	return s.reload(ctx, id)
}

// Delete deletes an incident with its updates and links. A second call finds none.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return err
		}
		if _, err := s.health.Override(ctx, HealthSource, id); err != nil {
			return fmt.Errorf("lift the health override: %w", err)
		}
		if err := s.notes.DeleteAll(ctx, id); err != nil {
			return err
		}
		if _, err := s.queries(ctx).DeleteIncident(ctx, id); err != nil {
			return fmt.Errorf("delete incident: %w", err)
		}
		if err := s.removed.Notify(ctx, incidentType, id); err != nil {
			return err
		}
		return s.record(ctx, audit.Deleted, h.Incident, "Incident deleted, with its updates and links", nil)
	})
}

func (o HealthOverride) column() *string {
	if o == NoOverride {
		return nil
	}
	return store.TextOrNull(string(o))
}
