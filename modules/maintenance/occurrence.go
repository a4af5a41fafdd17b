package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/maintenance/maintenancedb"
)

// occurrence reports a change of an occurrence that makes no sense.
func (v *validation) occurrence(was Maintenance, c OccurrenceChange, replans bool) {
	switch moves := c.StartAt != nil || c.EndAt != nil; {
	case was.Rule == "":
		v.Report("occurrence", "is for a maintenance that recurs; change startAt and endAt instead")
	case replans:
		v.Report("occurrence", "cannot be changed together with when the maintenance recurs; make two changes")
	case moves && c.Cancelled != nil:
		v.Report("occurrence.cancelled", "cannot be set together with another time")
	case !moves && c.Cancelled == nil:
		v.Report("occurrence", "must have startAt, endAt or cancelled")
	}
}

// changeOccurrence moves, cancels or restores an occurrence of a locked maintenance.
func (s *service) changeOccurrence(
	ctx context.Context,
	row maintenancedb.Maintenance,
	c OccurrenceChange,
	now time.Time,
) (maintenancedb.Maintenance, error) {
	p, err := planOf(row)
	if err != nil {
		return row, problem.InvalidInput(
			problem.As(err).Detail,
			problem.Issue{Path: "occurrence", Message: "needs a recurrence that can be read"},
		)
	}
	byID, err := s.keptOf(ctx, now, row.ID)
	if err != nil {
		return row, err
	}
	k, at := byID[row.ID], moment(c.At)
	if at.Equal(row.Original) && Status(row.Status) == InProgress {
		return s.changeCurrent(ctx, row, p, k, c, now)
	}
	stored, isStored := k.find(at)
	one := span{at, at, time.Time{}}
	switch {
	case isStored && (stored.State == stateMoved || stored.State == stateCancelled):
		one.start, one.end = stored.StartsAt.UTC(), stored.EndsAt.UTC()
	case !isStored && !at.Before(row.Since) && p.has(at):
		one, _ = p.first(at)
	default:
		return row, problem.InvalidInput("The maintenance has no occurrence at "+at.Format(time.RFC3339)+" that is to come.",
			problem.Issue{Path: "occurrence.at", Message: "names no occurrence to come: take at as the maintenance shows it"})
	}
	rest := without(k, at)
	switch {
	case c.Cancelled == nil:
		if one, err = moved(one, c, now); err != nil {
			return row, err
		}
		if err := p.apart(row, one, rest); err != nil {
			return row, err
		}
		return s.replace(ctx, row, p, k, one, stateMoved, "An occurrence was moved", Payload{Changes: []string{"occurrence"}})
	case *c.Cancelled:
		if isStored && stored.State == stateCancelled {
			return row, nil
		}
		return s.replace(ctx, row, p, k, one, stateCancelled, "An occurrence was cancelled", Payload{OccurrenceCancelled: true})
	default:
		one, ok := p.first(at)
		if !isStored || !ok {
			return row, nil
		}
		if !one.end.After(now) {
			return row, problem.Errorf(problem.Conflict, "The occurrence at %s is over: it cannot be restored.", at.Format(time.RFC3339))
		}
		if err := p.apart(row, one, rest); err != nil {
			return row, err
		}
		return s.replace(ctx, row, p, k, one, "", "An occurrence was restored", Payload{Changes: []string{"occurrence"}})
	}
}

// without are stored occurrences but one.
func without(k kept, original time.Time) kept {
	var rest kept
	for _, o := range k {
		if !o.Original.Equal(original) {
			rest = append(rest, o)
		}
	}
	return rest
}

// moved returns an occurrence at another time.
func moved(s span, c OccurrenceChange, now time.Time) (span, error) {
	length := s.end.Sub(s.start)
	if c.StartAt != nil {
		s.start = moment(*c.StartAt)
		s.end = s.start.Add(length)
	}
	if c.EndAt != nil {
		s.end = moment(*c.EndAt)
	}
	var v validation
	v.span("occurrence.startAt", "occurrence.endAt", s.start, s.end)
	if v.Count() == 0 {
		v.ahead("occurrence.startAt", "occurrence.endAt", s.start, s.end, now)
	}
	return s, v.Err()
}

// apart refuses an occurrence that touches another one of its maintenance. k is without it.
func (p plan) apart(row maintenancedb.Maintenance, s span, k kept) error {
	// Its place in the recurrence is free.
	k = append(k, maintenancedb.MaintenanceOccurrence{Original: s.original, State: stateCancelled})
	clash := func(other span) error {
		return problem.Errorf(
			problem.Conflict, "It would touch the occurrence from %s to %s. Move or cancel that one first.",
			other.start.In(p.zone).Format(time.RFC3339), other.end.In(p.zone).Format(time.RFC3339),
		)
	}
	if Status(row.Status) == InProgress && !row.Original.Equal(s.original) && !s.start.After(row.EndsAt) {
		return clash(span{row.Original, row.StartsAt, row.EndsAt})
	}
	for _, other := range p.between(row.Since, s.start.Add(-1), s.end.Add(1), k, 2) {
		if !other.original.Equal(row.Original) || Status(row.Status) != InProgress {
			return clash(other)
		}
	}
	return nil
}

// replace stores what becomes of an occurrence, and sets which one is the next. An empty state forgets what is stored.
func (s *service) replace(
	ctx context.Context,
	row maintenancedb.Maintenance,
	p plan,
	k kept,
	one span,
	state, summary string,
	payload Payload,
) (maintenancedb.Maintenance, error) {
	stored := maintenancedb.MaintenanceOccurrence{
		MaintenanceID: row.ID, Original: one.original, StartsAt: one.start, EndsAt: one.end, State: state,
	}
	k = without(k, one.original)
	if state == "" {
		err := s.queries(ctx).DropOccurrences(ctx, maintenancedb.DropOccurrencesParams{
			MaintenanceID: row.ID, Originals: []time.Time{one.original},
		})
		if err != nil {
			return row, fmt.Errorf("restore an occurrence: %w", err)
		}
	} else {
		if len(k) >= MaxChanged {
			return row, problem.Errorf(
				problem.Conflict, "The maintenance has %d moved or cancelled occurrences, which is the most it can have. Change its rule.", MaxChanged,
			)
		}
		if err := s.queries(ctx).PutOccurrence(ctx, maintenancedb.PutOccurrenceParams{
			MaintenanceID: row.ID, Original: one.original, StartsAt: one.start, EndsAt: one.end, State: state,
		}); err != nil {
			return row, fmt.Errorf("store an occurrence: %w", err)
		}
		k = append(k, stored)
	}
	payload.Occurrence = &one.original
	return s.choose(ctx, row, p, k, summary, payload)
}

// choose sets the next occurrence of a locked maintenance after one of them has changed. Without any it is cancelled.
func (s *service) choose(
	ctx context.Context,
	row maintenancedb.Maintenance,
	p plan,
	k kept,
	summary string,
	payload Payload,
) (maintenancedb.Maintenance, error) {
	to := state(row)
	to.Replanned = 1
	if Status(row.Status) == InProgress {
		to.HasMore = p.follows(span{row.Original, row.StartsAt, row.EndsAt}, k)
		return s.set(ctx, row, to, summary, EventUpdated, payload)
	}
	next, ok := p.next(row.Since, k)
	if !ok {
		now, err := s.now(ctx)
		if err != nil {
			return row, err
		}
		to.Status, to.OverAt, to.HasMore = string(Cancelled), new(now), false
		return s.set(ctx, row, to, summary+", the last one", EventCancelled, payload)
	}
	return s.set(ctx, row, upcoming(to, p, next, k), summary, EventUpdated, payload)
}

// changeCurrent changes the end of the occurrence in progress.
func (s *service) changeCurrent(
	ctx context.Context,
	row maintenancedb.Maintenance,
	p plan,
	k kept,
	c OccurrenceChange,
	now time.Time,
) (maintenancedb.Maintenance, error) {
	if c.EndAt == nil || c.StartAt != nil {
		return row, problem.Errorf(
			problem.Conflict, "This occurrence of %s is in progress: change its end, or close it to end it now.", row.Title,
		)
	}
	one, err := moved(span{row.Original, row.StartsAt, row.EndsAt}, c, now)
	if err != nil || one.end.Equal(row.EndsAt) {
		return row, err
	}
	rest := without(k, row.Original)
	for _, other := range p.between(row.Since, row.StartsAt, one.end.Add(1), rest, 2) {
		if !other.original.Equal(row.Original) {
			return row, problem.Errorf(
				problem.Conflict, "It would reach the next occurrence at %s. Move or cancel that one first.",
				other.start.In(p.zone).Format(time.RFC3339),
			)
		}
	}
	before := row
	row.Extended = row.Extended || one.end.After(row.EndsAt)
	row.EndsAt = one.end
	if err := s.put(ctx, row, stateInProgress); err != nil {
		return row, err
	}
	to := state(row)
	to.HasMore, to.Replanned = p.follows(one, k), 1
	summary := "Maintenance shortened"
	if one.end.After(before.EndsAt) {
		summary = "Maintenance extended"
	}
	return s.set(ctx, before, to, summary, EventUpdated, Payload{
		Changes: []string{"endAt"}, Extended: one.end.After(before.EndsAt), Occurrence: &before.Original,
	})
}

// Close ends a maintenance in progress early and cancels one that has not begun. It does nothing to one that is over.
func (s *service) Close(ctx context.Context, id uuid.UUID, in Closing, based *int64) (Moved, error) {
	var v validation
	in = v.closing(in)
	if err := v.Err(); err != nil {
		return Moved{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Moved, error) {
		h, err := s.hold(ctx, id, based)
		if err != nil {
			return Moved{}, err
		}
		now, err := s.now(ctx)
		if err != nil {
			return Moved{}, err
		}
		row, err := s.follow(ctx, h.Maintenance, now)
		if err != nil {
			return Moved{}, err
		}
		changed := !Status(row.Status).isOver()
		if changed {
			if row, err = s.finish(ctx, row, in, now); err != nil {
				return Moved{}, err
			}
		}
		shown, err := s.shown(ctx, row, now)
		return Moved{Maintenance: shown, Changed: changed}, err
	})
}

// finish ends or cancels a locked maintenance that is not over.
func (s *service) finish(ctx context.Context, row maintenancedb.Maintenance, in Closing, now time.Time) (maintenancedb.Maintenance, error) {
	running := Status(row.Status) == InProgress
	if row.Rule != "" && !running && !in.All {
		return row, problem.Errorf(
			problem.Conflict,
			"The maintenance %s recurs and no occurrence is in progress. Cancel one occurrence, or end all with \"all\".",
			row.Title,
		).With("maintenanceStatus", Scheduled)
	}
	status := Cancelled
	if running {
		status = Completed
	}
	if err := s.say(ctx, row.ID, in.Message, status, in.Visibility); err != nil {
		return row, err
	}
	if running {
		row.HasMore = row.HasMore && !in.All
		return s.end(ctx, row, now)
	}
	to := state(row)
	to.Status, to.OverAt, to.HasMore, to.Replanned = string(Cancelled), new(now), false, 1
	return s.set(ctx, row, to, "Maintenance cancelled", EventCancelled, Payload{})
}

// say writes an update beside a change of the status, unless there is nothing to say.
func (s *service) say(ctx context.Context, id uuid.UUID, message string, status Status, visibility note.Visibility) error {
	if message == "" {
		return nil
	}
	_, err := s.notes.Add(ctx, id, note.New{Message: message, StatusChange: string(status), Visibility: visibility})
	return err
}
