package catalog

import (
	"context"

	"countersign/tool"
	"countersign/tool/kit"
)

type listEnvironmentsOutput struct {
	Environments []briefEnvironment `json:"environments"`
	More         bool               `json:"more,omitempty" jsonschema:"description=There are more than these."`
}

func listEnvironmentsTool() tool.Tool {
	return kit.NewRead(
		kit.Define(texts, "catalog.listEnvironments", tool.Read, EnvironmentRead),
		func(ctx context.Context, c tool.Caller, _ struct{}) (listEnvironmentsOutput, error) {
			list, more, err := kit.Page[briefEnvironment](ctx, c, environmentsAPI.Path, "environments", nil)
			return listEnvironmentsOutput{Environments: list, More: more}, err
		},
	)
}
