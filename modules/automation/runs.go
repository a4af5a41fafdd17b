package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/automation/automationdb"
	"countersign/modules/automation/run"
)

// RunList lists runs, newest first.
func (s *service) RunList(ctx context.Context, q runQuery) ([]Run, rest.Next, error) {
	if err := readable(ctx); err != nil {
		return nil, rest.Next{}, err
	}
	automation, err := rest.OptionalID("automationId", q.AutomationID)
	if err != nil {
		return nil, rest.Next{}, err
	}
	before, err := q.AfterID()
	if err != nil {
		return nil, rest.Next{}, err
	}
	p := automationdb.RunsParams{AutomationID: automation, Status: q.Status, MaxRows: q.Rows(), Before: uuid.Max}
	rest.Replace(&p.Before, before)
	rows, err := s.queries(ctx).Runs(ctx, p)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list runs: %w", err)
	}
	rows, next := rest.Cut(q.Page, rows, func(r automationdb.AutomationRun) string { return r.ID.String() })
	list, err := s.runs(ctx, rows)
	return list, next, err
}

func (s *service) runs(ctx context.Context, rows []automationdb.AutomationRun) ([]Run, error) {
	var ids []uuid.UUID
	for _, r := range rows {
		ids = append(ids, r.AutomationID)
	}
	named, err := s.queries(ctx).AutomationNames(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("name automations: %w", err)
	}
	names := map[uuid.UUID]string{}
	for _, n := range named {
		names[n.ID] = n.Name
	}
	list := make([]Run, len(rows))
	for n, r := range rows {
		list[n] = Run{
			ID: r.ID, AutomationID: r.AutomationID, Automation: names[r.AutomationID], Revision: r.Revision, TriggerID: r.TriggerID,
			Slot: r.Slot, ContextKey: r.ContextKey, Trigger: r.Trigger, Depth: r.Depth, Status: r.Status, Reason: r.Reason,
			Failures: r.Failures, Steps: r.Steps, Effects: r.Effects, AgainOf: r.AgainOf, WorkflowID: run.ID(r.ID),
			Cancelling: r.CancelAt != nil && r.EndedAt == nil, CreatedAt: r.CreatedAt, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		}
	}
	return list, nil
}

func (s *service) shown(ctx context.Context, row automationdb.AutomationRun) (Run, error) {
	list, err := s.runs(ctx, []automationdb.AutomationRun{row})
	if err != nil {
		return Run{}, err
	}
	return list[0], nil
}

// Run reads a run.
func (s *service) Run(ctx context.Context, id uuid.UUID) (Run, error) {
	row, err := s.seeRun(ctx, id)
	if err != nil {
		return Run{}, err
	}
	return s.shown(ctx, row)
}

func (s *service) seeRun(ctx context.Context, id uuid.UUID) (automationdb.AutomationRun, error) {
	if err := readable(ctx); err != nil {
		return automationdb.AutomationRun{}, err
	}
	row, err := s.queries(ctx).Run(ctx, id)
	if store.NoRows(err) {
		return row, problem.Errorf(problem.NotFound, "There is no run %s. It may have been deleted with its automation.", id)
	}
	if err != nil {
		return row, fmt.Errorf("read run %s: %w", id, err)
	}
	return row, nil
}

// StepsOf lists the steps of a run in the order of their begin.
func (s *service) StepsOf(ctx context.Context, id uuid.UUID, p rest.Page) ([]RunStep, rest.Next, error) {
	if _, err := s.seeRun(ctx, id); err != nil {
		return nil, rest.Next{}, err
	}
	q := automationdb.StepsParams{RunID: id, MaxRows: p.Rows()}
	after, err := p.After()
	if err != nil {
		return nil, rest.Next{}, err
	}
	if after != "" {
		parts := strings.SplitN(after, "|", 4)
		if len(parts) != 4 {
			return nil, rest.Next{}, problem.UnknownCursor()
		}
		at, bad := time.Parse(time.RFC3339Nano, parts[0])
		attempt, wrong := strconv.ParseInt(parts[1], 10, 32)
		if errors.Join(bad, wrong) != nil {
			return nil, rest.Next{}, problem.UnknownCursor()
		}
		q.After, q.Attempt, q.Iteration, q.Path = at, int32(attempt), parts[2], parts[3]
	}
	rows, err := s.queries(ctx).Steps(ctx, q)
	if err != nil {
		return nil, rest.Next{}, fmt.Errorf("list steps of run %s: %w", id, err)
	}
	rows, next := rest.Cut(p, rows, func(r automationdb.AutomationStep) string {
		return fmt.Sprintf("%s|%d|%s|%s", r.StartedAt.Format(time.RFC3339Nano), r.Attempt, r.Iteration, r.Path)
	})
	list := make([]RunStep, len(rows))
	for n, r := range rows {
		list[n] = RunStep{
			Path: r.Path, Iteration: r.Iteration, Attempt: r.Attempt, StepID: r.StepID, Kind: r.Kind, Action: r.Action, Status: r.Status,
			Reason: r.Reason, Input: r.Input, Output: r.Output, DueAt: r.DueAt, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
		}
	}
	return list, next, nil
}

// RunNow runs an automation by hand, in the name of its application. Its mode counts, its conditions too.
func (s *service) RunNow(ctx context.Context, id uuid.UUID, n NewRun, based *int64) (Started, error) {
	payload, err := json.Marshal(n.Payload)
	if err != nil {
		return Started{}, fmt.Errorf("write payload: %w", err)
	}
	if n.Payload == nil {
		payload = json.RawMessage(`{}`)
	}
	if len(payload) > event.MaxPayloadBytes {
		return Started{}, problem.Errorf(
			problem.TooLarge,
			"The payload has %d bytes; at most %d are allowed.",
			len(payload),
			event.MaxPayloadBytes,
		)
	}
	return store.InTx(ctx, s.db, func(ctx context.Context) (Started, error) {
		row, err := s.hold(ctx, id, based)
		if err != nil {
			return Started{}, err
		}
		if len(n.Payload) > 0 {
			// Through templates, the payload chooses on which records the application acts.
			const doing = "give a payload to an automation that acts as this application"
			if err := s.Applications.Holds(ctx, principal.FromContext(ctx), row.RunAs, doing); err != nil {
				return Started{}, err
			}
		}
		def, err := s.definitionOf(ctx, id, row.DefinitionRevision)
		if err != nil {
			return Started{}, err
		}
		at := slices.IndexFunc(def.Triggers, func(t definition.Trigger) bool { return n.TriggerID == "" || t.ID == n.TriggerID })
		if at < 0 {
			var known []string
			for _, t := range def.Triggers {
				known = append(known, t.ID)
			}
			return Started{}, problem.Errorf(
				problem.Invalid,
				"The automation has no trigger %s. It has: %s.",
				n.TriggerID,
				strings.Join(known, ", "),
			)
		}
		now, err := s.db.Now(ctx)
		if err != nil {
			return Started{}, fmt.Errorf("read the clock: %w", err)
		}
		data, err := happened{Event: def.Triggers[at].Event, Payload: payload, Time: now.UTC()}.encode()
		if err != nil {
			return Started{}, err
		}
		return s.byHand(ctx, firing{automation: id, trigger: def.Triggers[at], data: data})
	})
}

// byHand fires a trigger for the principal of the context.
func (s *service) byHand(ctx context.Context, f firing) (Started, error) {
	actor := principal.FromContext(ctx).ID
	f.actor = &actor
	row, err := s.fire(ctx, f)
	if err != nil {
		return Started{}, err
	}
	if row == nil {
		return Started{}, automationKind.Missing(f.automation)
	}
	shown, err := s.shown(ctx, *row)
	return Started{shown, row.Status != runSkipped}, err
}

// Again fires the trigger of a run once more, with the current definition.
func (s *service) Again(ctx context.Context, id uuid.UUID) (Started, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Started, error) {
		before, err := s.seeRun(ctx, id)
		if err != nil {
			return Started{}, err
		}
		a, err := s.hold(ctx, before.AutomationID, nil)
		if err != nil {
			return Started{}, err
		}
		def, err := s.definitionOf(ctx, a.ID, a.DefinitionRevision)
		if err != nil {
			return Started{}, err
		}
		at := slices.IndexFunc(def.Triggers, func(t definition.Trigger) bool { return t.ID == before.TriggerID })
		if at < 0 {
			return Started{}, problem.Errorf(problem.Conflict, "The automation has no trigger %s any more.", before.TriggerID)
		}
		return s.byHand(ctx, firing{
			automation: a.ID, trigger: def.Triggers[at], contextKey: before.ContextKey, data: before.Trigger, againOf: &id,
		})
	})
}

// Cancel cancels a run, and reports whether this call did it.
func (s *service) Cancel(ctx context.Context, id uuid.UUID) (Cancellation, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (Cancellation, error) {
		before, err := s.seeRun(ctx, id)
		if err != nil {
			return Cancellation{}, err
		}
		a, err := s.hold(ctx, before.AutomationID, nil)
		if err != nil {
			return Cancellation{}, err
		}
		if before, err = s.queries(ctx).HoldRun(ctx, id); err != nil {
			return Cancellation{}, fmt.Errorf("hold run %s: %w", id, err)
		}
		did := before.EndedAt == nil && before.CancelAt == nil
		if did {
			who := principal.FromContext(ctx)
			now, err := s.queries(ctx).CancelRun(ctx, automationdb.CancelRunParams{ID: id, Reason: short("Cancelled by " + who.Name + ".")})
			if err != nil {
				return Cancellation{}, fmt.Errorf("cancel run %s: %w", id, err)
			}
			if before.Status == runQueued {
				if err := s.announce(ctx, a, now); err != nil {
					return Cancellation{}, err
				}
			}
			before = now
		}
		shown, err := s.shown(ctx, before)
		return Cancellation{shown, did}, err
	})
}

// abandon ends the workflow of a run whose rows are gone. A run that is not reached ends with its next step.
func (s *service) abandon(ctx context.Context, id uuid.UUID) {
	if err := s.Engine.Cancel(ctx, run.ID(id)); err != nil {
		s.Log.Warn("The workflow of a deleted run is not cancelled", "run", id, "error", err)
	}
}
