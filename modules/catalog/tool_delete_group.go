package catalog

import (
	"context"
	_ "embed"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_delete_group.md
var deleteGroupText string

type deleteGroupInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the group."`
}

func deleteGroupTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.deleteGroup", Description: deleteGroupText, Effect: tool.Destructive, Rules: []string{GroupManage},
	}, func(ctx context.Context, c tool.Caller, in deleteGroupInput) (tool.Preview[deleteGroupInput], error) {
		live, etag, err := read[Group](ctx, c, groupsPath, in.ID, "id")
		if err != nil {
			return tool.Preview[deleteGroupInput]{}, err
		}
		if err := mayChange(groupKind, live.Name, live.Access, access.Own); err != nil {
			return tool.Preview[deleteGroupInput]{}, err
		}
		summary := "Delete the group " + live.Name
		if n := len(live.SystemIDs); n > 0 {
			summary += ", which holds " + count(n, "system", "systems") + " (the systems stay)"
		}
		return tool.Preview[deleteGroupInput]{Summary: summary, Payload: in, Revision: etag, Labels: map[string]string{in.ID.String(): live.Name}}, nil
	}, func(ctx context.Context, c tool.Caller, in deleteGroupInput) (deleted, error) {
		return remove(ctx, c, groupsPath+"/"+in.ID.String())
	})
}
