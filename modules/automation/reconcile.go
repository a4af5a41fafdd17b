package automation

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/durable"
	"countersign/modules/automation/automationdb"
	"countersign/modules/automation/run"
)

// checkedAtOnce bounds the runs of one pass, so that ten thousand waiting ones cost little: later passes go on after them.
const checkedAtOnce = 100

// reconcile compares runs that have not ended with Temporal. A workflow that Temporal does not know is started: its steps
// find what was done in their rows. One that was terminated there ends its run, which would hold up others for ever.
func (s *service) reconcile(ctx context.Context) error {
	ids, err := s.queries(ctx).UnendedRuns(ctx, automationdb.UnendedRunsParams{After: s.checked, MaxRows: checkedAtOnce})
	if err != nil {
		return fmt.Errorf("find runs that have not ended: %w", err)
	}
	s.checked = uuid.Nil
	if len(ids) == checkedAtOnce {
		s.checked = ids[len(ids)-1]
	}
	var failed []error
	for _, id := range ids {
		failed = append(failed, s.compare(ctx, id))
	}
	return errors.Join(failed...)
}

func (s *service) compare(ctx context.Context, id uuid.UUID) error {
	state, err := s.Engine.State(ctx, run.ID(id))
	if err != nil {
		return fmt.Errorf("look at the workflow of run %s: %w", id, err)
	}
	switch state {
	case durable.Missing:
		row, err := s.queries(ctx).Run(ctx, id)
		if err != nil {
			return fmt.Errorf("read run %s: %w", id, err)
		}
		return s.start(ctx, id, row.AutomationID, row.TriggerID)
	case durable.Closed:
		return s.breakOff(ctx, id)
	case durable.Running:
	}
	return nil
}

// breakOff ends a run whose workflow has ended without it. A run that has ended meanwhile stays as it is.
func (s *service) breakOff(ctx context.Context, id uuid.UUID) error {
	open, err := s.queries(ctx).OpenSteps(ctx, id)
	if err != nil {
		return fmt.Errorf("read open steps of run %s: %w", id, err)
	}
	for _, o := range open {
		if _, err := s.settle(ctx, run.SettleInput{Cancelled: true, StepInput: run.StepInput{
			RunID: id, Path: o.Path, Iteration: o.Iteration, Attempt: int(o.Attempt),
		}}); err != nil {
			return err
		}
	}
	s.Log.Warn("A run of an automation has no workflow any more", "run", id)
	_, err = s.finish(
		ctx,
		run.FinishInput{RunID: id, Status: run.Failed, Reason: "Its workflow was terminated in Temporal. Nothing was undone."},
	)
	return err
}
