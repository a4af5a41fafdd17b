package healthcheck

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/quota"
	"countersign/modules/healthcheck/healthcheckdb"
)

// Runner requests runs beside the schedule.
type Runner interface {
	// RunNow requests a run of a target, in the transaction of ctx, and returns its slot.
	RunNow(ctx context.Context, target int32) (slot time.Time, err error)
}

// RunNow selects the system and the environments of an immediate run.
type RunNow struct {
	SystemID      uuid.UUID  `json:"systemId" jsonschema:"description=The system; the check has to be assigned to it."`
	EnvironmentID *uuid.UUID `json:"environmentId,omitempty" nullable:"true" jsonschema:"description=Only in this environment; in all where it runs when left out."`
}

// RequestedRun is an immediate run.
type RequestedRun struct {
	TargetID int32     `json:"targetId"`
	Slot     int64     `json:"slot" doc:"What the run is found by, in milliseconds since 1970."`
	At       time.Time `json:"at"`
}

// Requested are the runs of one request.
type Requested struct {
	Runs []RequestedRun `json:"runs" nullable:"false"`
}

// runQuota bounds the runs that a principal requests in a minute: more would be a scan, and a load on their targets.
var runQuota = quota.Kind{
	Name:       "check run",
	Plural:     "runs begun in the last minute",
	Max:        60,
	TTL:        time.Minute,
	RetryAfter: 10 * time.Second,
}

// RunNow requests a run beside the schedule. It needs the right to change the check.
func (s *service) RunNow(ctx context.Context, id uuid.UUID, in RunNow, based *int64) (Requested, error) {
	out := Requested{Runs: []RequestedRun{}}
	if s.Runner == nil {
		return out, problem.Errorf(problem.Unavailable, "Health checks do not run in this installation.")
	}
	err := s.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.checks.Hold(ctx, id, access.Edit, based)
		if err != nil {
			return err
		}
		system, err := s.system(ctx, in.SystemID, "systemId")
		if err != nil {
			return err
		}
		targets, err := s.queries(
			ctx,
		).ActiveTargets(
			ctx,
			healthcheckdb.ActiveTargetsParams{CheckID: id, SystemID: in.SystemID, EnvironmentID: in.EnvironmentID},
		)
		if err != nil {
			return fmt.Errorf("find targets: %w", err)
		}
		if len(targets) == 0 {
			return problem.Errorf(
				problem.Conflict,
				"The health check %s does not run for the system %s there: it is not assigned to it, paused or switched off.",
				row.Name,
				system.Name,
			)
		}
		for _, target := range targets {
			// The quota lease expires after a minute, even when the run fails.
			if _, err := s.Draft.Quota.Acquire(ctx, principal.FromContext(ctx), runQuota); err != nil {
				return err
			}
			slot, err := s.Runner.RunNow(ctx, target)
			if err != nil {
				return fmt.Errorf("ask for a run: %w", err)
			}
			out.Runs = append(out.Runs, RequestedRun{TargetID: target, Slot: slot.UnixMilli(), At: slot})
		}
		return s.recordRun(ctx, row, in.SystemID, system.Name)
	})
	return out, err
}

func (s *service) recordRun(ctx context.Context, row healthcheckdb.HealthCheck, systemID uuid.UUID, systemName string) error {
	return s.recordAssignment(ctx, audit.Ran, row, systemID, systemName, "Run at once for a system")
}
