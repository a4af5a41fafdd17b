package automation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// An automation sees what its application may see: neither its author nor a reader of its runs gets anything through it that the
// application has no right to.

// acting is an application outside of a run, with its current rights. idle says why it may not act, and it has none then.
func (s *service) acting(ctx context.Context, id uuid.UUID) (p principal.Principal, idle string, err error) {
	p = principal.Principal{Kind: principal.Application, ID: id}
	name, active, rules, err := s.Applications.Application(ctx, id)
	switch {
	case problem.Is(err, problem.NotFound):
		return p, "The application " + id.String() + " is deleted.", nil
	case err != nil:
		return p, "", err
	}
	if p.Name = name; !active {
		return p, "The application " + name + " is disabled.", nil
	}
	p.Rules = rules
	return p, "", nil
}

// asRunning returns a context in which the application of a run reads, with its current rights: none once it may not act.
func (s *service) asRunning(ctx context.Context, run uuid.UUID) (context.Context, error) {
	if s.Health == nil {
		return ctx, nil
	}
	p, err := s.Runs.Principal(ctx, run)
	if problem.Is(err, problem.Unauthorized) {
		p, err = principal.Principal{Kind: principal.Application}, nil
	}
	return principal.NewContext(ctx, p), err
}

// seenBy returns an event as the application of an automation may see it, nil for one about a record that it may not see: to
// it, that has not happened. unseen says which right it lacks for all events of the type.
func (s *service) seenBy(ctx context.Context, automation uuid.UUID, e event.Event) (seen json.RawMessage, unseen string, err error) {
	a, err := s.queries(ctx).Automation(ctx, automation)
	if store.NoRows(err) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("read automation %s: %w", automation, err)
	}
	reader, idle, err := s.acting(ctx, a.RunAs)
	if err != nil || idle != "" {
		return nil, idle, err
	}
	if t, known := s.Types().Type(e.Type); known && !reader.Has(t.Rule) {
		return nil, fmt.Sprintf("The application %s lacks %s, which the event needs.", reader.Name, t.Rule), nil
	}
	seen, err = s.shownTo(ctx, reader, e)
	return seen, "", err
}

// seenInRun is seenBy for the application of a run.
func (s *service) seenInRun(ctx context.Context, run uuid.UUID, e event.Event) (json.RawMessage, error) {
	reader, err := s.Runs.Principal(ctx, run)
	if problem.Is(err, problem.Unauthorized) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.shownTo(ctx, reader, e)
}

func (s *service) shownTo(ctx context.Context, reader principal.Principal, e event.Event) (json.RawMessage, error) {
	shown, sees, err := s.Types().Shown(ctx, reader, e)
	if err != nil || !sees {
		return nil, err
	}
	return written(shown, shown.Payload)
}

// checkEvents finds triggers and waits for events that the application may not see.
func (s *service) checkEvents(def *definition.Definition, acts principal.Principal) []definition.Issue {
	var issues []definition.Issue
	check := func(path, id string) {
		if t, known := s.Types().Type(id); known && !acts.Has(t.Rule) {
			issues = append(issues, definition.Issue{
				Path: path, Message: fmt.Sprintf("the application %s lacks %s, which %s needs", acts.Name, t.Rule, id),
			})
		}
	}
	for n, t := range def.Triggers {
		check(fmt.Sprintf("triggers[%d].event", n), t.Event)
	}
	for path, step := range definition.Steps(def) {
		if step.WaitFor != nil {
			check(path+".wait_for_trigger.event", step.WaitFor.Event)
		}
	}
	return issues
}
