package oncall

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/oncall/oncalldb"
)

// maxOverride is the length of the longest override.
const maxOverride = 366 * 24 * time.Hour

// holdForOverride locks a schedule for an override: those who may change it may put anybody on call, and everybody whom the
// schedule names may take over.
func (s *service) holdForOverride(ctx context.Context, id uuid.UUID, people []uuid.UUID, based *int64) (oncalldb.OncallSchedule, error) {
	row, err := s.queries(ctx).LockSchedule(ctx, id)
	if row, err = see(ctx, scheduleKind, id, row, err); err != nil {
		return row, err
	}
	caller := principal.FromContext(ctx).ID
	takesOver := slices.Equal(people, []uuid.UUID{caller}) && slices.Contains(peopleOf(row.Layers), caller)
	if !takesOver {
		if err := scheduleKind.Permit(row.Name, levelOf(ctx, row.TeamID), access.Own); err != nil {
			return row, err
		}
	}
	return row, problem.CheckRevision("on-call schedule "+row.Name, row.Revision, based)
}

// AddOverride puts a person on call for a while, and returns the override and the revision of the schedule.
func (s *service) AddOverride(ctx context.Context, id uuid.UUID, in NewOverride, based *int64) (Override, int64, error) {
	var v validation
	if !in.Start.Before(in.End) {
		v.Report("end", "must be after start")
	}
	if in.Start.Year() < 1970 || in.End.Year() > 2400 || in.End.Sub(in.Start) > maxOverride {
		v.Report("start", "must lie between 1970 and 2400, with an end at most a year later")
	}
	in.ReplacesID = given(in.ReplacesID)
	if in.ReplacesID != nil && *in.ReplacesID == in.PersonID {
		v.Report("replacesId", "must be another person")
	}
	if err := v.Err(); err != nil {
		return Override{}, 0, err
	}
	var out Override
	revision, err := store.InTx(ctx, s.db, func(ctx context.Context) (int64, error) {
		row, err := s.holdForOverride(ctx, id, []uuid.UUID{in.PersonID}, based)
		if err != nil {
			return 0, err
		}
		people := []uuid.UUID{in.PersonID}
		if in.ReplacesID != nil {
			people = append(people, *in.ReplacesID)
		}
		n, err := s.lookUp(ctx, people, nil)
		if err != nil {
			return 0, err
		}
		for i, path := range []string{"personId", "replacesId"}[:len(people)] {
			if _, ok := n.people[people[i]]; !ok {
				v.Report(path, "names no user: %s", people[i])
			}
		}
		if err := v.Err(); err != nil {
			return 0, err
		}
		count, err := s.queries(ctx).CountOverrides(ctx, id)
		if err != nil {
			return 0, fmt.Errorf("count overrides: %w", err)
		}
		if count >= MaxOverrides {
			return 0, problem.Errorf(problem.Conflict, "The schedule %s has %d overrides that are not over. Remove one first.", row.Name, count)
		}
		made, err := s.queries(ctx).AddOverride(ctx, oncalldb.AddOverrideParams{
			ID: store.NewID(), ScheduleID: id, PersonID: in.PersonID, ReplacesID: in.ReplacesID, StartsAt: in.Start, EndsAt: in.End,
		})
		if err != nil {
			return 0, fmt.Errorf("add override: %w", err)
		}
		out = n.override(made)
		return s.overridden(ctx, row, audit.Added, in.PersonID, "A person was put on call for a while")
	})
	return out, revision, err
}

// RemoveOverride ends an override.
func (s *service) RemoveOverride(ctx context.Context, id, override uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		// The person who has taken over may let go, so the rights depend on the row.
		removed, err := s.queries(ctx).RemoveOverride(ctx, oncalldb.RemoveOverrideParams{ID: override, ScheduleID: id})
		if err != nil {
			return fmt.Errorf("remove override: %w", err)
		}
		people := []uuid.UUID{}
		for _, o := range removed {
			people = append(people, o.PersonID)
		}
		row, err := s.holdForOverride(ctx, id, people, based)
		if err != nil {
			return err
		}
		if len(removed) == 0 {
			return problem.Errorf(problem.NotFound, "The schedule %s has no such override. List its shifts to see those that it has.", row.Name)
		}
		_, err = s.overridden(ctx, row, audit.Removed, removed[0].PersonID, "A person is no longer put on call for a while")
		return err
	})
}

// overridden notes a changed override and raises the revision of the schedule.
func (s *service) overridden(
	ctx context.Context, row oncalldb.OncallSchedule, action audit.Action, person uuid.UUID, summary string,
) (int64, error) {
	revision, err := s.queries(ctx).BumpSchedule(ctx, row.ID)
	if err != nil {
		return 0, fmt.Errorf("raise the revision of a schedule: %w", err)
	}
	return revision, audit.Record(ctx, s.db, audit.Event{
		Action: action, Object: scheduleObject(row.ID, row.Name), Subject: audit.Object(personType, person, ""), Summary: summary,
	})
}
