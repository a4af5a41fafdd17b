package healthcheck

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/check/heartbeat"
	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/healthcheck/healthcheckdb"
)

// heartbeatStrategy is the strategy of checks whose targets are jobs that send reports.
const heartbeatStrategy = "healthcheck-heartbeat.heartbeat"

// Heartbeats receives the reports of jobs.
type Heartbeats interface {
	// Token returns the credential of a target's job. Its holder can report the outcome of the job, and nothing else.
	Token(target, generation int32) string
	// Replace gives a target a new token; the old one stays valid for a grace period.
	Replace(ctx context.Context, target int32, grace time.Duration) (heartbeat.Replaced, error)
	// Receive records a report from an address; problem.NotFound for an invalid token.
	Receive(ctx context.Context, token, address string, b heartbeat.Report) (heartbeat.Receipt, error)
}

// Calling is the heartbeat URL of a target, with the last report.
type Calling struct {
	TargetID      int32      `json:"targetId"`
	SystemID      uuid.UUID  `json:"systemId"`
	SystemName    string     `json:"systemName"`
	EnvironmentID *uuid.UUID `json:"environmentId,omitempty"`
	Environment   string     `json:"environment,omitempty" doc:"Its name; absent where there is none and for who may not see it."`
	Active        bool       `json:"active" doc:"False while the check does not run there: heartbeats are heard, and nothing comes of silence."`
	URL           string     `json:"url,omitempty" doc:"What the job sends a POST to; a failure to the same with /fail behind it. Whoever knows it can say that the job has run. Absent once it was replaced: then it was shown when that happened."`
	ReplacedAt    *time.Time `json:"replacedAt,omitempty" doc:"When the address was replaced; absent while it is the first one."`
	FormerUntil   *time.Time `json:"formerUntil,omitempty" doc:"Until when the address before it counts too."`
	NextDueAt     *time.Time `json:"nextDueAt,omitempty" doc:"When it is due next, with a cron schedule."`
	LastAt        *time.Time `json:"lastAt,omitempty" doc:"When it called in last; absent when it never has."`
	Failed        bool       `json:"failed" doc:"Whether it said then that its work has failed."`
	Message       string     `json:"message" doc:"What it said then."`
	DurationMs    int64      `json:"durationMs" doc:"How long its work took, 0 when it did not say so."`
}

// Callings lists where the jobs of a heartbeat check call in, for the systems that the caller sees. It needs the right to change
// the check; other checks have none.
func (s *service) Callings(ctx context.Context, id uuid.UUID, page rest.Page) ([]Calling, rest.Next, error) {
	list := []Calling{}
	row, err := s.checks.See(ctx, id)
	if err != nil {
		return nil, rest.Next{}, err
	}
	if err := checkKind.Sight(ctx).Permit(ctx, s.DB, id, row.Name, nil, access.Edit); err != nil {
		return nil, rest.Next{}, err
	}
	text, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	after := int64(0)
	if text != "" {
		if after, err = strconv.ParseInt(text, 10, 32); err != nil {
			return nil, rest.Next{}, problem.UnknownCursor()
		}
	}
	if row.Strategy != heartbeatStrategy || s.Heartbeats == nil {
		return list, rest.Next{}, nil
	}
	sight := s.Systems.Sight(ctx)
	rows, err := s.queries(ctx).TargetsThatCall(ctx, healthcheckdb.TargetsThatCallParams{
		CheckID:     id,
		After:       int32(after),
		MaxRows:     page.Rows(),
		ByRule:      sight.Every(),
		SubjectType: sight.SubjectType,
		SubjectID:   sight.SubjectID,
		TeamIds:     sight.TeamIDs,
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list heartbeats: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row healthcheckdb.TargetsThatCallRow) string { return strconv.Itoa(int(row.ID)) })
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.SystemID
	}
	systems, err := s.Systems.Lookup(ctx, ids)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("look up systems: %w", err)
	}
	definition, err := definitionOf(row.Definition, int(row.IntervalSeconds))
	if err != nil {
		return nil, rest.Next{}, err
	}
	schedule, err := definition.schedule(s.clock(ctx))
	if err != nil {
		return nil, rest.Next{}, err
	}
	places := s.Systems.SeesEnvironments(ctx)
	for _, row := range rows {
		system, ok := systems[row.SystemID]
		if !ok {
			continue
		}
		one := Calling{
			TargetID:      row.ID,
			SystemID:      row.SystemID,
			SystemName:    system.Name,
			EnvironmentID: row.EnvironmentID,
			Active:        row.Active,
			ReplacedAt:    row.ReplacedAt,
			FormerUntil:   row.FormerUntil,
			LastAt:        row.At,
			Failed:        row.Failed,
			Message:       row.Message,
			DurationMs:    row.DurationMs,
		}
		if schedule != nil && len(schedule.Next) > 0 {
			one.NextDueAt = &schedule.Next[0]
		}
		if places {
			one.Environment = row.EnvironmentName
		}
		if row.ReplacedAt == nil {
			one.URL = s.address(row.ID, 0)
		}
		list = append(list, one)
	}
	return list, next, nil
}

// address returns the heartbeat URL of a target.
func (s *service) address(target, generation int32) string {
	return s.URL + heartbeatsPath + "/" + s.Heartbeats.Token(target, generation)
}

// formerGrace is how long a heartbeat URL stays valid after its replacement.
const formerGrace = 24 * time.Hour

// Replacement configures the replacement of a heartbeat URL.
type Replacement struct {
	AtOnce bool `json:"atOnce,omitempty" doc:"Whether the address that is replaced ends at once, as when a stranger knows it. It counts for 24 hours more otherwise."`
}

// NewAddress is the new heartbeat URL of a job.
type NewAddress struct {
	TargetID    int32     `json:"targetId"`
	URL         string    `json:"url" doc:"It is shown this once."`
	FormerUntil time.Time `json:"formerUntil" doc:"Until when the address before it counts too."`
}

// ReplaceAddress gives the job of a target a new URL. It needs the right to change the check.
func (s *service) ReplaceAddress(ctx context.Context, id uuid.UUID, target int32, in Replacement) (NewAddress, error) {
	var out NewAddress
	err := s.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.checks.Hold(ctx, id, access.Edit, nil)
		if err != nil {
			return err
		}
		none := problem.Errorf(problem.NotFound, "No job calls in there. List the heartbeats of the health check to see what exists.")
		if row.Strategy != heartbeatStrategy || s.Heartbeats == nil {
			return none
		}
		sight := s.Systems.Sight(ctx)
		found, err := s.queries(ctx).TargetThatCalls(ctx, healthcheckdb.TargetThatCallsParams{
			Target: target, CheckID: id, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
		})
		if store.NoRows(err) {
			return none
		}
		if err != nil {
			return fmt.Errorf("find who calls in: %w", err)
		}
		systems, err := s.Systems.Lookup(ctx, []uuid.UUID{found.SystemID})
		if err != nil {
			return fmt.Errorf("look up a system: %w", err)
		}
		grace := formerGrace
		if in.AtOnce {
			grace = 0
		}
		replaced, err := s.Heartbeats.Replace(ctx, target, grace)
		if err != nil {
			return err
		}
		out = NewAddress{TargetID: target, URL: s.address(target, replaced.Generation), FormerUntil: replaced.FormerUntil}
		return s.recordAssignment(
			ctx,
			audit.Changed,
			row,
			found.SystemID,
			systems[found.SystemID].Name,
			"The address was replaced at which the job for a system calls in",
		)
	})
	return out, err
}

// HeardCall is the answer to a job.
type HeardCall struct {
	At     time.Time `json:"at" doc:"When it was heard."`
	Active bool      `json:"active" doc:"False while the check does not run there."`
	Detail string    `json:"detail"`
}

// ReceiveHeartbeat records the report of a job. The request is unauthenticated except for its token.
func (s *service) ReceiveHeartbeat(ctx context.Context, token, address string, b heartbeat.Report) (HeardCall, error) {
	if s.Heartbeats == nil {
		return HeardCall{}, problem.Errorf(problem.Unavailable, "Health checks do not run in this installation.")
	}
	heard, err := s.Heartbeats.Receive(ctx, token, address, b)
	if err != nil {
		return HeardCall{}, err
	}
	out := HeardCall{At: heard.At, Active: heard.Active, Detail: "Heard."}
	if b.Failed {
		out.Detail = "Heard: the work has failed."
	}
	if !heard.Active {
		out.Detail += " The check does not run there now, being paused or switched off, so nothing comes of it."
	}
	return out, nil
}
