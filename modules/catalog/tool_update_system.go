package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_update_system.md
var updateSystemText string

type updateSystemInput struct {
	ID          uuid.UUID `json:"id" jsonschema:"description=The id of the system."`
	Name        *string   `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120"`
	Description *string   `json:"description,omitempty" jsonschema:"maxLength=2000,description=An empty text clears it."`
	Metadata    *Record   `json:"metadata,omitempty" jsonschema:"description=Replaces the whole metadata; include what is to stay."`
	Tags        *[]string `json:"tags,omitempty" jsonschema:"maxItems=20,description=Replaces all tags; include those that are to stay."`
}

// systemFields are the fields that updateSystem changes, as a diff shows them.
func systemFields(s NewSystem) map[string]any {
	return map[string]any{"name": s.Name, "description": s.Description, "metadata": s.Metadata, "tags": s.Tags}
}

func updateSystemTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.updateSystem", Description: updateSystemText, Effect: tool.Mutate, Rules: []string{SystemManage},
	}, func(ctx context.Context, c tool.Caller, in updateSystemInput) (tool.Preview[updateSystemInput], error) {
		var none tool.Preview[updateSystemInput]
		live, etag, err := systemToChange(ctx, c, in.ID, "id", access.Edit)
		if err != nil {
			return none, err
		}
		before := NewSystem{Name: live.Name, Description: live.Description, Metadata: live.Metadata, Tags: live.Tags}
		after := before
		replace(&after.Name, in.Name)
		replace(&after.Description, in.Description)
		replace(&after.Metadata, in.Metadata)
		replace(&after.Tags, in.Tags)
		var v validation
		after = v.system(after)
		if err := checkNameIsFree(ctx, c, &v, systemKind, systemsPath, after.Name, in.ID); err != nil {
			return none, err
		}
		if err := v.Err(); err != nil {
			return none, err
		}
		diff, err := tool.Diff(systemFields(before), systemFields(after))
		if err != nil {
			return none, err
		}
		if len(diff) == 0 {
			return none, unchanged("the system %s is like this already.", live.Name)
		}
		adopt(&in.Name, after.Name)
		adopt(&in.Description, after.Description)
		adopt(&in.Metadata, after.Metadata)
		adopt(&in.Tags, after.Tags)
		return tool.Preview[updateSystemInput]{Summary: describeChange(systemKind, live.Name, diff), Payload: in, Diff: diff, Revision: etag}, nil
	}, func(ctx context.Context, c tool.Caller, in updateSystemInput) (systemOutput, error) {
		body := struct {
			Name        *string   `json:"name,omitempty"`
			Description *string   `json:"description,omitempty"`
			Metadata    *Record   `json:"metadata,omitempty"`
			Tags        *[]string `json:"tags,omitempty"`
		}{in.Name, in.Description, in.Metadata, in.Tags}
		var updated System
		_, err := c.Client.Do(ctx, http.MethodPatch, systemsPath+"/"+in.ID.String(), body, &updated)
		return systemOutput{System: brief(updated)}, err
	})
}
