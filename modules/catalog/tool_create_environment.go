package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_create_environment.md
var createEnvironmentText string

type createEnvironmentInput struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000"`
	Fields      Record `json:"fields,omitempty" jsonschema:"description=Free fields such as region or baseUrl; id and name are reserved."`
}

type environmentOutput struct {
	Environment briefEnvironment `json:"environment"`
}

func createEnvironmentTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.createEnvironment", Description: createEnvironmentText, Effect: tool.Mutate, Rules: []string{EnvironmentManage},
	}, func(ctx context.Context, c tool.Caller, in createEnvironmentInput) (tool.Preview[createEnvironmentInput], error) {
		var v validation
		in = createEnvironmentInput(v.environment(NewEnvironment(in)))
		if err := v.Err(); err != nil {
			return tool.Preview[createEnvironmentInput]{}, err
		}
		if err := checkNameIsFree(ctx, c, &v, environmentKind, environmentsPath, in.Name, uuid.Nil); err != nil {
			return tool.Preview[createEnvironmentInput]{}, err
		}
		return tool.Preview[createEnvironmentInput]{Summary: "Create the environment " + in.Name, Payload: in}, v.Err()
	}, func(ctx context.Context, c tool.Caller, in createEnvironmentInput) (environmentOutput, error) {
		var out environmentOutput
		_, err := c.Client.Do(ctx, http.MethodPost, environmentsPath, in, &out.Environment)
		return out, err
	})
}
