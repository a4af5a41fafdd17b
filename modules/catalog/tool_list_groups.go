package catalog

import (
	"context"
	_ "embed"

	"countersign/tool"
)

//go:embed tool_list_groups.md
var listGroupsText string

type listGroupsInput struct{}

type listGroupsOutput struct {
	Groups []briefGroup `json:"groups"`
	More   bool         `json:"more,omitempty" jsonschema:"description=There are more than these."`
}

func listGroupsTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "catalog.listGroups", Description: listGroupsText, Effect: tool.Read, Rules: []string{GroupRead},
	}, func(ctx context.Context, c tool.Caller, _ listGroupsInput) (listGroupsOutput, error) {
		var page struct {
			Groups     []briefGroup `json:"groups"`
			NextCursor string       `json:"nextCursor"`
		}
		_, err := c.Client.Get(ctx, groupsPath, &page)
		return listGroupsOutput{Groups: page.Groups, More: page.NextCursor != ""}, err
	})
}
