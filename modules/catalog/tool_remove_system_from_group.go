package catalog

import (
	"context"
	"slices"

	"countersign/internal/access"
	"countersign/tool"
)

func removeSystemFromGroupTool() tool.Tool {
	return tool.NewWrite(
		tool.Define(
			texts,
			"catalog.removeSystemFromGroup",
			tool.Destructive,
			GroupManage,
			SystemRead,
		).OrGrant(
			groupKind,
			access.Edit,
		).OrGrant(
			systemKind,
			access.View,
		).WithoutCascade().
			WithInverse(
				tool.Opposite("catalog.addSystemToGroup"),
			),
		func(ctx context.Context, c tool.Caller, in memberInput) (tool.Preview[memberInput], error) {
			group, system, err := loadMembership(ctx, c, in)
			if err != nil {
				return tool.Preview[memberInput]{}, err
			}
			if !slices.Contains(group.Record.SystemIDs, in.SystemID) {
				return tool.Preview[memberInput]{}, tool.Unchanged("the system %s is not in the group %s.", system.Name, group.Name)
			}
			diff, err := tool.Diff(map[string]any{"systems": nameSet([]string{system.Name})}, struct{}{})
			summary := "Take the system " + system.Name + " out of the group " + group.Name
			return tool.Preview[memberInput]{Summary: summary, Payload: in, Diff: diff, Revision: group.Revision}, err
		},
		func(in memberInput) tool.Request { return tool.Delete(in.path()) },
		newMemberOutput,
	)
}
