package incident

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type resolveInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the incident; ids come from incident_list."`
	Closing
}

// Targets implements tool.Targeted.
func (in resolveInput) Targets() []tool.Target { return about(in.ID) }

func resolveTool() tool.Tool {
	d := kit.Define(texts, "incident.resolve", tool.Mutate, Manage)
	d.Operations.RelatedOperations = []tool.Operation{
		{Method: http.MethodPost, Path: path + "/bulk-resolve"},
		{Method: http.MethodPost, Path: path + "/{id}/reopen"},
	}
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in resolveInput) bool { return in.Message != "" }, "incident.addUpdate"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in resolveInput) (kit.Preview[resolveInput], error) {
			var none kit.Preview[resolveInput]
			live, err := incidentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			if !live.Record.IsOpen() {
				return none, kit.Unchanged("the incident %s is resolved already.", live.Name)
			}
			var v validation
			in.Closing = v.closing(in.Closing)
			if err := v.Err(); err != nil {
				return none, err
			}
			diff, err := kit.Diff(map[string]Status{"status": live.Record.Status}, map[string]Status{"status": Resolved})
			return kit.Preview[resolveInput]{
				Summary: "Resolve the incident " + live.Name, Payload: in, Diff: diff, Revision: live.Revision,
				Labels: map[string]string{in.ID.String(): live.Name}, Effects: endOfOverride(live.Record),
			}, err
		},
		func(in resolveInput) tool.Request { return kit.Post(incidentsAPI.At(in.ID, "resolve"), in.Closing) },
		newMovedOutput)
}
