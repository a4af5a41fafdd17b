package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateEnvironmentInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the environment."`
	EnvironmentChange
}

// Targets implements tool.Targeted.
func (in updateEnvironmentInput) Targets() []tool.Target {
	return []tool.Target{environmentsAPI.Target(in.ID, access.Edit)}
}

func updateEnvironmentTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(texts, "catalog.updateEnvironment", tool.Mutate, EnvironmentManage).WithInverse(kit.Former("catalog.updateEnvironment")),
		func(ctx context.Context, c tool.Caller, in updateEnvironmentInput) (kit.Preview[updateEnvironmentInput], error) {
			var none kit.Preview[updateEnvironmentInput]
			live, err := environmentsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			before := NewEnvironment{Name: live.Record.Name, Description: live.Record.Description, Fields: live.Record.Fields}
			var v validation
			after := v.environment(in.over(before))
			if err := environmentsAPI.CheckNameIsFree(ctx, c, &v.Issues, after.Name, in.ID); err != nil {
				return none, err
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			return kit.Update(live, in, before, after)
		},
		func(in updateEnvironmentInput) tool.Request {
			return kit.Patch(environmentsAPI.At(in.ID), in.EnvironmentChange)
		},
		newEnvironmentOutput,
	)
}
