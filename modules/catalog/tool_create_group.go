package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

func createGroupTool() tool.Tool {
	d := kit.Define(texts, "catalog.createGroup", tool.Mutate, GroupManage).WithInverse(kit.Remover("catalog.deleteGroup", "group"))
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in NewGroup) bool { return len(in.SystemIDs) > 0 }, "catalog.addSystemToGroup"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewGroup) (kit.Preview[NewGroup], error) {
			var v validation
			in = v.newGroup(in)
			if err := v.Err(); err != nil {
				return kit.Preview[NewGroup]{}, err
			}
			if err := groupsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return kit.Preview[NewGroup]{}, err
			}
			p := kit.Preview[NewGroup]{Summary: "Create the group " + in.Name, Payload: in}
			systems, err := checkMembers(ctx, c, in.SystemIDs, access.View)
			if err := v.Absorb(err); err != nil {
				return kit.Preview[NewGroup]{}, err
			}
			p.Labels = systems
			switch n := len(in.SystemIDs); {
			case n == 1:
				p.Summary += " with " + systems[in.SystemIDs[0].String()]
			case n > 1:
				p.Summary += fmt.Sprintf(" with %d systems", n)
			}
			return p, v.Err()
		},
		func(in NewGroup) tool.Request { return kit.Post(groupsAPI.Path, in) },
		newGroupOutput)
}
