package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateSystemInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the system."`
	SystemChange
}

// Targets implements tool.Targeted.
func (in updateSystemInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.ID, access.Edit)}
}

func updateSystemTool() tool.Tool {
	return kit.NewWrite(kit.Define(texts, "catalog.updateSystem", tool.Mutate, SystemManage).OrGrant(systemKind, access.Edit).
		WithInverse(kit.Former("catalog.updateSystem")),
		func(ctx context.Context, c tool.Caller, in updateSystemInput) (kit.Preview[updateSystemInput], error) {
			var none kit.Preview[updateSystemInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			before := NewSystem{Name: live.Record.Name, Description: live.Record.Description, Metadata: live.Record.Metadata, Tags: live.Record.Tags}
			var v validation
			after := v.system(in.over(before))
			if err := systemsAPI.CheckNameIsFree(ctx, c, &v.Issues, after.Name, in.ID); err != nil {
				return none, err
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			return kit.Update(live, in, before, after)
		},
		func(in updateSystemInput) tool.Request { return kit.Patch(systemsAPI.At(in.ID), in.SystemChange) },
		newSystemOutput)
}
