package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/automation/definition"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/text"
	"countersign/modules/automation/automationdb"
)

// Validate checks a definition as saving it would, and lists all issues.
func (s *service) Validate(ctx context.Context, d Draft) (Verdict, error) {
	def, issues, err := s.check(ctx, []byte(d.Text), d.RunAs)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Valid: !definition.Failed(issues), Issues: append([]definition.Issue{}, issues...)}
	if v.Valid {
		v.Definition = &def
	}
	return v, nil
}

// check compiles a definition and checks it against what exists and what the caller may do.
func (s *service) check(ctx context.Context, source []byte, runAs *uuid.UUID) (definition.Definition, []definition.Issue, error) {
	def, issues := definition.Compile(source, s.catalog())
	issues = append(issues, s.checkConfigs(&def)...)
	if runAs == nil {
		return def, issues, nil
	}
	found, err := s.checkRunAs(ctx, &def, *runAs)
	if err != nil {
		return def, nil, err
	}
	issues = append(issues, found...)
	if definition.Failed(issues) {
		return def, issues, nil
	}
	systems, err := s.checkSystems(ctx, def.UsesState, *runAs)
	return def, append(issues, systems...), err
}

// checkConfigs asks the actions of the steps about their configs, beyond the schemas.
func (s *service) checkConfigs(def *definition.Definition) []definition.Issue {
	var issues []definition.Issue
	for path, step := range definition.Steps(def) {
		known := s.actionOf(step.Action)
		if known == nil || known.Validate == nil {
			continue
		}
		err := known.Validate(definition.Untemplated(step.Config))
		if err == nil {
			continue
		}
		p := problem.As(err)
		for _, i := range p.Issues {
			issues = append(issues, definition.Issue{Path: strings.TrimSuffix(path+".config."+i.Path, "."), Message: i.Message})
		}
		if len(p.Issues) == 0 {
			issues = append(issues, definition.Issue{Path: path + ".config", Message: p.Detail})
		}
	}
	return issues
}

// checkRunAs finds out whether the caller may let an automation act as an application, and whether that may do what the steps do.
func (s *service) checkRunAs(ctx context.Context, def *definition.Definition, id uuid.UUID) ([]definition.Issue, error) {
	name, active, rules, err := s.Applications.Application(ctx, id)
	switch {
	case problem.Is(err, problem.NotFound):
		return []definition.Issue{
			{Path: "runAs", Message: "there is no application " + id.String() + "; list service accounts to see which exist"},
		}, nil
	case err != nil:
		return nil, err
	case !active:
		return []definition.Issue{{Path: "runAs", Message: "the application " + name + " is disabled"}}, nil
	}
	acts := principal.Principal{Kind: principal.Application, ID: id, Name: name, Rules: rules}
	issues := s.checkEvents(def, acts)
	err = s.Applications.Holds(ctx, principal.FromContext(ctx), id, "let an automation act as the application "+name)
	switch {
	case problem.Is(err, problem.Forbidden):
		issues = append(issues, definition.Issue{Path: "runAs", Message: problem.As(err).Detail})
	case err != nil:
		return nil, err
	}
	for path, step := range definition.Steps(def) {
		if step.Action == "" {
			continue
		}
		known := s.actionOf(step.Action)
		if known == nil {
			continue
		}
		if missing := acts.Missing(known.Rules...); len(missing) > 0 {
			issues = append(issues, definition.Issue{
				Path:    path + ".action",
				Message: fmt.Sprintf("the application %s lacks %s, which %s needs", name, strings.Join(missing, ", "), step.Action),
			})
		}
	}
	return issues, nil
}

// checkSystems finds systems that do not exist for the application.
func (s *service) checkSystems(ctx context.Context, ids []uuid.UUID, runAs uuid.UUID) ([]definition.Issue, error) {
	if len(ids) == 0 || s.Health == nil {
		return nil, nil
	}
	acts, _, err := s.acting(ctx, runAs)
	if err != nil {
		return nil, err
	}
	known, err := s.Health.Systems(principal.NewContext(ctx, acts), ids)
	if err != nil {
		return nil, fmt.Errorf("look systems up: %w", err)
	}
	var issues []definition.Issue
	for n, id := range ids {
		if _, ok := known[id]; !ok {
			issues = append(issues, definition.Issue{
				Path: fmt.Sprintf("uses_state[%d]", n), Message: "names no system that the application sees: " + id.String(),
			})
		}
	}
	return issues, nil
}

// refusal is the error for issues that prevent saving, nil without any.
func refusal(issues []definition.Issue) error {
	var all problem.Issues
	for _, i := range issues {
		if i.Warning {
			continue
		}
		message := i.Message
		if i.Nearest != "" {
			message += "; did you mean " + i.Nearest + "?"
		}
		if i.Line > 0 {
			message += fmt.Sprintf(" (line %d, column %d)", i.Line, i.Column)
		}
		all.Report(i.Path, "%s", message)
	}
	return all.Err()
}

// authorOf is the person who answers for what the caller writes.
func authorOf(ctx context.Context) (uuid.UUID, error) {
	p := principal.FromContext(ctx)
	switch {
	case p.Kind == principal.User:
		return p.ID, nil
	case p.Run != nil && p.Run.AuthorID != nil:
		return *p.Run.AuthorID, nil
	case p.IssuerID != nil:
		return *p.IssuerID, nil
	default:
		return uuid.Nil, problem.Errorf(problem.Forbidden,
			"It is not known who made the token of this application, so nobody would answer for the automation. Use a new token.")
	}
}

// Create creates an automation with its first revision.
func (s *service) Create(ctx context.Context, n NewAutomation) (Automation, error) {
	def, err := s.compiled(ctx, n.Text, n.RunAs)
	if err != nil {
		return Automation{}, err
	}
	author, err := authorOf(ctx)
	if err != nil {
		return Automation{}, err
	}
	if n.Status == "" {
		n.Status = Enabled
	}
	id := store.NewID()
	return store.InTx(ctx, s.db, func(ctx context.Context) (Automation, error) {
		row, err := s.queries(ctx).CreateAutomation(ctx, automationdb.CreateAutomationParams{
			ID:          id,
			Name:        def.Name,
			NameKey:     text.Key(def.Name),
			Description: def.Description,
			GroupName:   def.Group,
			Status:      n.Status,
			RunAs:       n.RunAs,
		})
		if err != nil {
			return Automation{}, taken(err, def.Name)
		}
		if err := s.addRevision(ctx, row, 1, n.Text, def, author); err != nil {
			return Automation{}, err
		}
		if err := s.arm(ctx, row, &def); err != nil {
			return Automation{}, err
		}
		if err := audit.Record(ctx, s.db, audit.Event{Action: audit.Created, Object: object(row), Summary: "Automation created"}); err != nil {
			return Automation{}, err
		}
		return s.Automation(ctx, id)
	})
}

func taken(err error, name string) error {
	if store.Violates(err, "automations_name") {
		return problem.Errorf(problem.Conflict, "Another automation is called %s. Choose another name.", name)
	}
	return fmt.Errorf("write automation: %w", err)
}

func (s *service) addRevision(
	ctx context.Context,
	row automationdb.Automation,
	revision int64,
	source string,
	def definition.Definition,
	author uuid.UUID,
) error {
	compiled, err := json.Marshal(def)
	if err != nil {
		return fmt.Errorf("write the definition of automation %s: %w", row.ID, err)
	}
	if err := s.queries(ctx).AddRevision(ctx, automationdb.AddRevisionParams{
		AutomationID: row.ID, Revision: revision, Text: source, Compiled: compiled, RunAs: row.RunAs, AuthorID: author,
	}); err != nil {
		return fmt.Errorf("add revision %d of automation %s: %w", revision, row.ID, err)
	}
	return nil
}

// arm makes schedules and lasting states those of the definition, in the transaction of its change. Those that stay the
// same go on: a save of something else ends no wait.
func (s *service) arm(ctx context.Context, row automationdb.Automation, def *definition.Definition) error {
	q := s.queries(ctx)
	now, err := s.db.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	kept, lasting := []string{}, []string{}
	for _, t := range def.Triggers {
		if row.Status != Enabled {
			continue
		}
		if t.For > 0 && t.Enabled {
			lasting = append(lasting, t.ID+" "+lastingSpec(t))
		}
		due, spec, err := scheduleOf(t)
		if err != nil {
			return err
		}
		if due == nil {
			continue
		}
		kept = append(kept, t.ID)
		if !t.Enabled {
			continue
		}
		p := automationdb.SetScheduleParams{AutomationID: row.ID, TriggerID: t.ID, Spec: spec}
		if next, ok := due.Next(now); ok {
			p.NextAt = &next
		}
		if err := q.SetSchedule(ctx, p); err != nil {
			return fmt.Errorf("set a schedule of automation %s: %w", row.ID, err)
		}
	}
	// A disabled schedule keeps its place, so that catching up knows what it has missed.
	if row.Status == Enabled {
		if err := q.DropSchedules(ctx, automationdb.DropSchedulesParams{AutomationID: row.ID, Kept: kept}); err != nil {
			return fmt.Errorf("drop schedules of automation %s: %w", row.ID, err)
		}
	}
	if err := q.DropFors(ctx, automationdb.DropForsParams{AutomationID: row.ID, Kept: lasting}); err != nil {
		return fmt.Errorf("drop lasting states of automation %s: %w", row.ID, err)
	}
	if err := q.NextGeneration(ctx); err != nil {
		return fmt.Errorf("count the change of automation %s: %w", row.ID, err)
	}
	return nil
}

// Update changes an automation. A new text, another application, or both make a new revision.
func (s *service) Update(ctx context.Context, id uuid.UUID, c Change, based *int64) (Automation, error) {
	author, err := authorOf(ctx)
	if err != nil {
		return Automation{}, err
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Automation, error) {
		row, err := s.hold(ctx, id, based)
		if err != nil {
			return Automation{}, err
		}
		current, err := s.revision(ctx, id, row.DefinitionRevision)
		if err != nil {
			return Automation{}, err
		}
		before, source := row, current.Text
		rest.Replace(&source, c.Text)
		rest.Replace(&row.RunAs, c.RunAs)
		rest.Replace(&row.Status, c.Status)
		rewritten := source != current.Text || row.RunAs != before.RunAs
		if !rewritten && row.Status == before.Status {
			return s.Automation(ctx, id)
		}
		var def definition.Definition
		if enables := row.Status == Enabled && before.Status != Enabled; rewritten || enables {
			def, err = s.compiled(ctx, source, row.RunAs)
		} else if err = json.Unmarshal(current.Compiled, &def); err != nil {
			err = fmt.Errorf("read the definition of automation %s: %w", id, err)
		}
		if err != nil {
			return Automation{}, err
		}
		if rewritten {
			row.DefinitionRevision++
			row.Name, row.NameKey, row.Description, row.GroupName = def.Name, text.Key(def.Name), def.Description, def.Group
			if err := s.addRevision(ctx, row, row.DefinitionRevision, source, def, author); err != nil {
				return Automation{}, err
			}
		}
		if err := s.save(ctx, before, row, &def); err != nil {
			return Automation{}, err
		}
		return s.Automation(ctx, id)
	})
}

// compiled compiles a definition that is about to be saved, and refuses one with issues.
func (s *service) compiled(ctx context.Context, source string, runAs uuid.UUID) (definition.Definition, error) {
	def, issues, err := s.check(ctx, []byte(source), &runAs)
	if err == nil {
		err = refusal(issues)
	}
	return def, err
}

// save writes a changed automation with what follows from it: schedules, queued runs that may begin, and the audit entry.
func (s *service) save(ctx context.Context, before, row automationdb.Automation, def *definition.Definition) error {
	if row.Status == Enabled {
		row.DisabledReason = ""
	}
	saved, err := s.queries(ctx).UpdateAutomation(ctx, automationdb.UpdateAutomationParams{
		ID: row.ID, Name: row.Name, NameKey: row.NameKey, Description: row.Description, GroupName: row.GroupName, Status: row.Status,
		DisabledReason: row.DisabledReason, RunAs: row.RunAs, DefinitionRevision: row.DefinitionRevision,
	})
	if err != nil {
		return taken(err, row.Name)
	}
	if err := s.arm(ctx, saved, def); err != nil {
		return err
	}
	if saved.Status == Enabled {
		if err := s.promoteAll(ctx, saved, def); err != nil {
			return err
		}
	}
	var fields audit.Fields
	fields.Compare("name", before.Name, saved.Name)
	fields.Compare("status", before.Status, saved.Status)
	fields.Compare("runAs", before.RunAs, saved.RunAs)
	fields.Compare("definitionRevision", before.DefinitionRevision, saved.DefinitionRevision)
	return audit.Record(ctx, s.db, audit.Event{
		Action: audit.Changed, Object: object(saved), Summary: "Automation changed", Fields: fields,
	})
}

// promoteAll lets queued runs begin that nothing else would let begin: those that a disabled automation held back, and those
// of another scope than the definition had before.
func (s *service) promoteAll(ctx context.Context, row automationdb.Automation, def *definition.Definition) error {
	keys, err := s.queries(ctx).QueuedContexts(ctx, row.ID)
	if err != nil {
		return fmt.Errorf("read queued runs of automation %s: %w", row.ID, err)
	}
	for _, key := range keys {
		if err := s.promoteScope(ctx, row, def, key); err != nil {
			return err
		}
	}
	return nil
}

// Rollback makes an earlier definition the current one, as a new revision.
func (s *service) Rollback(ctx context.Context, id uuid.UUID, to int64, based *int64) (Automation, error) {
	if _, err := s.see(ctx, id); err != nil {
		return Automation{}, err
	}
	row, err := s.revision(ctx, id, to)
	if err != nil {
		return Automation{}, err
	}
	return s.Update(ctx, id, Change{Text: &row.Text}, based)
}

// Delete deletes an automation with its runs. Those that run are cancelled.
func (s *service) Delete(ctx context.Context, id uuid.UUID, based *int64) error {
	var running []uuid.UUID
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		row, err := s.hold(ctx, id, based)
		if err != nil {
			return err
		}
		q := s.queries(ctx)
		if running, err = q.WorkflowsOf(ctx, id); err != nil {
			return fmt.Errorf("read runs of automation %s: %w", id, err)
		}
		if _, err := q.DeleteAutomation(ctx, id); err != nil {
			return fmt.Errorf("delete automation %s: %w", id, err)
		}
		if err := q.NextGeneration(ctx); err != nil {
			return fmt.Errorf("count the deletion of automation %s: %w", id, err)
		}
		if err := s.Removed.Notify(ctx, automationType, id); err != nil {
			return err
		}
		return audit.Record(ctx, s.db, audit.Event{Action: audit.Deleted, Object: object(row), Summary: "Automation deleted"})
	})
	if err != nil {
		return err
	}
	for _, run := range running {
		s.abandon(ctx, run)
	}
	return nil
}
