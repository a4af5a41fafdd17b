package maintenance

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the maintenance; ids come from maintenance_list."`
}

// Targets implements tool.Targeted.
func (in deleteInput) Targets() []tool.Target { return about(in.ID) }

func deleteTool() tool.Tool {
	d := kit.Define(texts, "maintenance.delete", tool.Destructive, Manage).WithCascade()
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteInput) (kit.Preview[deleteInput], error) {
			live, err := maintenancesAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return kit.Preview[deleteInput]{}, err
			}
			preview := kit.Remove(live, in, "Delete the maintenance "+live.Name)
			const counted = 100
			updates, more, err := updatesOf(ctx, c, in.ID, counted)
			if err != nil {
				return kit.Preview[deleteInput]{}, err
			}
			preview.Effects = []string{goes(len(updates), more, "update"), goes(len(live.Record.Links), false, "link")}
			if live.Record.Rule != "" {
				preview.Effects = append(preview.Effects, "All of its occurrences go with it, those of the past too.")
			}
			if live.Record.Status == InProgress && live.Record.SuppressNotifications {
				preview.Effects = append(preview.Effects, "Notifications about its systems are no longer suppressed.")
			}
			return preview, nil
		},
		func(in deleteInput) tool.Request { return kit.Delete(maintenancesAPI.At(in.ID)) },
		kit.Gone)
}

// goes says what goes with a deleted maintenance.
func goes(n int, more bool, what string) string {
	switch {
	case more:
		return fmt.Sprintf("Its %d %ss or more go with it.", n, what)
	case n == 0:
		return fmt.Sprintf("It has no %ss.", what)
	case n == 1:
		return fmt.Sprintf("Its %s goes with it.", what)
	default:
		return fmt.Sprintf("Its %d %ss go with it.", n, what)
	}
}
