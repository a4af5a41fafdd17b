package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type deleteEnvironmentInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the environment."`
}

// Targets implements tool.Targeted.
func (in deleteEnvironmentInput) Targets() []tool.Target {
	return []tool.Target{environmentsAPI.Target(in.ID, access.Own)}
}

func deleteEnvironmentTool() tool.Tool {
	return tool.NewWrite(tool.Define(texts, "catalog.deleteEnvironment", tool.Destructive, EnvironmentManage),
		func(ctx context.Context, c tool.Caller, in deleteEnvironmentInput) (tool.Preview[deleteEnvironmentInput], error) {
			live, err := environmentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return tool.Preview[deleteEnvironmentInput]{}, err
			}
			summary := "Delete the environment " + live.Name
			if n := len(live.Record.SystemIDs); n > 0 {
				summary += ", in which " + count(n, "system runs", "systems run") + " (the systems stay)"
			}
			return tool.Remove(live, in, summary), nil
		},
		func(in deleteEnvironmentInput) tool.Request { return tool.Delete(environmentsAPI.At(in.ID)) },
		tool.Gone)
}
