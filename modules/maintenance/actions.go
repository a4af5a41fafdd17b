package maintenance

import (
	"time"

	"github.com/google/uuid"

	"countersign/automation/action"
)

// artifact is what steps after an action see of its maintenance.
type artifact struct {
	MaintenanceID uuid.UUID   `json:"maintenanceId" jsonschema:"description=The maintenance."`
	Status        Status      `json:"status" jsonschema:"enum=scheduled,enum=in_progress,enum=completed,enum=cancelled"`
	StartAt       time.Time   `json:"startAt" jsonschema:"description=Of the occurrence in progress or the next one or the last one."`
	EndAt         time.Time   `json:"endAt"`
	SystemIDs     []uuid.UUID `json:"systemIds" jsonschema:"description=Its systems that the application may see."`
}

var artifactType = action.NewArtifactType[artifact]("maintenance", "Maintenance", "A maintenance after an action.")

func artifactOf(l Listed) artifact {
	return artifact{
		MaintenanceID: l.ID, Status: l.Status, StartAt: l.Occurrence.StartAt, EndAt: l.Occurrence.EndAt, SystemIDs: l.systemIDs(),
	}
}

// Actions are what automations do with maintenances.
func (*Module) Actions() []action.Action {
	const category = "Maintenances"
	made := action.NewProduct(artifactType, func(m Maintenance) artifact { return artifactOf(m.Listed) })
	moved := action.NewProduct(artifactType, func(m Moved) artifact { return artifactOf(m.Listed) })
	which := action.Member{Name: "maintenanceId", Input: "id", Description: "The id of the maintenance."}
	consumes := []string{artifactType.ID}
	return []action.Action{
		action.FromTool(createTool(), action.FromToolOptions{
			ID: "maintenance.create", Name: "Schedule a maintenance", Category: category, Done: "Scheduled the maintenance",
			Description: "Schedules a maintenance of systems. One whose start has passed begins at once.",
			Config:      action.Config[NewMaintenance](), Produces: []action.Product{made},
		}),
		action.FromTool(updateTool(), action.FromToolOptions{
			ID: "maintenance.update", Name: "Change a maintenance", Category: category, Done: "Changed the maintenance",
			Description: "Moves or extends a maintenance, or changes other fields of it. What is left out stays.",
			Members:     []action.Member{which}, Produces: []action.Product{made}, Consumes: consumes,
		}),
		action.FromTool(closeTool(), action.FromToolOptions{
			ID: "maintenance.close", Name: "End a maintenance", Category: category, Done: "Ended the maintenance",
			Description: "Ends a maintenance in progress, and cancels one that has not begun.",
			Members:     []action.Member{which}, Produces: []action.Product{moved}, Consumes: consumes,
		}),
		action.FromTool(addUpdateTool(), action.FromToolOptions{
			ID: "maintenance.add_update", Name: "Write an update of a maintenance", Category: category, Done: "Wrote an update",
			Description: "Writes what is new about a maintenance.",
			Members:     []action.Member{{Name: "maintenanceId", Input: "maintenanceId", Description: which.Description}},
			Consumes:    consumes,
		}),
	}
}
