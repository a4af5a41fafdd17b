package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

func createEnvironmentTool() tool.Tool {
	d := kit.Define(
		texts,
		"catalog.createEnvironment",
		tool.Mutate,
		EnvironmentManage,
	).WithInverse(
		kit.Remover("catalog.deleteEnvironment", "environment"),
	)
	d.Schema.HiddenInput = []string{"systemIds"}
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in NewEnvironment) bool { return len(in.SystemIDs) > 0 }, "catalog.setSystemEnvironments"),
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewEnvironment) (kit.Preview[NewEnvironment], error) {
			var v validation
			in = v.newEnvironment(in)
			if err := v.Err(); err != nil {
				return kit.Preview[NewEnvironment]{}, err
			}
			if err := environmentsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return kit.Preview[NewEnvironment]{}, err
			}
			systems, err := checkMembers(ctx, c, in.SystemIDs, access.Edit)
			if err := v.Absorb(err); err != nil {
				return kit.Preview[NewEnvironment]{}, err
			}
			return kit.Preview[NewEnvironment]{Summary: "Create the environment " + in.Name, Payload: in, Labels: systems}, v.Err()
		},
		func(in NewEnvironment) tool.Request { return kit.Post(environmentsAPI.Path, in) },
		newEnvironmentOutput)
}
