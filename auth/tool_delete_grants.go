package auth

import (
	"context"

	"countersign/tool"
	"countersign/tool/kit"
)

func deleteGrantsTool() tool.Tool {
	d := guarded[deleteGrantsInput](
		kit.Define(texts, "auth.deleteGrants", tool.Destructive, RuleTeamsManage, RuleTeamsRead).WithCascade(),
		nil,
	)
	d.Policy.Covers, d.Policy.ConditionalCovers = []string{"auth.setGrants"}, underOwnership
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteGrantsInput) (kit.Preview[deleteGrantsInput], error) {
			return previewGrants(ctx, c, in.object, Access{}, in, "Delete the grants")
		},
		func(in deleteGrantsInput) tool.Request { return kit.Delete(in.path()) },
		kit.Gone)
}
