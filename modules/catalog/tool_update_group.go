package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateGroupInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the group."`
	GroupChange
}

// Targets implements tool.Targeted.
func (in updateGroupInput) Targets() []tool.Target {
	return []tool.Target{groupsAPI.Target(in.ID, access.Edit)}
}

func updateGroupTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(
			texts,
			"catalog.updateGroup",
			tool.Mutate,
			GroupManage,
		).OrGrant(
			groupKind,
			access.Edit,
		).WithInverse(
			kit.Former("catalog.updateGroup"),
		),
		func(ctx context.Context, c tool.Caller, in updateGroupInput) (kit.Preview[updateGroupInput], error) {
			var none kit.Preview[updateGroupInput]
			live, err := groupsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			before := NewGroup{Name: live.Record.Name, Description: live.Record.Description, Metadata: live.Record.Metadata}
			var v validation
			after := v.group(in.over(before))
			if err := groupsAPI.CheckNameIsFree(ctx, c, &v.Issues, after.Name, in.ID); err != nil {
				return none, err
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			return kit.Update(live, in, before, after)
		},
		func(in updateGroupInput) tool.Request { return kit.Patch(groupsAPI.At(in.ID), in.GroupChange) },
		newGroupOutput,
	)
}
