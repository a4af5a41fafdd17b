package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/check/health"
	"countersign/internal/store"
)

// job is the state of a target in the engine. One run uses it at a time.
type job struct {
	definition *Definition
	scope      json.RawMessage
	system     uuid.UUID
	// located is the target whose state follows from that of this one and of others; 0 for none.
	located    int32
	thresholds health.Thresholds
	// changed is the last transaction that changed the target.
	changed string
	// resumed is when the target became active again; its state is of runs since then.
	resumed int64
	*targetState

	prepared   Prepared
	generation uint64
}

// jobOf returns the job of a target in the schedule.
func jobOf(t *schedule.Target) *job {
	return t.Job.(*job) //nolint:errcheck // the engine puts nothing else into its schedule
}

// targetState is the health of a target. It outlives changes of the target.
type targetState struct {
	state health.State
	since int64
	// reported is the slot of the last stored report.
	reported int64
	reason   string
	// transited reports that the status has changed and no run has passed since.
	transited bool
}

// stored is the database row of a target.
type stored enginedb.TargetsRow

// targets converts rows for the schedule, and reads missing definitions.
func (e *Engine) targets(ctx context.Context, rows []stored) ([]*schedule.Target, error) {
	var missing []uuid.UUID
	for _, r := range rows {
		if !e.defs.has(definitionKey{r.CheckID, r.CheckVersion}) {
			missing = append(missing, r.CheckID)
		}
	}
	if len(missing) > 0 {
		store.SortIDs(missing)
		found, err := e.queries(ctx).Definitions(ctx, slices.Compact(missing))
		if err != nil {
			return nil, fmt.Errorf("read checks: %w", err)
		}
		for _, d := range found {
			e.defs.add(
				definitionKey{d.ID, d.Version},
				&Definition{Strategy: d.Strategy, Configuration: d.Definition, took: e.metrics.took.WithLabelValues(d.Strategy)},
			)
		}
	}
	targets := make([]*schedule.Target, 0, len(rows))
	for _, r := range rows {
		d := e.defs.acquire(definitionKey{r.CheckID, r.CheckVersion})
		if d == nil {
			continue // it has changed since the row was read; the next poll applies it
		}
		j := &job{
			definition: d, scope: r.Scope, system: r.SystemID, thresholds: e.parseThresholds(r),
			resumed: r.ResumedMs, targetState: e.loadState(r),
		}
		if r.Target != r.ID {
			j.located = r.Target
		}
		targets = append(targets, &schedule.Target{
			ID: r.ID, Interval: int64(r.IntervalMs), Phase: int64(r.PhaseMs), Since: r.SinceMs, Job: j,
		})
	}
	return targets, nil
}

func (e *Engine) parseThresholds(r stored) health.Thresholds {
	t, err := health.ParseThresholds(r.Thresholds)
	if err != nil {
		e.o.Log.Error("Thresholds of a target unreadable, defaults used", "target", r.ID, "error", err)
		return health.Thresholds{}.WithDefaults()
	}
	return t
}

func (e *Engine) loadState(r stored) *targetState {
	s := &targetState{since: r.SinceMs}
	if r.Status == nil {
		return s
	}
	var err error
	if s.state, err = health.Decode(r.Counts); err != nil {
		e.o.Log.Error("State of a target unreadable, reset", "target", r.ID, "error", err)
	}
	if r.FailingMs != nil && r.ErringMs != nil {
		s.state = s.state.WithStreaks(*r.FailingMs, *r.ErringMs)
	}
	if r.StatusSince != nil {
		s.since, s.reason = *r.StatusSince, *r.Reason
	}
	return s
}
