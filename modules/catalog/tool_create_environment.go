package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
)

func createEnvironmentTool() tool.Tool {
	return tool.NewWrite(tool.Define(texts, "catalog.createEnvironment", tool.Mutate, EnvironmentManage).WithInverse(tool.Remover("catalog.deleteEnvironment", "environment")),
		func(ctx context.Context, c tool.Caller, in NewEnvironment) (tool.Preview[NewEnvironment], error) {
			var v validation
			in = v.environment(in)
			if err := v.Err(); err != nil {
				return tool.Preview[NewEnvironment]{}, err
			}
			if err := environmentsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return tool.Preview[NewEnvironment]{}, err
			}
			return tool.Preview[NewEnvironment]{Summary: "Create the environment " + in.Name, Payload: in}, v.Err()
		},
		func(in NewEnvironment) tool.Request { return tool.Post(environmentsAPI.Path, in) },
		newEnvironmentOutput)
}
