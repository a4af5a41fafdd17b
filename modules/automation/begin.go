package automation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/event"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/modules/automation/automationdb"
	"countersign/modules/automation/run"
)

// definitionKind is the kind of automations among the definitions that runs execute.
const definitionKind = "automation"

// load begins a run: the application may act in it from now on.
func (s *service) load(ctx context.Context, in run.LoadInput) (run.LoadOutput, error) {
	row, err := s.queries(ctx).BeginRun(ctx, in.RunID)
	if store.NoRows(err) {
		return run.LoadOutput{Over: true}, nil
	}
	if err != nil {
		return run.LoadOutput{}, fmt.Errorf("begin run %s: %w", in.RunID, err)
	}
	stored, err := s.revision(ctx, row.AutomationID, row.Revision)
	if problem.Is(err, problem.NotFound) {
		_, err = s.finish(ctx, run.FinishInput{RunID: in.RunID, Status: run.Failed, Reason: problem.As(err).Detail})
		return run.LoadOutput{Over: true}, err
	}
	if err != nil {
		return run.LoadOutput{}, err
	}
	def, err := s.definitionOf(ctx, row.AutomationID, row.Revision)
	if err != nil {
		return run.LoadOutput{}, err
	}
	now, err := s.db.Now(ctx)
	if err != nil {
		return run.LoadOutput{}, fmt.Errorf("read the clock: %w", err)
	}
	out := run.LoadOutput{Definition: s.walked(*def), Cancelled: row.CancelAt != nil}
	out.Left = max(row.StartedAt.Add(time.Duration(def.Limits.Minutes)*time.Minute).Sub(now), time.Second)
	if out.Cancelled {
		return out, nil
	}
	err = s.Runs.Begin(ctx, Acting{
		Run: row.ID, Application: stored.RunAs, Author: stored.AuthorID,
		Definition: principal.Definition{Kind: definitionKind, ID: row.AutomationID, Revision: row.Revision},
	})
	if problem.Is(err, problem.Forbidden) {
		// Its steps fail, and say why.
		err = nil
	}
	return out, err
}

// walked is what the workflow needs of a definition: its shape, and how long an attempt of each action may take.
func (s *service) walked(d definition.Definition) definition.Definition {
	d.Description, d.Triggers, d.Conditions, d.UsesState = "", nil, nil, nil
	d.Actions, d.OnFailure = s.shapes(d.Actions), s.shapes(d.OnFailure)
	return d
}

func (s *service) shapes(steps []definition.Step) []definition.Step {
	if steps == nil {
		return nil
	}
	shaped := make([]definition.Step, len(steps))
	for n, step := range steps {
		step.Description, step.Config = "", nil
		if step.Action != "" {
			step.Timeout = definition.Duration(s.timeoutOf(&step))
		}
		if step.Variables != nil {
			step.Variables = json.RawMessage(`{}`)
		}
		step.Sequence, step.Else, step.Undo = s.shapes(step.Sequence), s.shapes(step.Else), s.shapes(step.Undo)
		if step.Choose != nil {
			branches := make([]definition.Branch, len(step.Choose))
			for b := range step.Choose {
				branches[b].Sequence = s.shapes(step.Choose[b].Sequence)
			}
			step.Choose = branches
		}
		if step.Parallel != nil {
			step.Parallel = &definition.ParallelStep{Branches: s.shapes(step.Parallel.Branches), OnFailure: step.Parallel.OnFailure}
		}
		if step.Repeat != nil {
			r := *step.Repeat
			r.Sequence = s.shapes(r.Sequence)
			step.Repeat = &r
		}
		shaped[n] = step
	}
	return shaped
}

// finish records the outcome of a run, and lets the next one in the queue begin.
func (s *service) finish(ctx context.Context, in run.FinishInput) (run.FinishOutput, error) {
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		q := s.queries(ctx)
		row, err := q.Run(ctx, in.RunID)
		if store.NoRows(err) {
			// It was deleted with its automation.
			return nil
		}
		if err != nil {
			return fmt.Errorf("read run %s: %w", in.RunID, err)
		}
		a, err := q.HoldAutomation(ctx, row.AutomationID)
		if err != nil {
			return fmt.Errorf("hold automation %s: %w", row.AutomationID, err)
		}
		status, reason := runSuccess, in.Reason
		switch in.Status {
		case run.Failed, run.Unknown:
			status = runFailed
		case run.Cancelled:
			status, reason = runCancelled, row.CancelReason
		default:
		}
		ended, err := q.FinishRun(ctx, automationdb.FinishRunParams{
			ID: in.RunID, Status: status, Reason: short(reason), Failures: int32(in.Failures),
		})
		if store.NoRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("finish run %s: %w", in.RunID, err)
		}
		if err := q.EndAllWaits(ctx, in.RunID); err != nil {
			return fmt.Errorf("end the waits of run %s: %w", in.RunID, err)
		}
		if err := s.promote(ctx, a, ended); err != nil {
			return err
		}
		return s.announce(ctx, a, ended)
	})
	if err != nil {
		return run.FinishOutput{}, err
	}
	return run.FinishOutput{}, s.Runs.End(ctx, in.RunID)
}

// promote lets the oldest queued run of the scope begin, unless the automation is disabled: those stay until it is enabled.
func (s *service) promote(ctx context.Context, a automationdb.Automation, ended automationdb.AutomationRun) error {
	def, err := s.definitionOf(ctx, a.ID, a.DefinitionRevision)
	if err != nil {
		return err
	}
	return s.promoteScope(ctx, a, def, ended.ContextKey)
}

func (s *service) promoteScope(ctx context.Context, a automationdb.Automation, def *definition.Definition, contextKey string) error {
	if a.Status != Enabled {
		return nil
	}
	q := s.queries(ctx)
	open, err := q.OpenRuns(ctx, automationdb.OpenRunsParams{
		AutomationID: a.ID, Whole: def.ConcurrencyScope != definition.PerContext, ContextKey: contextKey,
	})
	if err != nil {
		return fmt.Errorf("read open runs of automation %s: %w", a.ID, err)
	}
	for _, r := range open {
		if r.Status != runQueued {
			// Another one runs.
			return nil
		}
	}
	if len(open) == 0 {
		return nil
	}
	if err := q.PromoteQueued(ctx, open[0].ID); err != nil {
		return fmt.Errorf("begin queued run %s: %w", open[0].ID, err)
	}
	return nil
}

// announce appends the event of the end of a run, caused by what caused the run.
func (s *service) announce(ctx context.Context, a automationdb.Automation, ended automationdb.AutomationRun) error {
	return s.Events.Append(causedBy(ctx, ended), event.New{
		Type:       EventRunEnded,
		Subject:    subjectAutomation + ":" + a.ID.String(),
		ContextKey: a.ID.String(),
		Payload: RunEndedPayload{
			AutomationID: a.ID,
			Automation:   a.Name,
			RunID:        ended.ID,
			Status:       ended.Status,
			Reason:       ended.Reason,
			At:           *ended.EndedAt,
		},
	})
}

// causeOf reads a stored cause. One of another version is unknown.
func causeOf(stored json.RawMessage) event.Cause {
	var cause event.Cause
	if json.Unmarshal(stored, &cause) != nil {
		return event.Cause{}
	}
	return cause
}

// causedBy returns a context in which a run acts, caused by what caused the run.
func causedBy(ctx context.Context, r automationdb.AutomationRun) context.Context {
	cause := causeOf(r.Cause)
	return event.WithCause(ctx, event.Cause{Run: r.ID.String(), Event: cause.Event, Depth: cause.Depth})
}

// revision reads a revision of a definition.
func (s *service) revision(ctx context.Context, automation uuid.UUID, revision int64) (automationdb.AutomationRevision, error) {
	row, err := s.queries(ctx).Revision(ctx, automationdb.RevisionParams{AutomationID: automation, Revision: revision})
	if store.NoRows(err) {
		return row, problem.Errorf(problem.NotFound, "The automation %s has no revision %d.", automation, revision)
	}
	if err != nil {
		return row, fmt.Errorf("read revision %d of automation %s: %w", revision, automation, err)
	}
	return row, nil
}
