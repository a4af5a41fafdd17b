package healthcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/check/health"
	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// BoardDay is the health of a system on a day (UTC).
type BoardDay struct {
	Day          string   `json:"day" doc:"Such as 2026-11-22"`
	Availability *float64 `json:"availability,omitempty" doc:"Which part of the runs passed, from 0 to 1; absent when nothing ran."`
	Worst        Status   `json:"worst" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
}

// BoardRow is a system on the board.
type BoardRow struct {
	SystemID   uuid.UUID  `json:"systemId"`
	SystemName string     `json:"systemName"`
	Status     Status     `json:"status" enum:"unknown,healthy,partly-unknown,degraded,unhealthy"`
	Since      *time.Time `json:"since,omitempty"`
	Reason     string     `json:"reason"`
	Checks     int        `json:"checks" doc:"How many of its checks run, of those that the reader may see."`
	Days       []BoardDay `json:"days" nullable:"false" doc:"The last 90 days, the oldest first."`
	Latency    []*float64 `json:"latency" nullable:"false" doc:"Mean milliseconds of the runs of each of the last 24 hours, the oldest first; null where nothing ran."`
}

// BoardFilter narrows the board.
type BoardFilter struct {
	Query, Tag string
	Status     Status
}

// boardChunk is the number of systems per query that are filtered by status, boardChunks the number of queries per
// page. A page that is not full then still has the cursor of the next one.
const (
	boardChunk  = 500
	boardChunks = 20
)

// Board lists the systems that the caller may see with their health, by name.
func (s *service) Board(ctx context.Context, f BoardFilter, page rest.Page) ([]BoardRow, rest.Next, error) {
	limit := int(page.Rows()) - 1
	if f.Status == "" {
		systems, next, err := s.Systems.Browse(ctx, f.Query, f.Tag, page)
		if err != nil {
			return nil, rest.Next{}, err
		}
		rows, err := s.boardRows(ctx, systems)
		if err != nil {
			return nil, rest.Next{}, err
		}
		return rows, next, s.addDays(ctx, rows)
	}
	rows, next := []BoardRow{}, rest.Next{NextCursor: page.Cursor}
	for range boardChunks {
		systems, more, err := s.Systems.Browse(ctx, f.Query, f.Tag, rest.Page{Limit: boardChunk, Cursor: next.NextCursor})
		if err != nil {
			return nil, rest.Next{}, err
		}
		found, err := s.boardRows(ctx, systems)
		if err != nil {
			return nil, rest.Next{}, err
		}
		for _, row := range found {
			if row.Status == f.Status {
				rows = append(rows, row)
			}
		}
		if next = more; next.NextCursor == "" || len(rows) > limit {
			break
		}
	}
	if len(rows) > limit {
		rows, next = rest.Cut(page, rows, func(row BoardRow) string { return text.Key(row.SystemName) })
	}
	return rows, next, s.addDays(ctx, rows)
}

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
func (s *service) boardRows(ctx context.Context, systems []Named) ([]BoardRow, error) {
	rows := make([]BoardRow, len(systems))
	at := make(map[uuid.UUID]*BoardRow, len(systems))
	ids := make([]uuid.UUID, len(systems))
	for i, system := range systems {
		rows[i] = BoardRow{SystemID: system.ID, SystemName: system.Name, Status: Unknown, Days: []BoardDay{}, Latency: []*float64{}}
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
