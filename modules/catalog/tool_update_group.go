package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_update_group.md
var updateGroupText string

type updateGroupInput struct {
	ID          uuid.UUID `json:"id" jsonschema:"description=The id of the group."`
	Name        *string   `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120"`
	Description *string   `json:"description,omitempty" jsonschema:"maxLength=2000,description=An empty text clears it."`
	Metadata    *Record   `json:"metadata,omitempty" jsonschema:"description=Replaces the whole metadata; include what is to stay."`
}

// groupFields are the fields that updateGroup changes, as a diff shows them.
func groupFields(g NewGroup) map[string]any {
	return map[string]any{"name": g.Name, "description": g.Description, "metadata": g.Metadata}
}

func updateGroupTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.updateGroup", Description: updateGroupText, Effect: tool.Mutate, Rules: []string{GroupManage},
	}, func(ctx context.Context, c tool.Caller, in updateGroupInput) (tool.Preview[updateGroupInput], error) {
		var none tool.Preview[updateGroupInput]
		live, etag, err := read[Group](ctx, c, groupsPath, in.ID, "id")
		if err != nil {
			return none, err
		}
		if err := mayChange(groupKind, live.Name, live.Access, access.Edit); err != nil {
			return none, err
		}
		before := NewGroup{Name: live.Name, Description: live.Description, Metadata: live.Metadata}
		after := before
		replace(&after.Name, in.Name)
		replace(&after.Description, in.Description)
		replace(&after.Metadata, in.Metadata)
		var v validation
		after = v.group(after)
		if err := checkNameIsFree(ctx, c, &v, groupKind, groupsPath, after.Name, in.ID); err != nil {
			return none, err
		}
		if err := v.Err(); err != nil {
			return none, err
		}
		diff, err := tool.Diff(groupFields(before), groupFields(after))
		if err != nil {
			return none, err
		}
		if len(diff) == 0 {
			return none, unchanged("the group %s is like this already.", live.Name)
		}
		adopt(&in.Name, after.Name)
		adopt(&in.Description, after.Description)
		adopt(&in.Metadata, after.Metadata)
		return tool.Preview[updateGroupInput]{Summary: describeChange(groupKind, live.Name, diff), Payload: in, Diff: diff, Revision: etag}, nil
	}, func(ctx context.Context, c tool.Caller, in updateGroupInput) (groupOutput, error) {
		body := struct {
			Name        *string `json:"name,omitempty"`
			Description *string `json:"description,omitempty"`
			Metadata    *Record `json:"metadata,omitempty"`
		}{in.Name, in.Description, in.Metadata}
		var out groupOutput
		_, err := c.Client.Do(ctx, http.MethodPatch, groupsPath+"/"+in.ID.String(), body, &out.Group)
		return out, err
	})
}
