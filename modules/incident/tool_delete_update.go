package incident

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/note"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteUpdateInput struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The id of the incident."`
	UpdateID   uuid.UUID `json:"updateId" jsonschema:"description=The id of the update as incident_get shows it."`
}

// Targets implements tool.Targeted.
func (in deleteUpdateInput) Targets() []tool.Target { return about(in.IncidentID) }

func deleteUpdateTool() tool.Tool {
	d := kit.Define(texts, "incident.deleteUpdate", tool.Destructive, Manage).WithCascade()
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteUpdateInput) (kit.Preview[deleteUpdateInput], error) {
			var none kit.Preview[deleteUpdateInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.IncidentID, "incidentId", access.Edit)
			if err != nil {
				return none, err
			}
			var n note.Note
			_, err = c.Client.Get(ctx, incidentsAPI.At(in.IncidentID, "updates", in.UpdateID.String()), &n)
			if problem.Is(err, problem.NotFound) {
				return none, noneOf(live.Name, "update", "updateId")
			}
			if err != nil {
				return none, err
			}
			diff, err := kit.Diff(map[string]string{"message": text.Shown(n.Message, shownMessage)}, struct{}{})
			preview := kit.Preview[deleteUpdateInput]{
				Summary: "Delete an update of the incident " + live.Name, Payload: in, Diff: diff, Revision: live.Revision,
				Labels:  map[string]string{in.IncidentID.String(): live.Name},
				Effects: []string{"Its history of edits goes with it."},
			}
			if n.StatusChange != "" {
				preview.Effects = append(preview.Effects, "The status that it set stays.")
			}
			return preview, err
		},
		func(in deleteUpdateInput) tool.Request {
			return kit.Delete(incidentsAPI.At(in.IncidentID, "updates", in.UpdateID.String()))
		},
		kit.Gone)
}
