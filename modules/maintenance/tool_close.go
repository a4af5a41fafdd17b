package maintenance

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type closeInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the maintenance; ids come from maintenance_list."`
	Closing
}

// Targets implements tool.Targeted.
func (in closeInput) Targets() []tool.Target { return about(in.ID) }

// movedOutput is the maintenance after a call that sets its state.
type movedOutput struct {
	Maintenance briefMaintenance `json:"maintenance"`
	Changed     bool             `json:"changed" jsonschema:"description=Whether this call did it; false when it was so before."`
}

func closeTool() tool.Tool {
	d := kit.Define(texts, "maintenance.close", tool.Mutate, Manage)
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in closeInput) bool { return in.Message != "" }, "maintenance.addUpdate"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in closeInput) (kit.Preview[closeInput], error) {
			var none kit.Preview[closeInput]
			live, err := maintenancesAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			m := live.Record
			if m.Status.isOver() {
				return none, kit.Unchanged("the maintenance %s is %s already.", live.Name, m.Status)
			}
			var v validation
			in.Closing = v.closing(in.Closing)
			if err := v.Err(); err != nil {
				return none, err
			}
			if m.Rule != "" && m.Status == Scheduled && !in.All {
				return none, problem.InvalidInput(
					"The maintenance "+live.Name+" recurs and no occurrence is in progress: cancel one with maintenance_update, or all of them.",
					problem.Issue{Path: "all", Message: "must be true to end all occurrences to come"},
				)
			}
			to, summary, effects := Cancelled, "Cancel the maintenance ", []string(nil)
			switch {
			case m.Status == InProgress && m.Rule != "" && !in.All:
				to, summary = Scheduled, "End the occurrence in progress of the maintenance "
				effects = []string{"The occurrences after it stay."}
			case m.Status == InProgress:
				to, summary = Completed, "End the maintenance "
			}
			if m.Status == InProgress && m.SuppressNotifications {
				effects = append(effects, "Notifications about its systems are no longer suppressed.")
			}
			if m.Rule != "" && in.All {
				effects = append(effects, "No occurrence comes after it.")
			}
			diff, err := kit.Diff(map[string]Status{"status": m.Status}, map[string]Status{"status": to})
			return kit.Preview[closeInput]{
				Summary: summary + live.Name, Payload: in, Diff: diff, Revision: live.Revision,
				Labels: map[string]string{in.ID.String(): live.Name}, Effects: effects,
			}, err
		},
		func(in closeInput) tool.Request { return kit.Post(maintenancesAPI.At(in.ID, "close"), in.Closing) },
		func(m Moved) movedOutput { return movedOutput{brief(m.Listed), m.Changed} })
}
