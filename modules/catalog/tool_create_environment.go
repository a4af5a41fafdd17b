package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
)

func createEnvironmentTool() tool.Tool {
	d := tool.Define(
		texts,
		"catalog.createEnvironment",
		tool.Mutate,
		EnvironmentManage,
	).WithInverse(
		tool.Remover("catalog.deleteEnvironment", "environment"),
	)
	d.Schema.HiddenInput = []string{"systemIds"}
	d.Policy.ConditionalCovers = tool.ConditionalCovers(
		tool.When(func(in NewEnvironment) bool { return len(in.SystemIDs) > 0 }, "catalog.setSystemEnvironments"),
	)
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewEnvironment) (tool.Preview[NewEnvironment], error) {
			var v validation
			in = v.newEnvironment(in)
			if err := v.Err(); err != nil {
				return tool.Preview[NewEnvironment]{}, err
			}
			if err := environmentsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return tool.Preview[NewEnvironment]{}, err
			}
			systems, err := checkMembers(ctx, c, in.SystemIDs, access.Edit)
			if err := v.Absorb(err); err != nil {
				return tool.Preview[NewEnvironment]{}, err
			}
			return tool.Preview[NewEnvironment]{Summary: "Create the environment " + in.Name, Payload: in, Labels: systems}, v.Err()
		},
		func(in NewEnvironment) tool.Request { return tool.Post(environmentsAPI.Path, in) },
		newEnvironmentOutput)
}
