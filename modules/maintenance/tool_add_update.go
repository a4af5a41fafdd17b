package maintenance

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/tool"
	"countersign/tool/kit"
)

type addUpdateInput struct {
	MaintenanceID uuid.UUID `json:"maintenanceId" jsonschema:"description=The id of the maintenance; ids come from maintenance_list."`
	NewUpdate
}

// Targets implements tool.Targeted.
func (in addUpdateInput) Targets() []tool.Target { return about(in.MaintenanceID) }

type updateOutput struct {
	Update briefUpdate `json:"update"`
}

func addUpdateTool() tool.Tool {
	d := kit.Define(texts, "maintenance.addUpdate", tool.Mutate, Manage)
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPatch, Path: path + "/{id}/updates/{updateId}"}}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in addUpdateInput) (kit.Preview[addUpdateInput], error) {
			var none kit.Preview[addUpdateInput]
			live, err := maintenancesAPI.LoadForChange(ctx, c, in.MaintenanceID, "maintenanceId", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			in.NewUpdate = v.update(in.NewUpdate)
			if err := v.Err(); err != nil {
				return none, err
			}
			diff, err := kit.Diff(struct{}{}, map[string]string{"message": in.Message})
			return kit.Preview[addUpdateInput]{
				Summary: "Write " + article(in.Visibility) + " update of the maintenance " + live.Name, Payload: in, Revision: live.Revision,
				Labels: map[string]string{in.MaintenanceID.String(): live.Name}, Diff: diff,
			}, err
		},
		func(in addUpdateInput) tool.Request {
			return kit.Post(maintenancesAPI.At(in.MaintenanceID, "updates"), in.NewUpdate)
		},
		func(n note.Note) updateOutput { return updateOutput{briefNote(n)} })
}

// article is that of an update with a visibility.
func article(v note.Visibility) string {
	switch v {
	case note.Internal:
		return "an internal"
	case note.LoggedIn:
		return "a signed-in-only"
	default:
		return "a public"
	}
}
