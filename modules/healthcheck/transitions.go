package healthcheck

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/modules/healthcheck/healthcheckdb"
)

// Transition is a change of the health of a system, or of one of its checks.
type Transition struct {
	ID       int64
	SystemID uuid.UUID
	At       time.Time
	// CheckID and CheckName are those of the check, nil and empty for a change of the system.
	CheckID       *uuid.UUID
	CheckName     string
	Before, After Status
	// Reason is for readers of results of runs.
	Reason string
}

// TransitionsQuery asks for the transitions of systems that the caller sees, in a period.
type TransitionsQuery struct {
	Systems  []uuid.UUID
	From, To time.Time
	// BeforeAt and BeforeID are the position of the last known transition.
	BeforeAt time.Time
	BeforeID int64
	Limit    int
}

// Transitions lists transitions, newest first: none for a caller who sees the health of no system.
func (m *Module) Transitions(ctx context.Context, q TransitionsQuery) ([]Transition, error) {
	if !principal.FromContext(ctx).Has(StatusRead) || len(q.Systems) == 0 {
		return nil, nil
	}
	s, sight := m.service, statusKind.Sight(ctx)
	before, id := q.BeforeAt.UnixMilli(), q.BeforeID
	if q.BeforeAt.Nanosecond()%int(time.Millisecond) != 0 {
		id = math.MaxInt64
	}
	rows, err := healthcheckdb.New(s.DB.CustomPlans(ctx)).TransitionsOfSystems(ctx, healthcheckdb.TransitionsOfSystemsParams{
		Systems: q.Systems, First: q.From.UnixMilli(), Last: q.To.UnixMilli(), BeforeMs: before, BeforeID: id, MaxRows: int32(q.Limit),
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return nil, fmt.Errorf("list transitions: %w", err)
	}
	details := seesDetails(ctx)
	list := make([]Transition, len(rows))
	for i, row := range rows {
		list[i] = Transition{
			ID: row.ID, SystemID: row.SystemID, At: moment(row.AtMs), CheckID: row.CheckID, CheckName: row.CheckName,
			Before: statusOf(row.Before), After: statusOf(row.After),
		}
		if row.CheckID != nil {
			list[i].Reason = shownReason(row.Reason, details)
		}
	}
	return list, nil
}

// maxRelated bounds the checks that ChecksOf returns.
const maxRelated = 200

// ChecksOf returns the ids of checks that are assigned to systems, of those whose history of changes the caller may read.
// Names and statuses are for more people.
func (m *Module) ChecksOf(ctx context.Context, systems []uuid.UUID) ([]uuid.UUID, error) {
	ids, err := m.service.queries(ctx).ChecksOfSystems(ctx, healthcheckdb.ChecksOfSystemsParams{Systems: systems, MaxRows: maxRelated})
	if err != nil {
		return nil, fmt.Errorf("list checks of systems: %w", err)
	}
	levels, err := checkKind.Sight(ctx).Levels(ctx, m.service.DB, ids...)
	if err != nil {
		return nil, err
	}
	seen := make([]uuid.UUID, 0, len(levels))
	for _, id := range ids {
		if _, ok := levels[id]; ok {
			seen = append(seen, id)
		}
	}
	return seen, nil
}
