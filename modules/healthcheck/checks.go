package healthcheck

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/healthcheck/healthcheckdb"
)

// Filter restricts a list of checks; empty fields do not.
type Filter struct {
	// Query matches parts of names and descriptions.
	Query string
	// Name matches a whole name in any case.
	Name     string
	Strategy string
	SystemID *uuid.UUID
}

// Checks lists the checks whose configuration the caller may see, by name.
func (s *service) Checks(ctx context.Context, f Filter, page rest.Page) ([]Check, rest.Next, error) {
	sight, _, err := checkKind.Listing(ctx, s.DB)
	if err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	var v validation
	name, search := text.Query(&v.Issues, "name", f.Name), text.Query(&v.Issues, "query", f.Query)
	text.Query(&v.Issues, "strategyId", f.Strategy)
	if err := v.Err(); err != nil {
		return nil, rest.Next{}, err
	}
	if f.SystemID != nil {
		if _, err := s.system(ctx, *f.SystemID, "systemId"); err != nil {
			return nil, rest.Next{}, err
		}
	}
	byGrants := !sight.Every() && name == ""
	params := healthcheckdb.ChecksParams{
		After: after, MaxRows: page.Rows(), NameKey: name, Search: search, Strategy: f.Strategy, SystemID: f.SystemID, ByGrants: byGrants,
		ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	}
	if search == "" && f.Strategy == "" && f.SystemID == nil {
		params.Depth = new(int64(page.Rows()))
	}
	rows, err := healthcheckdb.New(s.DB.CustomPlans(ctx)).Checks(ctx, params)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list health checks: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(row healthcheckdb.HealthCheck) string { return row.NameKey })
	list, err := s.assemble(ctx, rows...)
	return list, next, err
}

// Check returns one check.
func (s *service) Check(ctx context.Context, id uuid.UUID) (Check, error) {
	row, err := s.checks.See(ctx, id)
	if err != nil {
		return Check{}, err
	}
	list, err := s.assemble(ctx, row)
	if err != nil {
		return Check{}, err
	}
	return list[0], nil
}

// assemble adds related data to checks, in a fixed number of queries for any number of checks.
func (s *service) assemble(ctx context.Context, rows ...healthcheckdb.HealthCheck) ([]Check, error) {
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	levels, err := checkKind.Sight(ctx).Levels(ctx, s.DB, ids...)
	if err != nil || len(rows) == 0 {
		return []Check{}, err
	}
	list := make([]Check, len(rows))
	at := make(map[uuid.UUID]*Check, len(rows))
	clock := s.clock(ctx)
	for i, row := range rows {
		d, err := definitionOf(row.Definition, int(row.IntervalSeconds))
		if err != nil {
			return nil, err
		}
		d = placed(d, row.Locations, row.LocationRule)
		list[i] = Check{
			ID:          row.ID,
			Name:        row.Name,
			Description: row.Description,
			Definition:  d,
			Paused:      row.Paused,
			Secrets:     row.Secrets,
			Warnings:    d.warnings(s.Kinds),
			Access:      levels[row.ID],
			Revised:     rest.Revised{Revision: row.Revision},
			CreatedAt:   row.CreatedAt,
			UpdatedAt:   row.UpdatedAt,
		}
		if list[i].Schedule, err = d.schedule(clock); err != nil {
			return nil, err
		}
		at[row.ID] = &list[i]
	}
	return list, s.count(ctx, ids, at)
}

// count adds to the checks the number of assigned systems and of their statuses, as far as the caller sees the systems.
func (s *service) count(ctx context.Context, ids []uuid.UUID, at map[uuid.UUID]*Check) error {
	sight := s.Systems.Sight(ctx)
	systems, err := s.queries(ctx).CountSystems(ctx, healthcheckdb.CountSystemsParams{
		CheckIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return fmt.Errorf("count systems of checks: %w", err)
	}
	for _, row := range systems {
		at[row.CheckID].Systems = int(row.Systems)
	}
	mayKnow, err := statusKind.Sight(ctx).Levels(ctx, s.DB, ids...)
	if err != nil {
		return err
	}
	for id := range mayKnow {
		at[id].Statuses = &StatusCounts{}
	}
	statuses, err := s.queries(ctx).CountStatuses(ctx, healthcheckdb.CountStatusesParams{
		CheckIds: ids, ByRule: sight.Every(), SubjectType: sight.SubjectType, SubjectID: sight.SubjectID, TeamIds: sight.TeamIDs,
	})
	if err != nil {
		return fmt.Errorf("count statuses of checks: %w", err)
	}
	for _, row := range statuses {
		if counts := at[row.CheckID].Statuses; counts != nil {
			counts.add(row.Status, int(row.Targets))
		}
	}
	return nil
}

// system finds a system that an input names. A missing one is an issue of the input.
func (s *service) system(ctx context.Context, id uuid.UUID, path string) (access.Record, error) {
	found, err := s.Systems.Lookup(ctx, []uuid.UUID{id})
	if err != nil {
		return access.Record{}, fmt.Errorf("look up system: %w", err)
	}
	system, ok := found[id]
	if !ok {
		message := fmt.Sprintf("No system has the id %s. List the systems to see what exists.", id)
		return system, problem.InvalidInput(message, problem.Issue{Path: path, Message: "names no system"})
	}
	return system, nil
}

// Create creates a check, and assigns it when a system is named.
func (s *service) Create(ctx context.Context, in NewCheck) (Check, error) {
	if err := checkKind.Creatable(ctx); err != nil {
		return Check{}, err
	}
	v := validation{scripts: s.Scripts}
	in = v.check(ctx, s.Kinds, in)
	if err := v.err(); err != nil {
		return Check{}, err
	}
	if err := permitSecrets(principal.FromContext(ctx), nil, &in); err != nil {
		return Check{}, err
	}
	if err := s.permitDisclosure(ctx, nil, nil, &in); err != nil {
		return Check{}, err
	}
	if err := s.secretsExist(ctx, in.Definition); err != nil {
		return Check{}, err
	}
	id, key := store.NewID(), text.Key(in.Name)
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Check, error) {
		var err error
		if in.Definition, err = s.located(ctx, in.Definition); err != nil {
			return Check{}, err
		}
		created, err := s.queries(ctx).CreateCheck(ctx, healthcheckdb.CreateCheckParams{
			ID: id, Name: in.Name, NameKey: key, Description: in.Description, Strategy: in.StrategyID, Definition: in.configuration(),
			Secrets: in.secrets(), Guarded: in.guarded(s.Kinds), IntervalSeconds: int32(in.Interval), Paused: in.Paused,
			Locations: in.Locations, LocationRule: in.rule(),
		})
		if err := s.checks.Created(ctx, created, err, in.Name, key); err != nil {
			return Check{}, err
		}
		if err := s.record(ctx, audit.Created, access.Head{ID: id, Name: in.Name}, "Health check created", nil); err != nil {
			return Check{}, err
		}
		if in.AssignToSystemID != nil {
			if err := s.assignNew(ctx, id, *in.AssignToSystemID); err != nil {
				return Check{}, err
			}
		}
		return s.Check(ctx, id)
	})
}

// assignNew assigns a new check in all environments of the system.
func (s *service) assignNew(ctx context.Context, id, system uuid.UUID) error {
	if _, err := s.system(ctx, system, "assignToSystemId"); err != nil {
		return err
	}
	row, err := s.queries(ctx).LockCheck(ctx, id)
	if err != nil {
		return fmt.Errorf("load a health check: %w", err)
	}
	_, err = s.assign(ctx, row, system, AssignmentChoice{})
	return err
}

// Update changes a check. An update without a difference leaves the revision unchanged.
func (s *service) Update(ctx context.Context, id uuid.UUID, c CheckChange, based *int64) (Check, error) {
	if c.Collectors != nil {
		// The compiler keeps what it finds, so that the row is not locked while it works.
		warm := validation{scripts: s.Scripts}
		warm.sources(ctx, s.Kinds, Definition{Collectors: *c.Collectors})
	}
	return store.InTx(ctx, s.DB, func(ctx context.Context) (Check, error) {
		err := s.checks.Change(ctx, id, access.Edit, based, func(ctx context.Context, row healthcheckdb.HealthCheck) (bool, error) {
			return s.change(ctx, row, c)
		})
		if err != nil {
			return Check{}, err
		}
		return s.Check(ctx, id)
	})
}

func (s *service) change(ctx context.Context, row healthcheckdb.HealthCheck, c CheckChange) (bool, error) {
	d, err := definitionOf(row.Definition, int(row.IntervalSeconds))
	if err != nil {
		return false, err
	}
	before := NewCheck{
		Name: row.Name, Description: row.Description, Definition: placed(d, row.Locations, row.LocationRule), Paused: row.Paused,
	}
	v := validation{scripts: s.Scripts, stored: &before.Definition}
	next := v.check(ctx, s.Kinds, c.over(before))
	if err := v.err(); err != nil {
		return false, err
	}
	if err := permitSecrets(principal.FromContext(ctx), &before, &next); err != nil {
		return false, err
	}
	if err := s.permitDisclosure(ctx, &row.ID, &before, &next); err != nil {
		return false, err
	}
	// A deleted secret does not prevent other changes, such as of the name.
	if !slices.Equal(before.secrets(), next.secrets()) {
		if err := s.secretsExist(ctx, next.Definition); err != nil {
			return false, err
		}
	}
	if !slices.Equal(before.Locations, next.Locations) {
		if next.Definition, err = s.located(ctx, next.Definition); err != nil {
			return false, err
		}
	}
	key := text.Key(next.Name)
	if err := s.checks.Free(ctx, next.Name, key, row.ID); err != nil {
		return false, err
	}
	n, err := s.queries(ctx).UpdateCheck(ctx, healthcheckdb.UpdateCheckParams{
		ID: row.ID, Name: next.Name, NameKey: key, Description: next.Description, Strategy: next.StrategyID, Definition: next.configuration(),
		Secrets: next.secrets(), Guarded: next.guarded(s.Kinds), IntervalSeconds: int32(next.Interval), Paused: next.Paused,
		Locations: next.Locations, LocationRule: next.rule(),
	})
	if err != nil || n == 0 {
		return false, checkKind.Updated(err, next.Name, "health_checks_name_key")
	}
	if err := s.record(
		ctx,
		audit.Changed,
		access.Head{ID: row.ID, Name: next.Name},
		"Health check changed",
		changedFields(before, next),
	); err != nil {
		return false, err
	}
	touched := before.Interval != next.Interval || before.Name != next.Name || !reflect.DeepEqual(before.configuration(), next.configuration())
	moved := !slices.Equal(before.Locations, next.Locations) || before.LocationRule != next.LocationRule
	if !touched && !moved && before.Paused == next.Paused {
		return true, nil
	}
	return true, s.planCheck(ctx, row.ID, touched)
}

func changedFields(before, next NewCheck) audit.Fields {
	var fields audit.Fields
	fields.Compare("name", before.Name, next.Name)
	fields.Mention("description", before.Description != next.Description)
	fields.Compare("strategyId", before.StrategyID, next.StrategyID)
	fields.Compare("intervalSeconds", before.Interval, next.Interval)
	fields.Compare("paused", before.Paused, next.Paused)
	fields.Mention("config", !reflect.DeepEqual(before.Config, next.Config))
	fields.Mention("collectors", !reflect.DeepEqual(before.Collectors, next.Collectors))
	fields.Mention("locations", !slices.Equal(before.Locations, next.Locations))
	fields.Compare("locationRule", before.LocationRule, next.LocationRule)
	fields.Mention("keptFields", !reflect.DeepEqual(before.Kept, next.Kept))
	return fields
}

// PausedChoice is the paused state of a check.
type PausedChoice struct {
	Paused bool `json:"paused"`
}

// SetPaused pauses or resumes a check.
func (s *service) SetPaused(ctx context.Context, id uuid.UUID, in PausedChoice, based *int64) (Check, error) {
	return s.Update(ctx, id, CheckChange{Paused: &in.Paused}, based)
}

// Delete deletes a check with its assignments and history; NotFound without one.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.DB.InTx(ctx, func(ctx context.Context) error {
		row, err := s.checks.Hold(ctx, id, access.Own, based)
		if err != nil {
			return err
		}
		if err := s.dropCheck(ctx, id); err != nil {
			return err
		}
		if err := s.Grants.Remove(ctx, ObjectType, id); err != nil {
			return fmt.Errorf("remove grants: %w", err)
		}
		return s.record(ctx, audit.Deleted, access.Head{ID: id, Name: row.Name}, "Health check deleted, with its assignments and grants", nil)
	})
}

// Verdict is the result of a validation.
type Verdict struct {
	Valid  bool            `json:"valid"`
	Errors []problem.Issue `json:"errors" nullable:"false"`
	// Schedule is there as soon as it can be read, whatever else is wrong.
	Schedule *Schedule `json:"schedule,omitempty"`
}

// Validate lists the problems of a definition. It stores nothing.
func (s *service) Validate(ctx context.Context, d Definition) (Verdict, error) {
	v := validation{scripts: s.Scripts}
	d = v.definition(ctx, s.Kinds, d)
	if v.failed != nil {
		return Verdict{}, v.failed
	}
	if v.Count() == 0 {
		if err := v.Absorb(s.secretsExist(ctx, d)); err != nil {
			return Verdict{}, err
		}
		if _, err := s.located(ctx, d); err != nil {
			if err := v.Absorb(err); err != nil {
				return Verdict{}, err
			}
		}
	}
	verdict := Verdict{Valid: true, Errors: []problem.Issue{}}
	if err := v.Err(); err != nil {
		verdict = Verdict{Errors: problem.As(err).Issues}
	}
	var err error
	verdict.Schedule, err = d.schedule(s.clock(ctx))
	return verdict, err
}
