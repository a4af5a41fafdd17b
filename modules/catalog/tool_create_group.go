package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_create_group.md
var createGroupText string

type createGroupInput struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000"`
	Metadata    Record `json:"metadata,omitempty" jsonschema:"description=Free JSON object of at most 16 KB; only what was asked for."`
}

type groupOutput struct {
	Group briefGroup `json:"group"`
}

func createGroupTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.createGroup", Description: createGroupText, Effect: tool.Mutate, Rules: []string{GroupManage},
	}, func(ctx context.Context, c tool.Caller, in createGroupInput) (tool.Preview[createGroupInput], error) {
		var v validation
		in = createGroupInput(v.group(NewGroup(in)))
		if err := v.Err(); err != nil {
			return tool.Preview[createGroupInput]{}, err
		}
		if err := checkNameIsFree(ctx, c, &v, groupKind, groupsPath, in.Name, uuid.Nil); err != nil {
			return tool.Preview[createGroupInput]{}, err
		}
		return tool.Preview[createGroupInput]{Summary: "Create the group " + in.Name, Payload: in}, v.Err()
	}, func(ctx context.Context, c tool.Caller, in createGroupInput) (groupOutput, error) {
		var out groupOutput
		_, err := c.Client.Do(ctx, http.MethodPost, groupsPath, in, &out.Group)
		return out, err
	})
}
