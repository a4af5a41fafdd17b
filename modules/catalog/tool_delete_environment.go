package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
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
	d := tool.Define(texts, "catalog.deleteEnvironment", tool.Destructive, EnvironmentManage).WithCascade().
		Restored("catalog.createEnvironment", tool.RebaseOf(rebaseEnvironment))
	d.Policy.Covers = []string{"catalog.setSystemEnvironments"}
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteEnvironmentInput) (tool.Preview[deleteEnvironmentInput], error) {
			live, err := environmentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return tool.Preview[deleteEnvironmentInput]{}, err
			}
			preview := tool.Remove(live, in, "Delete the environment "+live.Name)
			preview.Effects = append(effectsOnMembers(len(live.Record.SystemIDs)), effectsOfUndo("environment", len(live.Record.SystemIDs))...)
			preview.Before = formerEnvironment(live.Record)
			return preview, nil
		},
		func(in deleteEnvironmentInput) tool.Request { return tool.Delete(environmentsAPI.At(in.ID)) },
		tool.Gone)
}
