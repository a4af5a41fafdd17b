package healthcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/healthcheck/healthcheckdb"
)

// maxFailing bounds the listed targets of a check that fail.
const maxFailing = 20

// FailingTarget is a place in which a check does not pass.
type FailingTarget struct {
	ID          int32      `json:"id"`
	SystemID    uuid.UUID  `json:"systemId"`
	SystemName  string     `json:"systemName"`
	Environment *Place     `json:"environment,omitempty" doc:"Absent when it runs without one."`
	Status      Status     `json:"status" enum:"unknown,degraded,unhealthy"`
	Since       *time.Time `json:"since,omitempty"`
	Reason      string     `json:"reason,omitempty"`
	LastRun     *time.Time `json:"lastRun,omitempty"`
	Interval    int        `json:"intervalSeconds"`
}

type failing struct {
	Targets []FailingTarget `json:"targets" nullable:"false" doc:"At most 20, the worst first and then those that have failed longest."`
	More    bool            `json:"more" doc:"Whether there are more than these."`
}

// Failing lists where a check does not pass or cannot be made, on systems that the caller may see.
func (s *service) Failing(ctx context.Context, check uuid.UUID) (failing, error) {
	out := failing{Targets: []FailingTarget{}}
	levels, err := statusKind.Sight(ctx).Levels(ctx, s.DB, check)
	if err != nil {
		return out, err
	}
	if _, err := s.queries(ctx).Check(ctx, check); store.NoRows(err) || err == nil && levels[check] == access.None {
		return out, statusKind.Missing(check)
	} else if err != nil {
		return out, fmt.Errorf("load check: %w", err)
	}
	sight := s.Systems.Sight(ctx)
	rows, err := s.queries(ctx).FailingOfCheck(ctx, healthcheckdb.FailingOfCheckParams{
		CheckID: check, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
		MaxRows: maxFailing + 1,
	})
	if err != nil {
		return out, fmt.Errorf("list failing targets: %w", err)
	}
	if len(rows) > maxFailing {
		rows, out.More = rows[:maxFailing], true
	}
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.SystemID
	}
	systems, err := s.Systems.Lookup(ctx, ids)
	if err != nil {
		return out, fmt.Errorf("look up systems: %w", err)
	}
	places, details := s.Systems.SeesEnvironments(ctx), seesDetails(ctx)
	for _, row := range rows {
		system, seen := systems[row.SystemID]
		if !seen {
			continue
		}
		t := FailingTarget{
			ID: row.ID, SystemID: row.SystemID, SystemName: system.Name, Status: statusOf(row.Status), Since: optional(moment(row.SinceMs)),
			Reason: shownReason(row.Reason, details), LastRun: optional(moment(row.LastSlot)), Interval: int(row.IntervalMs / 1000),
		}
		if row.EnvironmentID != nil {
			t.Environment = &Place{ID: *row.EnvironmentID}
			if places {
				t.Environment.Name = row.EnvironmentName
			}
		}
		out.Targets = append(out.Targets, t)
	}
	return out, nil
}

func (m *Module) listFailing(ctx context.Context, in *rest.ByID) (*rest.Body[failing], error) {
	return rest.With(m.service.Failing(ctx, in.ID))
}
