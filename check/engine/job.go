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
	"countersign/store"
)

// job is what the engine knows of a target. One run at a time uses it.
type job struct {
	definition *Definition
	scope      json.RawMessage
	system     uuid.UUID
	thresholds health.Thresholds
	// changed is the transaction that changed the target last, as far as it was noticed.
	changed string
	*standing

	prepared   Prepared
	generation uint64
}

// jobOf is what the engine has handed over with a target.
func jobOf(t *schedule.Target) *job {
	return t.Job.(*job) //nolint:errcheck // the schedule is the engine's own, and gets nothing else from it
}

// standing is what is known of a target. It outlives changes of the target.
type standing struct {
	state health.State
	since int64
	// reported is the slot of the last report that was kept.
	reported int64
	reason   string
	// transited says that the status has changed and no run has passed since.
	transited bool
}

// stored is a target as it lies in the database.
type stored enginedb.TargetsRow

// targets makes what the schedule holds of rows, and reads the definitions that are not known yet.
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
		d := e.defs.use(definitionKey{r.CheckID, r.CheckVersion})
		if d == nil {
			continue // it has changed since the row was read, which is about to be noticed
		}
		targets = append(targets, &schedule.Target{
			ID: r.ID, Interval: int64(r.IntervalMs), Phase: int64(r.PhaseMs), Since: r.SinceMs,
			Job: &job{definition: d, scope: r.Scope, system: r.SystemID, thresholds: e.thresholds(r), standing: e.standing(r)},
		})
	}
	return targets, nil
}

func (e *Engine) thresholds(r stored) health.Thresholds {
	t, err := health.ParseThresholds(r.Thresholds)
	if err != nil {
		e.o.Log.Error("The thresholds of a target cannot be read; it has the usual ones", "target", r.ID, "error", err)
		return health.Thresholds{}.WithDefaults()
	}
	return t
}

func (e *Engine) standing(r stored) *standing {
	s := &standing{since: r.SinceMs}
	if r.Status == nil {
		return s
	}
	var err error
	if s.state, err = health.Decode(r.Counts); err != nil {
		e.o.Log.Error("The state of a target cannot be read; it begins anew", "target", r.ID, "error", err)
	}
	if r.StatusSince != nil {
		s.since, s.reason = *r.StatusSince, *r.Reason
	}
	return s
}
