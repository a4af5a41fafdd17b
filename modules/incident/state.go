package incident

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/note"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/incident/incidentdb"
)

// change locks an incident, runs do on it, and reports whether that changed it.
func (s *service) change(
	ctx context.Context,
	id uuid.UUID,
	based *int64,
	do func(ctx context.Context, h held) (now held, changed bool, err error),
) (Moved, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Moved, error) {
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return Moved{}, err
		}
		now, changed, err := do(ctx, h)
		if err != nil {
			return Moved{}, err
		}
		shown, err := s.present(ctx, now)
		return Moved{Incident: shown, Changed: changed}, err
	})
}

// transition is a change of the status of an incident.
type transition struct {
	to Status
	// into is the incident into which it is merged, and update what was written beside it.
	into, update *uuid.UUID
	// at is when it ended; nil means now.
	at *time.Time
}

// move sets the status of a locked incident, with its state, audit entry and event. It does nothing when that is its status
// already.
func (s *service) move(ctx context.Context, h held, t transition) (now held, changed bool, err error) {
	before, to, into := Status(h.Status), t.to, t.into
	if before == to && into == nil {
		return h, false, nil
	}
	if before == Resolved && to != Resolved {
		if err := s.checkKey(ctx, h.ID, h.DedupeKey); err != nil {
			return h, false, err
		}
	}
	err = s.queries(ctx).SetStatus(ctx, incidentdb.SetStatusParams{ID: h.ID, Status: string(to), DuplicateOf: into, ResolvedAt: t.at})
	if store.Violates(err, "incidents_open_key") {
		return h, false, keyTaken(uuid.Nil)
	}
	if err != nil {
		return h, false, fmt.Errorf("set the status of an incident: %w", err)
	}
	if now, err = s.bump(ctx, h.ID); err != nil {
		return h, false, err
	}
	summary, kind, state := summaryMoved, EventUpdated, stateMoved
	switch {
	case into != nil:
		summary, kind, state = summaryMerged, EventResolved, stateMerged
	case to == Resolved:
		summary, kind, state = summaryResolved, EventResolved, stateResolved
	case before == Resolved:
		summary, kind, state = summaryReopened, EventReopened, stateReopened
	}
	if err := s.note(ctx, h.ID, state, t, before); err != nil {
		return h, false, err
	}
	var fields audit.Fields
	fields.Compare("status", string(before), string(to))
	if t.at != nil {
		fields.Compare("resolvedAt", "", t.at.Format(time.RFC3339))
	}
	if err := s.record(ctx, audit.Changed, now.Incident, summary, fields); err != nil {
		return h, false, err
	}
	if err := s.settle(ctx, now); err != nil {
		return h, false, err
	}
	return now, true, s.announce(ctx, kind, now, Payload{StatusBefore: string(before), Changes: []string{"status"}})
}

// note writes a state of an incident for its timeline.
func (s *service) note(ctx context.Context, id uuid.UUID, kind string, t transition, before Status) error {
	p := principal.FromContext(ctx)
	if err := s.queries(ctx).AddState(ctx, incidentdb.AddStateParams{
		ID: store.NewID(), IncidentID: id, At: t.at, Kind: kind, Status: string(t.to), StatusBefore: string(before),
		NoteID: t.update, OtherID: t.into, ByKind: string(p.Kind), ByID: p.ID,
	}); err != nil {
		return fmt.Errorf("note the state of an incident: %w", err)
	}
	return nil
}

// checkEnd refuses an end before the start, or in the future of the database clock.
func (s *service) checkEnd(ctx context.Context, started time.Time, at *time.Time) error {
	if at == nil {
		return nil
	}
	now, err := s.queries(ctx).Clock(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	var v validation
	v.end(started, *at, now)
	return v.Err()
}

// Resolve ends an incident. It does nothing to one that has ended.
func (s *service) Resolve(ctx context.Context, id uuid.UUID, in Closing, based *int64) (Moved, error) {
	var v validation
	in = v.closing(in)
	if err := v.Err(); err != nil {
		return Moved{}, err
	}
	return s.change(ctx, id, based, func(ctx context.Context, h held) (held, bool, error) {
		if Status(h.Status) == Resolved {
			return h, false, nil
		}
		if err := s.checkEnd(ctx, h.StartedAt, in.ResolvedAt); err != nil {
			return h, false, err
		}
		update, err := s.say(ctx, id, note.New{Message: in.Message, StatusChange: string(Resolved), Visibility: in.Visibility, At: in.ResolvedAt})
		if err != nil {
			return h, false, err
		}
		return s.move(ctx, h, transition{to: Resolved, update: update, at: in.ResolvedAt})
	})
}

// Reopen opens an incident that has ended. It does nothing to an open one.
func (s *service) Reopen(ctx context.Context, id uuid.UUID, in Reopening, based *int64) (Moved, error) {
	var v validation
	if in.Status == "" {
		in.Status = Investigating
	}
	if v.status("status", in.Status); in.Status == Resolved {
		v.Report("status", "must be that of an open incident")
	}
	if in.Message != "" {
		in.Message = note.Message(&v.Issues, "message", in.Message)
	}
	if err := v.Err(); err != nil {
		return Moved{}, err
	}
	return s.change(ctx, id, based, func(ctx context.Context, h held) (held, bool, error) {
		if Status(h.Status) != Resolved {
			return h, false, nil
		}
		update, err := s.say(ctx, id, note.New{Message: in.Message, StatusChange: string(in.Status), Visibility: note.Public})
		if err != nil {
			return h, false, err
		}
		return s.move(ctx, h, transition{to: in.Status, update: update})
	})
}

// say writes an update beside a change of the status, unless there is nothing to say, and returns its id.
func (s *service) say(ctx context.Context, id uuid.UUID, n note.New) (*uuid.UUID, error) {
	if n.Message == "" {
		return nil, nil
	}
	written, err := s.notes.Add(ctx, id, n)
	return &written.ID, err
}

// Acknowledge notes that the caller has taken an open incident on. The first one counts.
func (s *service) Acknowledge(ctx context.Context, id uuid.UUID, based *int64) (Moved, error) {
	return s.change(ctx, id, based, func(ctx context.Context, h held) (held, bool, error) {
		switch {
		case Status(h.Status) == Resolved:
			return h, false, problem.Errorf(
				problem.Conflict, "The incident %s is resolved: there is nothing to take on. Reopen it if it is not over.", h.Title,
			).With("incidentStatus", Resolved)
		case h.AcknowledgedAt != nil:
			return h, false, nil
		}
		err := s.queries(ctx).Acknowledge(ctx, incidentdb.AcknowledgeParams{ID: id, By: principal.FromContext(ctx).ID})
		if err != nil {
			return h, false, fmt.Errorf("acknowledge incident: %w", err)
		}
		now, err := s.bump(ctx, id)
		if err != nil {
			return h, false, err
		}
		if err := s.note(ctx, id, stateAcknowledged, transition{to: Status(now.Status), at: now.AcknowledgedAt}, ""); err != nil {
			return h, false, err
		}
		if err := s.record(ctx, audit.Changed, now.Incident, summaryAcknowledged, nil); err != nil {
			return h, false, err
		}
		return now, true, s.announce(ctx, EventAcknowledged, now, Payload{})
	})
}

// Merge ends an incident as a duplicate of an open one, which gets its systems. Duplicates of it become those of the other.
func (s *service) Merge(ctx context.Context, id uuid.UUID, in Merging, based *int64) (Moved, error) {
	if in.Into == id {
		return Moved{}, problem.InvalidInput(
			"An incident cannot be merged into itself.", problem.Issue{Path: "into", Message: "names the incident itself"},
		)
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Moved, error) {
		// Systems are locked before incidents, as everywhere.
		members, err := s.queries(ctx).SystemsOf(ctx, []uuid.UUID{id})
		if err != nil {
			return Moved{}, fmt.Errorf("list systems of incidents: %w", err)
		}
		systems := make([]uuid.UUID, len(members))
		for i, m := range members {
			systems[i] = m.SystemID
		}
		kept, err := s.systems.Keep(ctx, systems)
		if err != nil {
			return Moved{}, err
		}
		// Both are locked in the order of their ids, as two merges in opposite directions would wait for each other.
		locked := map[uuid.UUID]held{}
		ids := []uuid.UUID{id, in.Into}
		store.SortIDs(ids)
		for _, one := range ids {
			revision := based
			if one != id {
				revision = nil
			}
			h, err := s.hold(ctx, one, revision)
			if one != id && problem.Is(err, problem.NotFound) {
				return Moved{}, problem.InvalidInput(problem.As(err).Detail, problem.Issue{Path: "into", Message: "names no incident"})
			}
			if err != nil {
				return Moved{}, err
			}
			locked[one] = h
		}
		h, changed, err := s.merge(ctx, locked[id], locked[in.Into], kept)
		if err != nil {
			return Moved{}, err
		}
		shown, err := s.present(ctx, h)
		return Moved{Incident: shown, Changed: changed}, err
	})
}

// merge merges two locked incidents. kept are the systems of the first one that are there to stay.
func (s *service) merge(ctx context.Context, from, into held, kept []uuid.UUID) (now held, changed bool, err error) {
	switch {
	case from.DuplicateOf != nil && *from.DuplicateOf == into.ID:
		return from, false, nil
	case Status(into.Status) == Resolved:
		return from, false, problem.Errorf(
			problem.Conflict, "The incident %s is resolved. Reopen it first, or merge into another one.", into.Title,
		).With("incidentStatus", Resolved)
	}
	has, joining := into.all(), []uuid.UUID{}
	for _, system := range from.all() {
		switch {
		case !slices.Contains(kept, system):
			return from, false, problem.Errorf(problem.Conflict, "The incident %s has got other systems meanwhile. Merge it again.", from.Title)
		case !slices.Contains(has, system):
			joining = append(joining, system)
		}
	}
	if len(has)+len(joining) > MaxSystems {
		return from, false, problem.Errorf(
			problem.Conflict, "The incident %s would have more than %d systems.", into.Title, MaxSystems,
		)
	}
	if err := s.queries(ctx).MoveDuplicates(ctx, incidentdb.MoveDuplicatesParams{ID: from.ID, Other: into.ID}); err != nil {
		return from, false, fmt.Errorf("move duplicates: %w", err)
	}
	added, err := s.queries(ctx).AddSystems(ctx, incidentdb.AddSystemsParams{IncidentID: into.ID, SystemIds: joining})
	if err != nil {
		return from, false, fmt.Errorf("add systems: %w", err)
	}
	if now, changed, err = s.move(ctx, from, transition{to: Resolved, into: &into.ID}); err != nil {
		return from, false, err
	}
	stays, err := s.bump(ctx, into.ID)
	if err != nil {
		return from, false, err
	}
	var fields audit.Fields
	fields.Mention("systemIds", len(added) > 0)
	if err := s.record(ctx, audit.Changed, stays.Incident, "Another incident was merged into it", fields); err != nil {
		return from, false, err
	}
	if err := s.settle(ctx, stays); err != nil {
		return from, false, err
	}
	return now, changed, s.announce(ctx, EventUpdated, stays, Payload{Changes: []string{"duplicates"}})
}

// Result is what a bulk operation did to one incident.
type Result struct {
	ID      uuid.UUID `json:"id"`
	Result  string    `json:"result" enum:"resolved,deleted,notFound,forbidden,error"`
	Changed bool      `json:"changed" doc:"Whether this call did it."`
	Detail  string    `json:"detail,omitempty" doc:"Why it was not done."`
}

// Results of bulk operations.
const (
	resultResolved  = "resolved"
	resultDeleted   = "deleted"
	resultNotFound  = "notFound"
	resultForbidden = "forbidden"
	resultError     = "error"
)

// each does something to incidents one after another, each whether or not those before it succeeded.
func each(ids []uuid.UUID, done string, do func(id uuid.UUID) (bool, error)) ([]Result, error) {
	results := make([]Result, 0, len(ids))
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			continue
		}
		changed, err := do(id)
		r := Result{ID: id, Result: done, Changed: changed}
		if err != nil {
			e := problem.As(err)
			switch e.Code {
			case problem.NotFound:
				r.Result = resultNotFound
			case problem.Forbidden:
				r.Result = resultForbidden
			case problem.Conflict, problem.Precondition, problem.Invalid:
				r.Result = resultError
			default:
				return nil, err
			}
			r.Detail = e.Detail
		}
		results = append(results, r)
	}
	return results, nil
}

// ResolveAll resolves incidents.
func (s *service) ResolveAll(ctx context.Context, ids []uuid.UUID) ([]Result, error) {
	return each(ids, resultResolved, func(id uuid.UUID) (bool, error) {
		moved, err := s.Resolve(ctx, id, Closing{}, nil)
		return moved.Changed, err
	})
}

// DeleteAll deletes incidents.
func (s *service) DeleteAll(ctx context.Context, ids []uuid.UUID) ([]Result, error) {
	return each(ids, resultDeleted, func(id uuid.UUID) (bool, error) {
		err := s.Delete(ctx, id, nil)
		return err == nil, err
	})
}
