package maintenance

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/durable"
	"countersign/internal/problem"
	"countersign/internal/store/chore"
	"countersign/modules/maintenance/maintenancedb"
)

// Workflows are those of maintenances.
func (m *Module) Workflows() []durable.Registration {
	return []durable.Registration{{
		Queue: durable.TurnQueue, Workflow: watchWorkflow.Named(), Steps: []durable.Named{followPlan.Bind(m.follow)},
	}}
}

func (m *Module) follow(ctx context.Context, in followInput) (followOutput, error) {
	wait, over, err := m.service.advance(ctx, in.MaintenanceID)
	return followOutput{Wait: wait, Over: over}, err
}

// workflowID is the id of the workflow of a maintenance.
func workflowID(id uuid.UUID) string { return durable.ID("maintenance", id) }

// Chores are the periodic jobs of the module: one lets rows follow the clock where no workflow does, the other starts and
// wakes workflows.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{
		{Name: "begin and end maintenances", Every: time.Second, Do: m.service.AdvanceDue},
		{Name: "wake workflows of maintenances", Every: 5 * time.Second, Do: m.service.TellWorkflows, Wake: m.service.changedPlans},
	}
}

// maxTold is how many workflows one run tells.
const maxTold = 100

// TellWorkflows starts the workflows of new maintenances and wakes those whose plan has changed. The next run repeats
// what fails.
func (s *service) TellWorkflows(ctx context.Context) error {
	changed, err := s.queries(ctx).ChangedPlans(ctx, maxTold)
	if err != nil {
		return fmt.Errorf("list changed maintenances: %w", err)
	}
	for _, one := range changed {
		if err := s.tell(ctx, one.ID); err != nil {
			return err
		}
		if err := s.queries(ctx).SetTold(ctx, maintenancedb.SetToldParams{ID: one.ID, Plan: one.Plan}); err != nil {
			return fmt.Errorf("note that a workflow was told: %w", err)
		}
	}
	return nil
}

// tell starts the workflow of a maintenance, or wakes the running one. One that has ended, because an operator ended it or
// the maintenance is over, is left alone: the chore does its work.
func (s *service) tell(ctx context.Context, id uuid.UUID) error {
	err := s.Engine.Start(ctx, watchWorkflow.Execute(
		durable.Execution{ID: workflowID(id), Queue: durable.TurnQueue, Summary: "Begins and ends a maintenance"},
		watchInput{MaintenanceID: id},
	))
	if err != nil {
		return fmt.Errorf("start the workflow of a maintenance: %w", err)
	}
	err = s.Engine.Signal(ctx, workflowID(id), planChanged.With(struct{}{}))
	if err != nil && !problem.Is(err, problem.NotFound) {
		return fmt.Errorf("wake the workflow of a maintenance: %w", err)
	}
	return nil
}
