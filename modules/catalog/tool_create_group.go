package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
)

func createGroupTool() tool.Tool {
	return tool.NewWrite(tool.Define(texts, "catalog.createGroup", tool.Mutate, GroupManage).WithInverse(tool.Remover("catalog.deleteGroup", "group")),
		func(ctx context.Context, c tool.Caller, in NewGroup) (tool.Preview[NewGroup], error) {
			var v validation
			in = v.group(in)
			if err := v.Err(); err != nil {
				return tool.Preview[NewGroup]{}, err
			}
			if err := groupsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return tool.Preview[NewGroup]{}, err
			}
			return tool.Preview[NewGroup]{Summary: "Create the group " + in.Name, Payload: in}, v.Err()
		},
		func(in NewGroup) tool.Request { return tool.Post(groupsAPI.Path, in) },
		newGroupOutput)
}
