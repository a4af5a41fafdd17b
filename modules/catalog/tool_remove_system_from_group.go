package catalog

import (
	"context"
	"slices"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

func removeSystemFromGroupTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(
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
				kit.Opposite("catalog.addSystemToGroup"),
			),
		func(ctx context.Context, c tool.Caller, in memberInput) (kit.Preview[memberInput], error) {
			group, system, err := loadMembership(ctx, c, in)
			if err != nil {
				return kit.Preview[memberInput]{}, err
			}
			if !slices.Contains(group.Record.SystemIDs, in.SystemID) {
				return kit.Preview[memberInput]{}, kit.Unchanged("the system %s is not in the group %s.", system.Name, group.Name)
			}
			diff, err := kit.Diff(map[string]any{"systems": nameSet([]string{system.Name})}, struct{}{})
			summary := "Take the system " + system.Name + " out of the group " + group.Name
			return kit.Preview[memberInput]{Summary: summary, Payload: in, Diff: diff, Revision: group.Revision}, err
		},
		func(in memberInput) tool.Request { return kit.Delete(in.path()) },
		newMemberOutput,
	)
}
