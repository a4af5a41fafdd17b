package catalog

import (
	"context"

	"countersign/tool"
)

type listEnvironmentsOutput struct {
	Environments []briefEnvironment `json:"environments"`
	More         bool               `json:"more,omitempty" jsonschema:"description=There are more than these."`
}

func listEnvironmentsTool() tool.Tool {
	return tool.NewRead(
		tool.Define(texts, "catalog.listEnvironments", tool.Read, EnvironmentRead),
		func(ctx context.Context, c tool.Caller, _ struct{}) (listEnvironmentsOutput, error) {
			list, more, err := tool.Page[briefEnvironment](ctx, c, environmentsAPI.Path, "environments", nil)
			return listEnvironmentsOutput{Environments: list, More: more}, err
		},
	)
}
