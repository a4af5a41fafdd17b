package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteEnvironmentInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the environment."`
}

// Targets implements tool.Targeted.
func (in deleteEnvironmentInput) Targets() []tool.Target {
	return []tool.Target{environmentsAPI.Target(in.ID, access.Own)}
}

func deleteEnvironmentTool() tool.Tool {
	d := kit.Define(texts, "catalog.deleteEnvironment", tool.Destructive, EnvironmentManage).WithCascade().
		WithInverse(kit.Restorer("catalog.createEnvironment")).
		WithRebase(kit.RebaseOf(rebaseEnvironment))
	d.Policy.Covers = []string{"catalog.setSystemEnvironments"}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteEnvironmentInput) (kit.Preview[deleteEnvironmentInput], error) {
			live, err := environmentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return kit.Preview[deleteEnvironmentInput]{}, err
			}
			preview := kit.Remove(live, in, "Delete the environment "+live.Name)
			preview.Effects = append(effectsOnMembers(len(live.Record.SystemIDs)), effectsOfUndo("environment", len(live.Record.SystemIDs))...)
			preview.Before = formerEnvironment(live.Record)
			return preview, nil
		},
		func(in deleteEnvironmentInput) tool.Request { return kit.Delete(environmentsAPI.At(in.ID)) },
		kit.Gone)
}
