package healthcheck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// portableAssignments are the assignments of checks to systems that the caller may see, by name of the system.
func (s *service) portableAssignments(ctx context.Context, checks []Check) (map[uuid.UUID][]PortableAssignment, error) {
	ids := make([]uuid.UUID, len(checks))
	for i, c := range checks {
		ids[i] = c.ID
	}
	sight := s.Systems.Sight(ctx)
	rows, err := s.queries(ctx).AssignmentsOfChecks(ctx, healthcheckdb.AssignmentsOfChecksParams{
		CheckIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list assignments: %w", err)
	}
	systems := make([]uuid.UUID, 0, len(rows))
	for _, row := range rows {
		systems = append(systems, row.SystemID)
	}
	described, err := s.described(ctx, distinct(systems))
	if err != nil {
		return nil, err
	}
	all := map[uuid.UUID][]PortableAssignment{}
	for _, row := range rows {
		system, ok := described[row.SystemID]
		if !ok {
			continue
		}
		one := PortableAssignment{System: system.Scope.Name, Thresholds: row.Thresholds}
		if !row.Enabled {
			one.Enabled = new(bool)
		}
		if row.EnvironmentIds != nil {
			names, err := environmentNames(ctx, s, system, row.EnvironmentIds)
			if err != nil {
				return nil, err
			}
			one.Environments = &names
		}
		all[row.CheckID] = append(all[row.CheckID], one)
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b PortableAssignment) int { return strings.Compare(text.Key(a.System), text.Key(b.System)) })
	}
	return all, nil
}

// environmentNames names environments of a system in order; the caller must have the right to see environments.
func environmentNames(ctx context.Context, s *service, system System, ids []uuid.UUID) ([]string, error) {
	names := []string{}
	if len(ids) > 0 && !s.Systems.SeesEnvironments(ctx) {
		return nil, problem.MissingRule(
			"export checks that run in chosen environments",
			principal.FromContext(ctx).Missing(environmentRead)...)
	}
	for _, e := range system.Environments {
		if slices.Contains(ids, e.ID) {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// described finds systems by id, regardless of the caller.
func (s *service) described(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]System, error) {
	list, err := s.Systems.Describe(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("describe systems: %w", err)
	}
	all := make(map[uuid.UUID]System, len(list))
	for _, system := range list {
		all[system.Scope.ID] = system
	}
	return all, nil
}
