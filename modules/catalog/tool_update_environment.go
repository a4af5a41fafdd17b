package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_update_environment.md
var updateEnvironmentText string

type updateEnvironmentInput struct {
	ID          uuid.UUID `json:"id" jsonschema:"description=The id of the environment."`
	Name        *string   `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120"`
	Description *string   `json:"description,omitempty" jsonschema:"maxLength=2000,description=An empty text clears it."`
	Fields      *Record   `json:"fields,omitempty" jsonschema:"description=Replaces all fields; include those that are to stay. id and name are reserved."`
}

// environmentFields are the fields that updateEnvironment changes, as a diff shows them.
func environmentFields(e NewEnvironment) map[string]any {
	return map[string]any{"name": e.Name, "description": e.Description, "fields": e.Fields}
}

func updateEnvironmentTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.updateEnvironment", Description: updateEnvironmentText, Effect: tool.Mutate, Rules: []string{EnvironmentManage},
	}, func(ctx context.Context, c tool.Caller, in updateEnvironmentInput) (tool.Preview[updateEnvironmentInput], error) {
		var none tool.Preview[updateEnvironmentInput]
		live, etag, err := read[Environment](ctx, c, environmentsPath, in.ID, "id")
		if err != nil {
			return none, err
		}
		before := NewEnvironment{Name: live.Name, Description: live.Description, Fields: live.Fields}
		after := before
		replace(&after.Name, in.Name)
		replace(&after.Description, in.Description)
		replace(&after.Fields, in.Fields)
		var v validation
		after = v.environment(after)
		if err := checkNameIsFree(ctx, c, &v, environmentKind, environmentsPath, after.Name, in.ID); err != nil {
			return none, err
		}
		if err := v.Err(); err != nil {
			return none, err
		}
		diff, err := tool.Diff(environmentFields(before), environmentFields(after))
		if err != nil {
			return none, err
		}
		if len(diff) == 0 {
			return none, unchanged("the environment %s is like this already.", live.Name)
		}
		adopt(&in.Name, after.Name)
		adopt(&in.Description, after.Description)
		adopt(&in.Fields, after.Fields)
		return tool.Preview[updateEnvironmentInput]{Summary: describeChange(environmentKind, live.Name, diff), Payload: in, Diff: diff, Revision: etag}, nil
	}, func(ctx context.Context, c tool.Caller, in updateEnvironmentInput) (environmentOutput, error) {
		body := struct {
			Name        *string `json:"name,omitempty"`
			Description *string `json:"description,omitempty"`
			Fields      *Record `json:"fields,omitempty"`
		}{in.Name, in.Description, in.Fields}
		var out environmentOutput
		_, err := c.Client.Do(ctx, http.MethodPatch, environmentsPath+"/"+in.ID.String(), body, &out.Environment)
		return out, err
	})
}
