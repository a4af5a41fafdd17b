package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_create_system.md
var createSystemText string

type createSystemInput struct {
	Name        string     `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case."`
	Description string     `json:"description,omitempty" jsonschema:"maxLength=2000"`
	Metadata    Record     `json:"metadata,omitempty" jsonschema:"description=Free JSON object of at most 16 KB; only what was asked for."`
	Tags        []string   `json:"tags,omitempty" jsonschema:"maxItems=20,description=Short labels; kept in lower case."`
	OwnerTeamID *uuid.UUID `json:"ownerTeamId,omitempty" jsonschema:"description=The team that owns it; ids come from catalog_listTeams."`
}

type systemOutput struct {
	System briefSystem `json:"system"`
}

func createSystemTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.createSystem", Description: createSystemText, Effect: tool.Mutate, Rules: []string{SystemManage},
	}, func(ctx context.Context, c tool.Caller, in createSystemInput) (tool.Preview[createSystemInput], error) {
		var v validation
		in = createSystemInput(v.system(NewSystem(in)))
		if err := v.Err(); err != nil {
			return tool.Preview[createSystemInput]{}, err
		}
		if err := checkNameIsFree(ctx, c, &v, systemKind, systemsPath, in.Name, uuid.Nil); err != nil {
			return tool.Preview[createSystemInput]{}, err
		}
		summary := "Create the system " + in.Name
		var labels map[string]string
		if in.OwnerTeamID != nil {
			team, _, err := read[Reference](ctx, c, teamsPath, *in.OwnerTeamID, "ownerTeamId")
			if err := v.Absorb(err); err != nil {
				return tool.Preview[createSystemInput]{}, err
			}
			summary += ", owned by " + team.Name
			labels = map[string]string{in.OwnerTeamID.String(): team.Name}
		}
		return tool.Preview[createSystemInput]{Summary: summary, Payload: in, Labels: labels}, v.Err()
	}, func(ctx context.Context, c tool.Caller, in createSystemInput) (systemOutput, error) {
		var created System
		_, err := c.Client.Do(ctx, http.MethodPost, systemsPath, in, &created)
		return systemOutput{System: brief(created)}, err
	})
}
