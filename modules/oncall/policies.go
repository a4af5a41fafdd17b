package oncall

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/access"
	"countersign/internal/calendar"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/oncall/escalation"
	"countersign/modules/oncall/oncalldb"
)

// severities are those of incidents.
var severities = []string{"minor", "major", "critical"}

func (v *validation) policy(n NewPolicy) NewPolicy {
	n.Name, n.Description = v.names(n.Name, n.Description)
	n.TeamID = given(n.TeamID)
	if n.Zone == "" {
		n.Zone = "UTC"
	}
	if n.BetweenSeconds == 0 {
		n.BetweenSeconds = escalation.DefaultBetween
	}
	zone := v.zone(n.Zone)
	if n.Repeats < 0 || n.Repeats > escalation.MaxRepeats {
		v.Report("repeats", "must be 0 to %d", escalation.MaxRepeats)
	}
	if n.BetweenSeconds < 1 || n.BetweenSeconds > escalation.MaxDelay {
		v.Report("betweenSeconds", "must be 1 to %d", escalation.MaxDelay)
	}
	n.Severities = slices.Clone(n.Severities)
	slices.SortFunc(n.Severities, func(a, b string) int { return slices.Index(severities, a) - slices.Index(severities, b) })
	n.Severities = append([]string{}, slices.Compact(n.Severities)...)
	for _, s := range n.Severities {
		if !slices.Contains(severities, s) {
			v.Report("severities", "must be minor, major or critical")
		}
	}
	if len(n.Steps) == 0 || len(n.Steps) > escalation.MaxSteps {
		v.Report("steps", "must have 1 to %d entries", escalation.MaxSteps)
		return n
	}
	n.Steps = slices.Clone(n.Steps)
	for i := range n.Steps {
		step, path := &n.Steps[i], fmt.Sprintf("steps[%d]", i)
		if step.DelaySeconds < 0 || step.DelaySeconds > escalation.MaxDelay {
			v.Report(path+".delaySeconds", "must be 0 to %d", escalation.MaxDelay)
		}
		if step.Hours != "" {
			if _, err := calendar.ParseQuietHours(step.Hours, zone); err != nil {
				issue := calendar.Issue(path+".hours", err)
				v.Report(issue.Path, "%s", issue.Message)
			}
		}
		step.Targets = v.targets(path+".targets", step.Targets)
	}
	return n
}

func (v *validation) targets(path string, targets []escalation.Target) []escalation.Target {
	if len(targets) > escalation.MaxTargets {
		v.Report(path, "has %d entries, at most %d are allowed", len(targets), escalation.MaxTargets)
		return targets
	}
	kept := []escalation.Target{}
	for i, t := range targets {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch t.Kind {
		case escalation.Channels:
			t.ID = uuid.Nil
		case escalation.Person, escalation.Members, escalation.Team, escalation.Schedule:
			if t.ID == uuid.Nil {
				v.Report(at+".id", "must name whom to call")
			}
		default:
			v.Report(at+".kind", "must be person, members, team, schedule or channels")
		}
		if !slices.Contains(kept, t) {
			kept = append(kept, t)
		}
	}
	return kept
}

// references are the ids that targets name.
type references struct{ people, teams, schedules []uuid.UUID }

func referencesOf(steps []escalation.Step) (r references) {
	for _, step := range steps {
		for _, t := range step.Targets {
			switch t.Kind {
			case escalation.Person:
				r.people = append(r.people, t.ID)
			case escalation.Members, escalation.Team:
				r.teams = append(r.teams, t.ID)
			case escalation.Schedule:
				r.schedules = append(r.schedules, t.ID)
			case escalation.Channels:
			}
		}
	}
	return r
}

// checkTargets refuses targets that do not exist. known are the steps before the change.
func (s *service) checkTargets(ctx context.Context, v *validation, steps, known []escalation.Step) error {
	refs, before := referencesOf(steps), referencesOf(known)
	n, err := s.lookUp(ctx, refs.people, refs.teams)
	if err != nil {
		return err
	}
	schedules, err := s.schedulesByID(ctx, refs.schedules)
	if err != nil {
		return err
	}
	for i, step := range steps {
		for k, t := range step.Targets {
			var exists bool
			switch t.Kind {
			case escalation.Person:
				_, exists = n.people[t.ID]
				exists = exists || slices.Contains(before.people, t.ID)
			case escalation.Members, escalation.Team:
				_, exists = n.teams[t.ID]
				exists = exists || slices.Contains(before.teams, t.ID)
			case escalation.Schedule:
				_, exists = schedules[t.ID]
				exists = exists || slices.Contains(before.schedules, t.ID)
			case escalation.Channels:
				exists = true
			}
			if !exists {
				v.Report(fmt.Sprintf("steps[%d].targets[%d].id", i, k), "names no %s: %s", t.Kind, t.ID)
			}
		}
	}
	return nil
}

func (s *service) schedulesByID(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]oncalldb.OncallSchedule, error) {
	found := map[uuid.UUID]oncalldb.OncallSchedule{}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := s.queries(ctx).SchedulesByID(ctx, unique(ids))
	if err != nil {
		return nil, fmt.Errorf("look schedules up: %w", err)
	}
	for _, row := range rows {
		found[row.ID] = row
	}
	return found, nil
}

// CreatePolicy creates a policy.
func (s *service) CreatePolicy(ctx context.Context, n NewPolicy) (Policy, error) {
	var v validation
	n = v.policy(n)
	if err := v.Err(); err != nil {
		return Policy{}, err
	}
	if err := creatable(ctx, policyKind, n.TeamID); err != nil {
		return Policy{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Policy, error) {
		if err := s.checkDefault(ctx, n.Default, nil); err != nil {
			return Policy{}, err
		}
		if err := s.checkTeam(ctx, &v.Issues, n.TeamID); err != nil {
			return Policy{}, err
		}
		if err := s.checkTargets(ctx, &v, n.Steps, nil); err != nil {
			return Policy{}, err
		}
		if err := v.Err(); err != nil {
			return Policy{}, err
		}
		row, err := s.queries(ctx).CreatePolicy(ctx, oncalldb.CreatePolicyParams{
			ID: store.NewID(), Name: n.Name, NameKey: text.Key(n.Name), Description: n.Description, TeamID: n.TeamID, Zone: n.Zone,
			Steps: n.Steps, Repeats: int32(n.Repeats), BetweenSeconds: int32(n.BetweenSeconds), Severities: n.Severities,
			IsDefault: n.Default, IsEnabled: !n.Disabled,
		})
		if err != nil {
			return Policy{}, policyTaken(err, n.Name)
		}
		if err := record(ctx, s.db, audit.Created, policyObject(row.ID, row.Name), "Escalation policy created", nil); err != nil {
			return Policy{}, err
		}
		if err := s.policyChanged(ctx, row.ID, row.Name); err != nil {
			return Policy{}, err
		}
		return s.showPolicy(ctx, row)
	})
}

// checkDefault refuses a caller who may not decide about all incidents: the default policy is for those of all teams.
func (s *service) checkDefault(ctx context.Context, now bool, before *oncalldb.OncallPolicy) error {
	was := before != nil && before.IsDefault
	if now == was || levelOf(ctx, nil) == access.Own {
		return nil
	}
	return problem.MissingRule("decide which escalation policy is the default", Manage)
}

func policyTaken(err error, name string) error {
	if store.Violates(err, "oncall_policies_default") {
		return problem.Errorf(problem.Conflict, "Another escalation policy is the default. Take that from it first.")
	}
	return taken(fmt.Errorf("write policy: %w", err), policyKind, "oncall_policies_name", name)
}

// holdPolicy locks a policy for a change by the caller.
func (s *service) holdPolicy(ctx context.Context, id uuid.UUID, based *int64) (oncalldb.OncallPolicy, error) {
	row, err := s.queries(ctx).LockPolicy(ctx, id)
	if row, err = see(ctx, policyKind, id, row, err); err != nil {
		return row, err
	}
	if err := policyKind.Permit(row.Name, levelOf(ctx, row.TeamID), access.Own); err != nil {
		return row, err
	}
	return row, problem.CheckRevision("escalation policy "+row.Name, row.Revision, based)
}

// Policy returns one policy.
func (s *service) Policy(ctx context.Context, id uuid.UUID) (Policy, error) {
	row, err := s.queries(ctx).Policy(ctx, id)
	if row, err = see(ctx, policyKind, id, row, err); err != nil {
		return Policy{}, err
	}
	return s.showPolicy(ctx, row)
}

// PolicyTeam returns the team of a policy that the caller may see, nil for a policy without one.
func (m *Module) PolicyTeam(ctx context.Context, id uuid.UUID) (*uuid.UUID, error) {
	row, err := m.service.queries(ctx).Policy(ctx, id)
	row, err = see(ctx, policyKind, id, row, err)
	return row.TeamID, err
}

// Policies returns a page of policies by name.
func (s *service) Policies(ctx context.Context, team *uuid.UUID, page rest.Page) ([]Policy, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	after, err := page.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).Policies(ctx, oncalldb.PoliciesParams{After: after, TeamID: team, MaxRows: page.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list policies: %w", err)
	}
	rows, next := rest.Cut(page, rows, func(r oncalldb.OncallPolicy) string { return r.NameKey })
	list, err := s.showPolicies(ctx, rows...)
	return list, next, err
}

// fieldsOf are the fields of a policy that a change can replace.
func fieldsOf(row oncalldb.OncallPolicy) NewPolicy {
	return NewPolicy{
		Name: row.Name, Description: row.Description, TeamID: row.TeamID, Zone: row.Zone, Steps: row.Steps, Repeats: int(row.Repeats),
		BetweenSeconds: int(row.BetweenSeconds), Severities: row.Severities, Default: row.IsDefault, Disabled: !row.IsEnabled,
	}
}

// UpdatePolicy changes a policy. A change without effect keeps the revision.
func (s *service) UpdatePolicy(ctx context.Context, id uuid.UUID, c PolicyChange, based *int64) (Policy, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Policy, error) {
		row, err := s.holdPolicy(ctx, id, based)
		if err != nil {
			return Policy{}, err
		}
		was := fieldsOf(row)
		var v validation
		now := v.policy(c.over(was))
		if err := v.Err(); err != nil {
			return Policy{}, err
		}
		fields := policyChanges(was, now)
		if len(fields) == 0 {
			return s.showPolicy(ctx, row)
		}
		if err := s.checkChange(ctx, row, was, now); err != nil {
			return Policy{}, err
		}
		row, err = s.queries(ctx).UpdatePolicy(ctx, oncalldb.UpdatePolicyParams{
			ID: id, Name: now.Name, NameKey: text.Key(now.Name), Description: now.Description, TeamID: now.TeamID, Zone: now.Zone,
			Steps: now.Steps, Repeats: int32(now.Repeats), BetweenSeconds: int32(now.BetweenSeconds), Severities: now.Severities,
			IsDefault: now.Default, IsEnabled: !now.Disabled,
		})
		if err != nil {
			return Policy{}, policyTaken(err, now.Name)
		}
		if err := record(ctx, s.db, audit.Changed, policyObject(id, row.Name), "Escalation policy changed", fields); err != nil {
			return Policy{}, err
		}
		if err := s.policyChanged(ctx, row.ID, row.Name); err != nil {
			return Policy{}, err
		}
		return s.showPolicy(ctx, row)
	})
}

// checkChange refuses a change of a locked policy that the caller may not make, or that names what does not exist.
func (s *service) checkChange(ctx context.Context, row oncalldb.OncallPolicy, was, now NewPolicy) error {
	if err := s.checkDefault(ctx, now.Default, &row); err != nil {
		return err
	}
	var v validation
	if store.Value(was.TeamID) != store.Value(now.TeamID) {
		if err := creatable(ctx, policyKind, now.TeamID); err != nil {
			return err
		}
		if err := takenOver(ctx, now.TeamID); err != nil {
			return err
		}
		if err := s.checkTeam(ctx, &v.Issues, now.TeamID); err != nil {
			return err
		}
	}
	if err := s.checkTargets(ctx, &v, now.Steps, was.Steps); err != nil {
		return err
	}
	return v.Err()
}

// takenOver refuses a caller who may not decide where messages of a team go: the channels of a policy come with it, wherever
// others have let them lead, and are sent what its team may see.
func takenOver(ctx context.Context, team *uuid.UUID) error {
	p := principal.FromContext(ctx)
	if team == nil || p.Has(principal.Admin) || slices.Contains(p.TeamIDs, *team) {
		return nil
	}
	return problem.Errorf(problem.Forbidden,
		"The channels of a policy are sent what its team may see. Only members of the other team and administrators may give it the "+
			"policy. Create another one for that team.")
}

func policyChanges(was, now NewPolicy) (fields audit.Fields) {
	fields.Compare("name", was.Name, now.Name)
	fields.Compare("zone", was.Zone, now.Zone)
	fields.Compare("repeats", was.Repeats, now.Repeats)
	fields.Compare("betweenSeconds", was.BetweenSeconds, now.BetweenSeconds)
	fields.Compare("severities", append([]string{}, was.Severities...), now.Severities)
	fields.Compare("default", was.Default, now.Default)
	fields.Compare("enabled", !was.Disabled, !now.Disabled)
	fields.Mention("description", was.Description != now.Description)
	fields.Mention("teamId", store.Value(was.TeamID) != store.Value(now.TeamID))
	fields.Mention("steps", !slices.EqualFunc(was.Steps, now.Steps, func(a, b escalation.Step) bool {
		return a.DelaySeconds == b.DelaySeconds && a.Hours == b.Hours && slices.Equal(a.Targets, b.Targets)
	}))
	return fields
}

// DeletePolicy deletes a policy. Its escalations end.
func (s *service) DeletePolicy(ctx context.Context, id uuid.UUID, based *int64) error {
	return s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.holdPolicy(ctx, id, based)
		if err != nil {
			return err
		}
		if err := s.checkDefault(ctx, false, &row); err != nil {
			return err
		}
		if _, err := s.queries(ctx).DeletePolicy(ctx, id); err != nil {
			return fmt.Errorf("delete policy: %w", err)
		}
		if err := s.removed.Notify(ctx, policyType, id); err != nil {
			return err
		}
		if err := s.policyChanged(ctx, id, row.Name); err != nil {
			return err
		}
		return record(ctx, s.db, audit.Deleted, policyObject(id, row.Name), "Escalation policy deleted", nil)
	})
}

func (s *service) showPolicy(ctx context.Context, row oncalldb.OncallPolicy) (Policy, error) {
	list, err := s.showPolicies(ctx, row)
	if err != nil {
		return Policy{}, err
	}
	return list[0], nil
}

// showPolicies returns policies as the caller sees them.
func (s *service) showPolicies(ctx context.Context, rows ...oncalldb.OncallPolicy) ([]Policy, error) {
	var all references
	ids := make([]uuid.UUID, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		refs := referencesOf(row.Steps)
		all.people, all.teams = append(all.people, refs.people...), append(all.teams, refs.teams...)
		all.schedules = append(all.schedules, refs.schedules...)
		if row.TeamID != nil {
			all.teams = append(all.teams, *row.TeamID)
		}
	}
	reach, err := s.reach(ctx, all, ids...)
	if err != nil {
		return nil, err
	}
	list := make([]Policy, len(rows))
	for i, row := range rows {
		list[i] = Policy{
			ID: row.ID, Name: row.Name, Description: row.Description, Team: reach.team(row.TeamID), Zone: row.Zone, Steps: row.Steps,
			Repeats: int(row.Repeats), BetweenSeconds: int(row.BetweenSeconds), Severities: row.Severities, Default: row.IsDefault,
			Enabled: row.IsEnabled, Targets: reach.targets(row.Steps), Warnings: append(unused(row), reach.warnings(row.ID, row.Steps)...),
			Access: levelOf(ctx, row.TeamID), Revised: rest.Revised{Revision: row.Revision}, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		}
	}
	return list, nil
}
