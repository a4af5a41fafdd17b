package auth

import (
	"context"

	"countersign/tool"
	"countersign/tool/kit"
)

func setGrantsTool() tool.Tool {
	d := guarded[setGrantsInput](kit.Define(texts, "auth.setGrants", tool.Mutate, RuleTeamsManage, RuleTeamsRead).WithCascade(), nil)
	// A replacement removes the earlier grants, and an empty one removes all.
	d.Policy.Covers, d.Policy.ConditionalCovers = []string{"auth.deleteGrants"}, underOwnership
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in setGrantsInput) (kit.Preview[setGrantsInput], error) {
			return previewGrants(ctx, c, in.object, in.Access, in, "Replace the grants")
		},
		func(in setGrantsInput) tool.Request { return kit.Put(in.path(), in.Access) },
		func(Access) kit.Deleted { return kit.Deleted{} })
}
