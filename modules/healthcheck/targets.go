package healthcheck

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/modules/healthcheck/healthcheckdb"
)

// FoundTarget is a check of a system in an environment.
type FoundTarget struct {
	ID       int32     `json:"id"`
	CheckID  uuid.UUID `json:"checkId"`
	SystemID uuid.UUID `json:"systemId"`
}

type foundTargets struct {
	Targets []FoundTarget `json:"targets" nullable:"false"`
	More    bool          `json:"more" doc:"Whether there are more than these: narrow the query."`
}

// maxSystemsNamed bounds the systems that a name search returns targets for.
const maxSystemsNamed = 10

// FindTargets finds the target with an id, and those of the first systems whose names contain the query, up to a limit
// and as far as the caller sees their checks and systems.
func (s *service) FindTargets(ctx context.Context, typed string, most int) (foundTargets, error) {
	out := foundTargets{Targets: []FoundTarget{}}
	systems, more, err := s.Systems.Browse(ctx, Selection{Query: typed}, "", maxSystemsNamed)
	if err != nil {
		return out, err
	}
	out.More = more
	named := []uuid.UUID{}
	for _, system := range systems {
		// The list also matches descriptions and tags.
		if strings.Contains(strings.ToLower(system.Name), strings.ToLower(typed)) {
			named = append(named, system.ID)
		}
	}
	id, err := strconv.ParseInt(typed, 10, 32)
	if err != nil {
		id = 0 // which no target has
	}
	if len(named) == 0 && id <= 0 {
		return out, nil
	}
	checks, seen := statusKind.Sight(ctx), s.Systems.Sight(ctx)
	rows, err := s.queries(ctx).FindTargets(ctx, healthcheckdb.FindTargetsParams{
		SystemIds:     named,
		ID:            int32(id),
		ByRule:        checks.Every(),
		SystemsByRule: seen.Every(),
		SubjectType:   checks.SubjectType,
		SubjectID:     checks.SubjectID,
		TeamIds:       checks.TeamIDs,
		SystemTeamIds: seen.TeamIDs,
		MaxRows:       int32(most) + 1,
	})
	if err != nil {
		return out, fmt.Errorf("find targets: %w", err)
	}
	if len(rows) > most {
		rows, out.More = rows[:most], true
	}
	for _, row := range rows {
		out.Targets = append(out.Targets, FoundTarget{ID: row.ID, CheckID: row.CheckID, SystemID: row.SystemID})
	}
	return out, nil
}
