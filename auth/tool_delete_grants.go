package auth

import (
	"context"

	"countersign/tool"
)

func deleteGrantsTool() tool.Tool {
	d := guarded[deleteGrantsInput](
		tool.Define(texts, "auth.deleteGrants", tool.Destructive, RuleTeamsManage, RuleTeamsRead).WithCascade(),
		nil,
	)
	d.Policy.Covers, d.Policy.ConditionalCovers = []string{"auth.setGrants"}, underOwnership
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteGrantsInput) (tool.Preview[deleteGrantsInput], error) {
			return previewGrants(ctx, c, in.object, Access{}, in, "Delete the grants")
		},
		func(in deleteGrantsInput) tool.Request { return tool.Delete(in.path()) },
		tool.Gone)
}
