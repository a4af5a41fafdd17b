package automation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"countersign/automation/definition"
	"countersign/automation/expression"
	"countersign/event"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/automation/automationdb"
)

// consumerName is that of the consumer of events.
const consumerName = "automations"

// Consumers implements module.Consumers: every event of the product can trigger an automation.
func (m *Module) Consumers() []event.Consumer {
	var types []string
	for _, t := range m.service.Types().Types() {
		types = append(types, t.ID)
	}
	return []event.Consumer{{Name: consumerName, Types: types, Handle: m.service.handle}}
}

// happened is what expressions see of an event: the root trigger of a run, and event of a wait.
type happened struct {
	Event   string          `json:"event"`
	Payload json.RawMessage `json:"payload"`
	ID      string          `json:"id"`
	Subject string          `json:"subject"`
	Time    time.Time       `json:"time"`
}

func (h happened) encode() (json.RawMessage, error) {
	data, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("write event %s: %w", h.Event, err)
	}
	return data, nil
}

// handle lets an event trigger automations and wake runs, in the transaction that moves the consumer's cursor.
func (s *service) handle(ctx context.Context, e event.Event) error {
	entries, err := s.triggers(ctx, e.Type)
	if err != nil {
		return err
	}
	data, err := written(e, e.Payload)
	if err != nil {
		return err
	}
	for _, t := range entries {
		if err := s.triggered(ctx, t, e, data); err != nil {
			return err
		}
	}
	return s.wake(ctx, e)
}

// written is an event as expressions see it, with a payload.
func written(e event.Event, payload json.RawMessage) (json.RawMessage, error) {
	return happened{e.Type, payload, strconv.FormatInt(e.ID, 10), e.Subject, e.CreatedAt}.encode()
}

// contextKeyOf is what modes of the scope context count.
func contextKeyOf(e event.Event) string {
	if e.ContextKey != "" {
		return e.ContextKey
	}
	return e.Subject
}

func (s *service) triggered(ctx context.Context, t entry, e event.Event, data json.RawMessage) error {
	key := contextKeyOf(e)
	if t.opposite || t.renews {
		// A state that had lasted long enough when it ended fires its trigger, even if nothing ran at that moment.
		lasted, err := s.queries(ctx).HasLasted(ctx, automationdb.HasLastedParams{
			AutomationID: t.automation, TriggerID: t.trigger.ID, ContextKey: key, DueBy: e.CreatedAt,
		})
		if err != nil {
			return fmt.Errorf("look at a lasting state: %w", err)
		}
		if lasted {
			due := automationdb.DueForsRow{AutomationID: t.automation, TriggerID: t.trigger.ID, ContextKey: key}
			if err := s.fireLasting(ctx, due, e.CreatedAt); err != nil {
				return err
			}
		}
		if err := s.queries(ctx).EndFors(ctx, automationdb.EndForsParams{
			AutomationID: t.automation, TriggerID: t.trigger.ID, ContextKey: key,
		}); err != nil {
			return fmt.Errorf("end a lasting state: %w", err)
		}
	}
	if t.opposite {
		return nil
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the clock: %w", err)
	}
	takes, skip := passes(ctx, t.trigger, expression.Scope{Trigger: data, Now: now})
	if !takes {
		return nil
	}
	seen, unseen, err := s.seenBy(ctx, t.automation, e)
	switch {
	case err != nil:
		return err
	case unseen != "":
		skip = unseen
	case seen == nil:
		return nil
	}
	if seen != nil && !bytes.Equal(seen, data) {
		// Nothing but what the application may see decides.
		if takes, skip = passes(ctx, t.trigger, expression.Scope{Trigger: seen, Now: now}); !takes {
			return nil
		}
	}
	if data = seen; data == nil {
		if data, err = written(e, json.RawMessage(`{}`)); err != nil {
			return err
		}
	}
	f := firing{
		automation: t.automation, trigger: t.trigger, eventID: &e.ID, contextKey: key, data: data, cause: event.CauseOf(ctx), skip: skip,
		by: e.Cause,
	}
	if t.trigger.For > 0 && skip == "" {
		return s.beginFor(ctx, f, e.CreatedAt.Add(time.Duration(t.trigger.For)))
	}
	_, err = s.fire(ctx, f)
	return err
}

// passes reports whether a trigger takes an event, by its filter and its window. A filter that fails takes it, and skip says why
// nothing can run.
func passes(ctx context.Context, t definition.Trigger, scope expression.Scope) (takes bool, skip string) {
	if t.Window != nil && !inWindow(*t.Window, scope.Now) {
		return false, ""
	}
	if t.Filter == "" {
		return true, ""
	}
	takes, err := expression.Bool(ctx, t.Filter, scope)
	if err != nil {
		return true, "The filter could not be evaluated: " + problem.As(err).Detail
	}
	return takes, ""
}

// beginFor notes that a state has begun, unless it lasts already.
func (s *service) beginFor(ctx context.Context, f firing, due time.Time) error {
	cause, err := json.Marshal(f.cause)
	if err != nil {
		return fmt.Errorf("write cause: %w", err)
	}
	if err := s.queries(ctx).BeginFor(ctx, automationdb.BeginForParams{
		AutomationID: f.automation, TriggerID: f.trigger.ID, ContextKey: f.contextKey, Spec: lastingSpec(f.trigger), EventID: *f.eventID,
		Trigger: f.data, Cause: cause, DueAt: due,
	}); err != nil {
		return fmt.Errorf("begin a lasting state: %w", err)
	}
	return nil
}

// wake wakes the runs that wait for such an event.
func (s *service) wake(ctx context.Context, e event.Event) error {
	q := s.queries(ctx)
	waits, err := q.WaitsFor(ctx, automationdb.WaitsForParams{Event: e.Type, ContextKey: contextKeyOf(e), Subject: e.Subject})
	if err != nil {
		return fmt.Errorf("find runs that wait for %s: %w", e.Type, err)
	}
	for _, w := range waits {
		seen, err := s.seenInRun(ctx, w.RunID, e)
		if err != nil {
			return err
		}
		if seen == nil {
			continue
		}
		if w.Filter != "" {
			scope, err := s.scopeOf(ctx, w.RunID, w.Iteration)
			if err != nil {
				return err
			}
			scope.Event = seen
			// A filter that fails lets the run look: its step says why.
			if takes, err := expression.Bool(ctx, w.Filter, scope); err == nil && !takes {
				continue
			}
		}
		if err := q.MatchWait(ctx, automationdb.MatchWaitParams{
			Matched: seen, RunID: w.RunID, Path: w.Path, Iteration: w.Iteration, Event: w.Event,
		}); err != nil {
			return fmt.Errorf("wake run %s: %w", w.RunID, err)
		}
	}
	return nil
}

// fire decides what becomes of a trigger, in the transaction of ctx: a run, a place in the queue, or a skipped run that says
// why. It answers with the run, nil when the same event or slot had one.
func (s *service) fire(ctx context.Context, f firing) (*automationdb.AutomationRun, error) {
	q := s.queries(ctx)
	a, err := q.HoldAutomation(ctx, f.automation)
	if store.NoRows(err) {
		return nil, nil //nolint:nilnil // it was deleted meanwhile, which is no failure
	}
	if err != nil {
		return nil, fmt.Errorf("hold automation %s: %w", f.automation, err)
	}
	def, err := s.definitionOf(ctx, a.ID, a.DefinitionRevision)
	if err != nil {
		return nil, err
	}
	status, reason, err := s.decide(ctx, a, def, f)
	if err != nil {
		return nil, err
	}
	cause, err := json.Marshal(f.cause)
	if err != nil {
		return nil, fmt.Errorf("write cause: %w", err)
	}
	id := store.NewID()
	added, err := q.AddRun(ctx, automationdb.AddRunParams{
		ID: id, AutomationID: a.ID, Revision: a.DefinitionRevision, TriggerID: f.trigger.ID, EventID: f.eventID, Slot: f.slot,
		ContextKey: f.contextKey, Trigger: f.data, Cause: cause, Depth: int32(f.cause.Depth), Status: status, Reason: reason,
		ActorID: f.actor, AgainOf: f.againOf,
	})
	if err != nil {
		return nil, fmt.Errorf("add a run of automation %s: %w", a.ID, err)
	}
	if added == 0 {
		return nil, nil //nolint:nilnil // this event or slot has its run
	}
	run, err := q.Run(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", id, err)
	}
	return &run, nil
}
