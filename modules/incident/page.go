package incident

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/text"
	"countersign/modules/incident/incidentdb"
)

// List returns a page of incidents, the last ones to start first.
func (s *service) List(ctx context.Context, f Filter, page rest.Page) ([]Listed, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	before, err := page.AfterMoment()
	if err != nil {
		return nil, rest.Next{}, err
	}
	if before == nil {
		before = new(rest.Latest())
	}
	var v validation
	phrase := text.Query(&v.Issues, "query", f.Query)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	if f.DedupeKey != "" && !principal.FromContext(ctx).Has(Manage) {
		return nil, rest.Next{}, problem.MissingRule("look for incidents by their keys", Manage)
	}
	if err := s.checkSystem(ctx, f.SystemID); err != nil {
		return nil, rest.Next{}, err
	}
	sight := s.systems.Sight(ctx)
	rows, err := incidentdb.New(s.db.CustomPlans(ctx)).Incidents(ctx, incidentdb.IncidentsParams{
		BeforeAt: before.At, BeforeID: before.ID, Status: string(f.Status), Severity: string(f.Severity), State: f.State,
		Pattern: text.Pattern(phrase), DedupeKey: f.DedupeKey, SystemID: f.SystemID,
		Manages: principal.FromContext(ctx).Has(Manage), MaxRows: page.Rows(),
		ObjectType: sight.Kind.ObjectType, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID,
		TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list incidents: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r incidentdb.Incident) string { return rest.Moment{At: r.StartedAt, ID: r.ID}.String() })
	held, err := s.withSystems(ctx, rows...)
	if err != nil {
		return nil, rest.Next{}, err
	}
	list, err := s.list(ctx, held...)
	return list, next, err
}

// checkSystem refuses a system that the caller does not see, instead of an empty list.
func (s *service) checkSystem(ctx context.Context, id *uuid.UUID) error {
	if id == nil {
		return nil
	}
	found, err := s.systems.Lookup(ctx, []uuid.UUID{*id})
	if err != nil {
		return fmt.Errorf("look up system: %w", err)
	}
	if _, ok := found[*id]; !ok {
		return s.systems.Sight(ctx).Kind.Missing(*id)
	}
	return nil
}

// folded is a text as a search compares it.
func folded(title, description string) string { return text.Key(title + "\n" + description) }
