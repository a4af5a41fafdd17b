package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"countersign/tool"
)

//go:embed tool_remove_system_from_group.md
var removeSystemFromGroupText string

func removeSystemFromGroupTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.removeSystemFromGroup", Description: removeSystemFromGroupText, Effect: tool.Destructive,
		Rules: []string{GroupManage, SystemRead},
	}, func(ctx context.Context, c tool.Caller, in memberInput) (tool.Preview[memberInput], error) {
		m, err := readMembership(ctx, c, in)
		if err != nil {
			return tool.Preview[memberInput]{}, err
		}
		if !m.member {
			return tool.Preview[memberInput]{}, unchanged("the system %s is not in the group %s.", m.system.Name, m.group.Name)
		}
		diff, err := tool.Diff(map[string]any{"systems": nameSet([]string{m.system.Name})}, struct{}{})
		return tool.Preview[memberInput]{
			Summary: "Take the system " + m.system.Name + " out of the group " + m.group.Name, Payload: in, Diff: diff, Revision: m.etag,
		}, err
	}, func(ctx context.Context, c tool.Caller, in memberInput) (memberOutput, error) {
		var out memberOutput
		_, err := c.Client.Do(ctx, http.MethodDelete, in.path(), nil, &out)
		return out, err
	})
}
