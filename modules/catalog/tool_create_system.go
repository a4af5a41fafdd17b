package catalog

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

func createSystemTool() tool.Tool {
	d := kit.Define(texts, "catalog.createSystem", tool.Mutate, SystemManage)
	d.Impact.Inverse = kit.Remover("catalog.deleteSystem", "system")
	// Other tools add these parts later.
	d.Schema.HiddenInput = []string{"contacts", "links", "environmentIds", "groupIds"}
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in NewSystem) bool { return in.OwnerTeamID != nil }, slices.Concat([]string{"catalog.setSystemOwner"}, grantTools)...),
		kit.When(func(in NewSystem) bool { return len(in.Contacts) > 0 }, "catalog.addSystemContact"),
		kit.When(func(in NewSystem) bool { return len(in.Links) > 0 }, "catalog.addSystemLink"),
		kit.When(func(in NewSystem) bool { return len(in.EnvironmentIDs) > 0 }, "catalog.setSystemEnvironments"),
		kit.When(func(in NewSystem) bool { return len(in.GroupIDs) > 0 }, "catalog.addSystemToGroup"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewSystem) (kit.Preview[NewSystem], error) {
			var v validation
			in = v.newSystem(in)
			if err := v.Err(); err != nil {
				return kit.Preview[NewSystem]{}, err
			}
			if err := systemsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return kit.Preview[NewSystem]{}, err
			}
			p := kit.Preview[NewSystem]{Summary: "Create the system " + in.Name, Payload: in}
			if in.OwnerTeamID != nil {
				team, err := teamsAPI.Load(ctx, c, *in.OwnerTeamID, "ownerTeamId")
				if err := v.Absorb(err); err != nil {
					return kit.Preview[NewSystem]{}, err
				}
				p.Summary += ", owned by " + team.Name
				p.Labels = map[string]string{in.OwnerTeamID.String(): team.Name}
			}
			if err := v.Absorb(checkParts(ctx, c, in)); err != nil {
				return kit.Preview[NewSystem]{}, err
			}
			return p, v.Err()
		},
		func(in NewSystem) tool.Request { return kit.Post(systemsAPI.Path, in) },
		newSystemOutput)
}
