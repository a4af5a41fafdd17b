package healthcheck

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type checkChoice struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the health check."`
}

type deleteInput struct{ checkChoice }

// Targets implements tool.Targeted.
func (in deleteInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.ID, access.Own)}
}

func deleteTool() tool.Tool {
	return tool.NewWrite(tool.Define(texts, "healthcheck.delete", tool.Destructive, Manage).OrGrant(checkKind, access.Own).WithOthers(),
		func(ctx context.Context, c tool.Caller, in deleteInput) (tool.Preview[deleteInput], error) {
			live, err := checksAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return tool.Preview[deleteInput]{}, err
			}
			preview := tool.Remove(live, in, "Delete the health check "+live.Name)
			preview.Effects = []string{goneWith(live.Record.Systems), "What it has found goes with it.", "The grants on it go with it, if there are any."}
			return preview, nil
		},
		func(in deleteInput) tool.Request { return tool.Delete(checksAPI.At(in.ID)) },
		tool.Gone)
}

func goneWith(systems int) string {
	switch systems {
	case 0:
		return "You see no system that it checks. Others that it checks are no longer checked by it."
	case 1:
		return "One system that you see is no longer checked by it."
	default:
		return fmt.Sprintf("%d systems that you see are no longer checked by it.", systems)
	}
}
