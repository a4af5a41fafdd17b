package app

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/auth"
	"countersign/automation/action"
	"countersign/check/history"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/automation"
	"countersign/modules/maintenance"
	"countersign/tool"
)

// buildAutomations constructs automations, which ask the list of modules for what they can be made of.
func (a *App) buildAutomations(p *parts) *automation.Module {
	return automation.New(automation.Options{
		DB: a.db, Log: a.log, Tester: p.tests, Once: p.once, Engine: p.engine, Events: p.events.outbox, Runs: automationRuns{p.auth.Runs},
		Applications: automationAccounts{p.auth.Directory}, Names: names{p.auth.Directory}, Zone: zoneName(hostZone()), Removed: p.list.OnRemoved,
		Health:  automationHealth{a.db, checkedSystems{p.catalog}, history.NewReader(a.db, history.ReaderOptions{}), p.maintenances},
		Types:   func() *event.Registry { return p.events.types },
		Actions: func() []action.Action { return p.list.Actions() },
		Caller:  func(who principal.Principal) tool.Caller { return p.callers.Caller(who, uuid.Nil) },
	})
}

// automationAccounts adapts applications to automations.
type automationAccounts struct{ *auth.Directory }

// Application implements automation.Applications.
func (d automationAccounts) Application(ctx context.Context, id uuid.UUID) (name string, active bool, rules []string, err error) {
	found, err := d.Directory.Application(ctx, id)
	if err != nil {
		return "", false, nil, err
	}
	rules, err = d.ApplicationRules(ctx, id)
	return found.Name, !found.Disabled, rules, err
}

// Names implements automation.Applications.
func (d automationAccounts) Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	return names(d).Names(ctx, ids)
}

// All implements automation.Applications.
func (d automationAccounts) All(ctx context.Context) ([]automation.Named, error) {
	found, err := d.Applications(ctx)
	list := make([]automation.Named, len(found))
	for n, a := range found {
		list[n] = automation.Named{ID: a.ID, Name: a.Name}
	}
	return list, err
}

// automationRuns adapts runs of applications to automations.
type automationRuns struct{ *auth.Runs }

// Begin implements automation.Runs.
func (r automationRuns) Begin(ctx context.Context, a automation.Acting) error {
	_, err := r.Open(ctx, auth.NewRun{ID: a.Run, Application: a.Application, Author: a.Author, Definition: a.Definition})
	return err
}

// End implements automation.Runs.
func (r automationRuns) End(ctx context.Context, run uuid.UUID) error {
	_, err := r.Runs.End(ctx, run)
	return err
}

// automationHealth adapts the health of systems to automations.
type automationHealth struct {
	db           *store.DB
	systems      checkedSystems
	history      *history.Reader
	maintenances *maintenance.Module
}

// Systems implements automation.Health.
func (h automationHealth) Systems(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]automation.SystemHealth, error) {
	named := make(map[uuid.UUID]string, len(ids))
	for _, id := range ids {
		name, err := h.systems.Name(ctx, "catalog.system", id)
		if problem.Is(err, problem.NotFound) || problem.Is(err, problem.Forbidden) {
			continue
		}
		if err != nil {
			return nil, err
		}
		named[id] = name
	}
	statuses, err := h.history.Statuses(ctx, ids)
	if err != nil {
		return nil, err
	}
	work, err := h.maintenances.InProgress(ctx, ids...)
	if err != nil {
		return nil, err
	}
	now, err := h.db.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock: %w", err)
	}
	found := make(map[uuid.UUID]automation.SystemHealth, len(named))
	for id, name := range named {
		// Without checks nothing is known of a system.
		one := automation.SystemHealth{ID: id, Name: name, Status: "unknown", InMaintenance: len(work[id]) > 0}
		if s, ok := statuses[id]; ok {
			one.Status, one.InStatusForMs = s.Status.String(), max(now.Sub(s.Since).Milliseconds(), 0)
		}
		found[id] = one
	}
	return found, nil
}

// zoneName is the name of the time zone of the host, "" when it has none.
func zoneName(zone *time.Location) string {
	if zone == time.Local {
		return ""
	}
	return zone.String()
}
