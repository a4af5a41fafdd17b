package catalog

import (
	"context"
	_ "embed"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_delete_environment.md
var deleteEnvironmentText string

type deleteEnvironmentInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the environment."`
}

func deleteEnvironmentTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.deleteEnvironment", Description: deleteEnvironmentText, Effect: tool.Destructive, Rules: []string{EnvironmentManage},
	}, func(ctx context.Context, c tool.Caller, in deleteEnvironmentInput) (tool.Preview[deleteEnvironmentInput], error) {
		live, etag, err := read[Environment](ctx, c, environmentsPath, in.ID, "id")
		if err != nil {
			return tool.Preview[deleteEnvironmentInput]{}, err
		}
		summary := "Delete the environment " + live.Name
		if n := len(live.SystemIDs); n > 0 {
			summary += ", in which " + count(n, "system runs", "systems run") + " (the systems stay)"
		}
		return tool.Preview[deleteEnvironmentInput]{Summary: summary, Payload: in, Revision: etag, Labels: map[string]string{in.ID.String(): live.Name}}, nil
	}, func(ctx context.Context, c tool.Caller, in deleteEnvironmentInput) (deleted, error) {
		return remove(ctx, c, environmentsPath+"/"+in.ID.String())
	})
}
