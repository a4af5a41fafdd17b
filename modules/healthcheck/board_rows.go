package healthcheck

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/internal/access"
	"countersign/modules/healthcheck/healthcheckdb"
)

// briefReason removes the results of runs from the reason of a status, for readers without details.
func (s *service) briefReason(ctx context.Context, state healthcheckdb.SystemStatesRow) string {
	return health.Brief(state.Reason, health.Target{
		Name:        state.CheckName,
		Environment: s.placeShown(ctx, state.EnvironmentName),
		Status:      health.Status(state.Status),
		Reason:      shownReason(state.TargetReason, seesDetails(ctx)),
	})
}

func (s *service) placeShown(ctx context.Context, name string) string {
	if s.Systems.SeesEnvironments(ctx) {
		return name
	}
	return ""
}

// boardRows adds the current health to systems.
func (s *service) boardRows(ctx context.Context, systems []ranked) ([]BoardRow, error) {
	rows := make([]BoardRow, len(systems))
	at := make(map[uuid.UUID]*BoardRow, len(systems))
	ids := make([]uuid.UUID, len(systems))
	for i, system := range systems {
		rows[i] = BoardRow{SystemID: system.ID, SystemName: system.Name, Status: Unknown, Tags: system.Tags}
		ids[i], at[system.ID] = system.ID, &rows[i]
	}
	states, err := s.queries(ctx).SystemStates(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read states of systems: %w", err)
	}
	checks := []uuid.UUID{}
	for _, state := range states {
		if state.CheckID != nil {
			checks = append(checks, *state.CheckID)
		}
	}
	sight := statusKind.Sight(ctx)
	levels, err := sight.Levels(ctx, s.DB, checks...)
	if err != nil {
		return nil, err
	}
	whole := seesDetails(ctx) && s.Systems.SeesEnvironments(ctx)
	for _, state := range states {
		row := at[state.SystemID]
		row.Status, row.Since, row.Reason = statusOf(state.Status), optional(moment(state.SinceMs)), state.Reason
		switch {
		case row.Status == Healthy, row.Status == Unknown && state.CheckID == nil:
		case state.Source != "" && state.CheckID == nil:
			if !s.seesOverride(ctx, state.Source) {
				row.Reason = hiddenOverride
			}
		case state.CheckID == nil || levels[*state.CheckID] == access.None:
			row.Reason = hiddenReason
		case !whole:
			row.Reason = s.briefReason(ctx, state)
		}
	}
	if s.Planned != nil {
		work, err := s.Planned.PlannedWork(ctx, ids)
		if err != nil {
			return nil, fmt.Errorf("read planned work: %w", err)
		}
		for id, list := range work {
			at[id].Planned = list[0].Title
		}
	}
	counts, err := s.queries(ctx).CountTargets(ctx, healthcheckdb.CountTargetsParams{
		SystemIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("count targets: %w", err)
	}
	for _, count := range counts {
		at[count.SystemID].Checks = int(count.Checks)
	}
	return rows, nil
}
