package incident

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type acknowledgeInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the incident; ids come from incident_list."`
}

// Targets implements tool.Targeted.
func (in acknowledgeInput) Targets() []tool.Target { return about(in.ID) }

func acknowledgeTool() tool.Tool {
	return kit.NewWrite(kit.Define(texts, "incident.acknowledge", tool.Mutate, Manage),
		func(ctx context.Context, c tool.Caller, in acknowledgeInput) (kit.Preview[acknowledgeInput], error) {
			var none kit.Preview[acknowledgeInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			switch {
			case err != nil:
				return none, err
			case !live.Record.IsOpen():
				return none, kit.Unchanged("the incident %s is resolved.", live.Name)
			case live.Record.Acknowledged != nil:
				return none, kit.Unchanged("%s has taken the incident %s on.", brief(live.Record.Listed).AcknowledgedBy, live.Name)
			}
			return kit.Preview[acknowledgeInput]{
				Summary: "Take on the incident " + live.Name, Payload: in, Revision: live.Revision,
				Labels:  map[string]string{in.ID.String(): live.Name},
				Effects: []string{"The person who decides is noted as the one who looks after it."},
			}, nil
		},
		func(in acknowledgeInput) tool.Request {
			return kit.Post(incidentsAPI.At(in.ID, "acknowledge"), nil)
		},
		newMovedOutput)
}
