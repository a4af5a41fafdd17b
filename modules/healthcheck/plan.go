package healthcheck

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/check"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/text/strictjson"
	"countersign/modules/healthcheck/healthcheckdb"
)

// planBatch is the number of systems in one planning batch.
const planBatch = 1000

// plan updates the targets after a change of checks, assignments, systems or environments. It runs in the transaction
// of that change, after all of its other locks; plans are serialised.
type plan struct {
	*service

	// check restricts a plan to the targets of one check; nil for all.
	check *uuid.UUID
	// saved reports that the check was saved rather than assigned; touched that its executed part has changed.
	saved, touched bool
	// changed are the systems with changed targets.
	changed map[uuid.UUID]bool
}

// planCheck plans after a change of a check or of all of its assignments.
func (s *service) planCheck(ctx context.Context, id uuid.UUID, touched bool) error {
	p := &plan{service: s, check: &id, saved: true, touched: touched, changed: map[uuid.UUID]bool{}}
	if err := s.queries(ctx).LockPlan(ctx); err != nil {
		return fmt.Errorf("wait for other plans: %w", err)
	}
	after := uuid.Nil
	for {
		rows, err := s.queries(ctx).AssignedOfCheck(ctx, healthcheckdb.AssignedOfCheckParams{CheckID: id, After: after, MaxRows: planBatch})
		if err != nil {
			return fmt.Errorf("list what is assigned: %w", err)
		}
		systems := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			systems[i] = row.SystemID
		}
		if err := p.follow(ctx, systems, rows); err != nil {
			return err
		}
		if len(rows) < planBatch {
			return p.updateSystemStates(ctx)
		}
		after = systems[len(systems)-1]
	}
}

// dropCheck deletes a check with its assignments and targets.
func (s *service) dropCheck(ctx context.Context, id uuid.UUID) error {
	p := &plan{service: s, check: &id, changed: map[uuid.UUID]bool{}}
	q := s.queries(ctx)
	if err := q.LockPlan(ctx); err != nil {
		return fmt.Errorf("wait for other plans: %w", err)
	}
	systems, err := q.DropTargetsOfCheck(ctx, id)
	if err != nil {
		return fmt.Errorf("drop targets: %w", err)
	}
	if _, err := q.ForgetStates(ctx, systems); err != nil {
		return fmt.Errorf("forget states: %w", err)
	}
	if _, err := q.DeleteCheck(ctx, id); err != nil {
		return fmt.Errorf("delete health check: %w", err)
	}
	for _, system := range systems {
		p.changed[system] = true
	}
	return p.updateSystemStates(ctx)
}

// planSystems plans after a change of systems, or of one check's assignments to them.
func (s *service) planSystems(ctx context.Context, systems []uuid.UUID, of *uuid.UUID) error {
	p := &plan{service: s, check: of, changed: map[uuid.UUID]bool{}}
	if err := s.queries(ctx).LockPlan(ctx); err != nil {
		return fmt.Errorf("wait for other plans: %w", err)
	}
	for batch := range slices.Chunk(systems, planBatch) {
		rows, err := s.queries(ctx).AssignedOfSystems(ctx, healthcheckdb.AssignedOfSystemsParams{SystemIds: batch, CheckID: of})
		if err != nil {
			return fmt.Errorf("list what is assigned: %w", err)
		}
		assigned := make([]healthcheckdb.AssignedOfCheckRow, len(rows))
		for i, row := range rows {
			assigned[i] = healthcheckdb.AssignedOfCheckRow(row)
		}
		if err := p.follow(ctx, batch, assigned); err != nil {
			return err
		}
	}
	return p.updateSystemStates(ctx)
}

// follow plans a batch: all targets of these systems, or of the check on them.
func (p *plan) follow(ctx context.Context, systems []uuid.UUID, assigned []healthcheckdb.AssignedOfCheckRow) error {
	if len(systems) == 0 {
		return nil
	}
	described, err := p.Systems.Describe(ctx, systems)
	if err != nil {
		return fmt.Errorf("describe systems: %w", err)
	}
	wanted, err := wantedTargets(assigned, described)
	if err != nil {
		return err
	}
	if err := p.guard(ctx, systems, assigned, &wanted); err != nil {
		return err
	}
	q := p.queries(ctx)
	dropped, err := q.DropTargets(ctx, healthcheckdb.DropTargetsParams{
		SystemIds:          systems,
		CheckID:            p.check,
		WantedChecks:       wanted.CheckIds,
		WantedSystems:      wanted.SystemIds,
		WantedEnvironments: wanted.EnvironmentIds,
	})
	if err != nil {
		return fmt.Errorf("drop targets: %w", err)
	}
	wanted.Shards, wanted.Touched = int32(p.Shards), p.touched
	unknown, err := q.Plan(ctx, wanted)
	if err != nil {
		return fmt.Errorf("plan targets: %w", err)
	}
	forgotten, err := q.ForgetStates(ctx, systems)
	if err != nil {
		return fmt.Errorf("forget states: %w", err)
	}
	for _, id := range slices.Concat(dropped, unknown, forgotten) {
		p.changed[id] = true
	}
	return p.locate(ctx, systems)
}

// wantedTargets returns the targets that assignments require.
func wantedTargets(assigned []healthcheckdb.AssignedOfCheckRow, described []System) (healthcheckdb.PlanParams, error) {
	systems := make(map[uuid.UUID]System, len(described))
	for _, s := range described {
		systems[s.Scope.ID] = s
	}
	var wanted healthcheckdb.PlanParams
	for _, a := range assigned {
		system, ok := systems[a.SystemID]
		if !ok {
			continue
		}
		scope := check.Scope{Check: check.CheckScope{ID: a.CheckID, Name: a.Name, IntervalSeconds: int(a.IntervalSeconds)}, System: system.Scope}
		for _, environment := range placesOf(a.EnvironmentIds, system.Environments) {
			scope.Environment = environment
			id := uuid.Nil
			if environment != nil {
				id = environment.ID
			}
			raw, err := json.Marshal(scope)
			if err != nil {
				return wanted, fmt.Errorf("write the scope of a target: %w", err)
			}
			addTarget(&wanted, place{a.CheckID, a.SystemID, id}, a.IntervalSeconds*1000, a.Enabled && !a.Paused, a.Thresholds, string(raw))
		}
	}
	return wanted, nil
}

// place is the system and environment of a target; the nil id is no environment.
type place struct{ check, system, environment uuid.UUID }

// addTarget adds a target.
func addTarget(wanted *healthcheckdb.PlanParams, at place, intervalMS int32, active bool, thresholds, scope string) {
	wanted.CheckIds = append(wanted.CheckIds, at.check)
	wanted.SystemIds = append(wanted.SystemIds, at.system)
	wanted.EnvironmentIds = append(wanted.EnvironmentIds, at.environment)
	wanted.Intervals = append(wanted.Intervals, intervalMS)
	wanted.Actives = append(wanted.Actives, active)
	wanted.Thresholds = append(wanted.Thresholds, thresholds)
	wanted.Scopes = append(wanted.Scopes, scope)
}

// guard prevents users without the right to use secrets from redirecting them by attributes of a system or an environment:
// targets of checks that send secrets by such attributes keep their values, and new ones are held until a user with the right
// saves or assigns the check. A change of another attribute by such a user does not release the assignment.
func (p *plan) guard(
	ctx context.Context,
	systems []uuid.UUID,
	assigned []healthcheckdb.AssignedOfCheckRow,
	wanted *healthcheckdb.PlanParams,
) error {
	may := principal.FromContext(ctx).Has(secretRead)
	decides := may && p.check != nil && (p.touched || !p.saved)
	checks, guarded := []uuid.UUID{}, map[place]bool{}
	for _, a := range assigned {
		if a.Guarded && !decides && (!may || a.Held) {
			checks, guarded[place{check: a.CheckID, system: a.SystemID}] = append(checks, a.CheckID), true
		}
	}
	held := map[place]bool{}
	if len(guarded) > 0 {
		rows, err := p.queries(ctx).PlannedScopes(ctx, healthcheckdb.PlannedScopesParams{SystemIds: systems, CheckIds: checks})
		if err != nil {
			return fmt.Errorf("list what targets name: %w", err)
		}
		*wanted, held = guardedTargets(*wanted, guarded, rows)
	}
	var set healthcheckdb.SetHeldParams
	for _, a := range assigned {
		if now := held[place{check: a.CheckID, system: a.SystemID}]; now != a.Held {
			set.CheckIds, set.SystemIds, set.Held = append(set.CheckIds, a.CheckID), append(set.SystemIds, a.SystemID), append(set.Held, now)
		}
	}
	if len(set.Held) == 0 {
		return nil
	}
	return store.Wrap("hold assignments", p.queries(ctx).SetHeld(ctx, set))
}

// guardedTargets returns the required targets, with the existing values of guarded ones. held are the assignments whose
// new values are not applied.
func guardedTargets(
	all healthcheckdb.PlanParams,
	guarded map[place]bool,
	rows []healthcheckdb.PlannedScopesRow,
) (healthcheckdb.PlanParams, map[place]bool) {
	scopes := make(map[place]string, len(rows))
	for _, row := range rows {
		at := place{check: row.CheckID, system: row.SystemID}
		if row.EnvironmentID != nil {
			at.environment = *row.EnvironmentID
		}
		scopes[at] = string(row.Scope)
	}
	held := map[place]bool{}
	var wanted healthcheckdb.PlanParams
	for i, id := range all.CheckIds {
		at, scope := place{id, all.SystemIds[i], all.EnvironmentIds[i]}, all.Scopes[i]
		if of := (place{check: id, system: at.system}); guarded[of] {
			kept, there := scopes[at]
			held[of] = held[of] || !there || !strictjson.Same(kept, scope)
			if !there {
				continue
			}
			scope = kept
		}
		addTarget(&wanted, at, all.Intervals[i], all.Actives[i], all.Thresholds[i], scope)
	}
	return wanted, held
}

// placesOf returns the environments in which a check of a system runs; nil stands for no environment. A nil chosen
// selects all of the system's.
func placesOf(chosen []uuid.UUID, all []check.EnvironmentScope) []*check.EnvironmentScope {
	if chosen != nil && len(chosen) == 0 || chosen == nil && len(all) == 0 {
		return []*check.EnvironmentScope{nil}
	}
	var places []*check.EnvironmentScope
	for i := range all {
		if chosen == nil || slices.Contains(chosen, all[i].ID) {
			places = append(places, &all[i])
		}
	}
	return places
}

// updateSystemStates updates the health of the systems from their current targets, and emits events for changed ones.
func (p *plan) updateSystemStates(ctx context.Context) error {
	ids := make([]uuid.UUID, 0, len(p.changed))
	for id := range p.changed {
		ids = append(ids, id)
	}
	store.SortIDs(ids)
	for batch := range slices.Chunk(ids, planBatch) {
		if err := p.updateStateBatch(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) updateStateBatch(ctx context.Context, systems []uuid.UUID) error {
	q := p.queries(ctx)
	// Systems whose status was unknown stay unknown.
	known, err := q.KnownSystems(ctx, systems)
	if err != nil || len(known) == 0 {
		return store.Wrap("read states of systems", err)
	}
	now, err := q.NowMS(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	return store.Wrap("recompute systems", p.Settler.Recompute(ctx, known, now))
}

// moment converts milliseconds to a time, zero for none.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
