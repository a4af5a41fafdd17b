package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/automation/definition"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/automation/automationdb"
)

var automationKind = access.Kind{Noun: "automation", Plural: "automations", Read: Read, Manage: Manage}

// readable refuses a caller whose rules open nothing here.
func readable(ctx context.Context) error {
	if p := principal.FromContext(ctx); p.Has(Read) || p.Has(Manage) {
		return nil
	}
	return problem.MissingRule("see automations", Read)
}

// changeable refuses a caller who may not change automations.
func changeable(ctx context.Context) error {
	if principal.FromContext(ctx).Has(Manage) {
		return nil
	}
	return problem.MissingRule("change automations", Manage)
}

// see finds an automation that the caller may read.
func (s *service) see(ctx context.Context, id uuid.UUID) (automationdb.Automation, error) {
	if err := readable(ctx); err != nil {
		return automationdb.Automation{}, err
	}
	row, err := s.queries(ctx).Automation(ctx, id)
	if store.NoRows(err) {
		return row, automationKind.Missing(id)
	}
	if err != nil {
		return row, fmt.Errorf("read automation %s: %w", id, err)
	}
	return row, nil
}

// hold locks an automation that the caller may change, at the revision that the change is based on.
func (s *service) hold(ctx context.Context, id uuid.UUID, based *int64) (automationdb.Automation, error) {
	if _, err := s.see(ctx, id); err != nil {
		return automationdb.Automation{}, err
	}
	if err := changeable(ctx); err != nil {
		return automationdb.Automation{}, err
	}
	row, err := s.queries(ctx).HoldAutomation(ctx, id)
	if store.NoRows(err) {
		return row, automationKind.Missing(id)
	}
	if err != nil {
		return row, fmt.Errorf("hold automation %s: %w", id, err)
	}
	return row, problem.CheckRevision("automation "+row.Name, row.Revision, based)
}

// Automation reads an automation.
func (s *service) Automation(ctx context.Context, id uuid.UUID) (Automation, error) {
	row, err := s.see(ctx, id)
	if err != nil {
		return Automation{}, err
	}
	listed, err := s.listed(ctx, []automationdb.Automation{row})
	if err != nil {
		return Automation{}, err
	}
	stored, err := s.revision(ctx, id, row.DefinitionRevision)
	if err != nil {
		return Automation{}, err
	}
	shown := Automation{Listed: listed[0], Text: stored.Text}
	if err := json.Unmarshal(stored.Compiled, &shown.Definition); err != nil {
		return Automation{}, fmt.Errorf("read the definition of automation %s: %w", id, err)
	}
	return shown, nil
}

// Automations lists automations by name.
func (s *service) Automations(ctx context.Context, q automationQuery) ([]Listed, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	after, err := q.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	rows, err := s.queries(ctx).Automations(ctx, automationdb.AutomationsParams{
		After: after, Status: q.Status, GroupName: q.Group, Query: text.Key(q.Query), MaxRows: q.Rows(),
	})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list automations: %w", err)
	}
	rows, next := rest.Cut(q.Page, rows, func(r automationdb.Automation) string { return r.NameKey })
	listed, err := s.listed(ctx, rows)
	return listed, next, err
}

// runsOfAList is the number of last runs of each automation in a list.
const runsOfAList = 20

func (s *service) listed(ctx context.Context, rows []automationdb.Automation) ([]Listed, error) {
	list := make([]Listed, len(rows))
	ids, applications := make([]uuid.UUID, len(rows)), make([]uuid.UUID, len(rows))
	place, level := map[uuid.UUID]int{}, access.View
	if principal.FromContext(ctx).Has(Manage) {
		level = access.Own
	}
	for n, r := range rows {
		ids[n], applications[n], place[r.ID] = r.ID, r.RunAs, n
		list[n] = Listed{
			ID: r.ID, Name: r.Name, Description: r.Description, Group: r.GroupName, Status: r.Status, DisabledReason: r.DisabledReason,
			RunAs: Named{ID: r.RunAs}, DefinitionRevision: r.DefinitionRevision, Triggers: []string{}, LastRuns: []LastRun{}, Access: level,
			Revision: r.Revision, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		}
	}
	names, err := s.Applications.Names(ctx, applications)
	if err != nil {
		return nil, fmt.Errorf("name applications: %w", err)
	}
	q := s.queries(ctx)
	last, err := q.LastRuns(ctx, automationdb.LastRunsParams{Automations: ids, Most: runsOfAList})
	if err != nil {
		return nil, fmt.Errorf("read last runs: %w", err)
	}
	slots, err := q.NextSlots(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read schedules: %w", err)
	}
	compiled, err := q.CompiledOf(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read definitions: %w", err)
	}
	for n := range list {
		list[n].RunAs.Name = names[list[n].RunAs.ID]
	}
	for _, r := range last {
		l := &list[place[r.AutomationID]]
		l.LastRuns = append(l.LastRuns, LastRun{r.ID, r.Status, r.CreatedAt, r.EndedAt})
	}
	for _, slot := range slots {
		if l := &list[place[slot.AutomationID]]; l.Status == Enabled {
			l.NextDue = &slot.NextAt
		}
	}
	for _, c := range compiled {
		var def definition.Definition
		if err := json.Unmarshal(c.Compiled, &def); err != nil {
			return nil, fmt.Errorf("read the definition of automation %s: %w", c.AutomationID, err)
		}
		l := &list[place[c.AutomationID]]
		for _, t := range def.Triggers {
			l.Triggers = append(l.Triggers, t.Event)
		}
	}
	return list, nil
}

// Revisions lists the definitions of an automation, newest first.
func (s *service) Revisions(ctx context.Context, id uuid.UUID, p rest.Page) ([]Revision, rest.Next, error) {
	if _, err := s.see(ctx, id); err != nil {
		return nil, rest.Next{}, err
	}
	before := int64(math.MaxInt64)
	after, err := p.After()
	if err == nil && after != "" {
		before, err = strconv.ParseInt(after, 10, 64)
	}
	if err != nil {
		return nil, rest.Next{}, problem.UnknownCursor()
	}
	rows, err := s.queries(ctx).Revisions(ctx, automationdb.RevisionsParams{AutomationID: id, Before: before, MaxRows: p.Rows()})
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list revisions of automation %s: %w", id, err)
	}
	rows, next := rest.Cut(p, rows, func(r automationdb.AutomationRevision) string { return fmt.Sprint(r.Revision) })
	authors := make([]uuid.UUID, len(rows))
	for n, r := range rows {
		authors[n] = r.AuthorID
	}
	names, err := s.Names.Names(ctx, authors)
	if err != nil {
		return nil, next, fmt.Errorf("name authors: %w", err)
	}
	list := make([]Revision, len(rows))
	for n, r := range rows {
		list[n] = Revision{r.Revision, r.Text, r.RunAs, Named{r.AuthorID, names[r.AuthorID]}, r.CreatedAt}
	}
	return list, next, nil
}

// object is the automation in the audit log.
func object(row automationdb.Automation) audit.Ref {
	return audit.Object(automationType, row.ID, row.Name)
}

const automationType = "automation.automation"

var audited = audit.Declare(audit.Type{
	ID: automationType, Label: "Automation", Plural: "Automations", Page: "/automations/{id}",
	Kept: []string{"name", "status", "definitionRevision"},
})

// Audited lets callers who see an automation read its history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{{Type: audited, See: audit.ByUUID(m.service.Automation)}}
}
