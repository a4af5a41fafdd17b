package automation

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/automation/definition"
	"countersign/modules/automation/automationdb"
)

// typeApplication is the kind of applications in the audit log.
const typeApplication = "auth.application"

// OnRemoved implements module.OnRemoved: automations of a deleted application are disabled, since nothing may act in its name.
// Steps of their runs fail from now on.
func (m *Module) OnRemoved(ctx context.Context, kind string, id uuid.UUID) error {
	if kind != typeApplication {
		return nil
	}
	s := m.service
	q := s.queries(ctx)
	rows, err := q.AutomationsRunAs(ctx, id)
	if err != nil {
		return fmt.Errorf("find automations of the application %s: %w", id, err)
	}
	for _, row := range rows {
		const reason = "Its application was deleted. Choose another one to enable it."
		if err := q.DisableAutomation(ctx, automationdb.DisableAutomationParams{ID: row.ID, DisabledReason: reason}); err != nil {
			return fmt.Errorf("disable automation %s: %w", row.ID, err)
		}
		before := row.Status
		row.Status = Disabled
		if err := s.arm(ctx, row, &definition.Definition{}); err != nil {
			return err
		}
		var fields audit.Fields
		fields.Compare("status", before, Disabled)
		if err := audit.Record(ctx, s.db, audit.Event{
			Action: audit.Changed, Object: object(row), Summary: "Automation disabled, because its application was deleted", Fields: fields,
		}); err != nil {
			return err
		}
	}
	return nil
}
