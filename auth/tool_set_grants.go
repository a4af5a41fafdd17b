package auth

import (
	"context"

	"countersign/tool"
)

func setGrantsTool() tool.Tool {
	d := guarded[setGrantsInput](tool.Define(texts, "auth.setGrants", tool.Mutate, RuleTeamsManage, RuleTeamsRead).WithCascade(), nil)
	// A replacement removes the earlier grants, and an empty one removes all.
	d.Policy.Covers, d.Policy.ConditionalCovers = []string{"auth.deleteGrants"}, underOwnership
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in setGrantsInput) (tool.Preview[setGrantsInput], error) {
			return previewGrants(ctx, c, in.object, in.Access, in, "Replace the grants")
		},
		func(in setGrantsInput) tool.Request { return tool.Put(in.path(), in.Access) },
		func(Access) tool.Deleted { return tool.Deleted{} })
}
