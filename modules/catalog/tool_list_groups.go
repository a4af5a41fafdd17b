package catalog

import (
	"context"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type listGroupsOutput struct {
	Groups []briefGroup `json:"groups"`
	More   bool         `json:"more,omitempty" jsonschema:"description=There are more than these."`
}

func listGroupsTool() tool.Tool {
	return kit.NewRead(
		kit.Define(texts, "catalog.listGroups", tool.Read, GroupRead).OrGrant(groupKind, access.View),
		func(ctx context.Context, c tool.Caller, _ struct{}) (listGroupsOutput, error) {
			list, more, err := kit.Page[briefGroup](ctx, c, groupsAPI.Path, "groups", nil)
			return listGroupsOutput{Groups: list, More: more}, err
		},
	)
}
