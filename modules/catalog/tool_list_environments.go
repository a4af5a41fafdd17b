package catalog

import (
	"context"
	_ "embed"

	"countersign/tool"
)

//go:embed tool_list_environments.md
var listEnvironmentsText string

type listEnvironmentsInput struct{}

type listEnvironmentsOutput struct {
	Environments []briefEnvironment `json:"environments"`
	More         bool               `json:"more,omitempty" jsonschema:"description=There are more than these."`
}

func listEnvironmentsTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "catalog.listEnvironments", Description: listEnvironmentsText, Effect: tool.Read, Rules: []string{EnvironmentRead},
	}, func(ctx context.Context, c tool.Caller, _ listEnvironmentsInput) (listEnvironmentsOutput, error) {
		var page struct {
			Environments []briefEnvironment `json:"environments"`
			NextCursor   string             `json:"nextCursor"`
		}
		_, err := c.Client.Get(ctx, environmentsPath, &page)
		return listEnvironmentsOutput{Environments: page.Environments, More: page.NextCursor != ""}, err
	})
}
