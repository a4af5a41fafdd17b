package catalog

import (
	"context"
	_ "embed"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/invopop/jsonschema"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_set_system_owner.md
var setSystemOwnerText string

type setSystemOwnerInput struct {
	ID     uuid.UUID  `json:"id" jsonschema:"description=The id of the system."`
	TeamID *uuid.UUID `json:"teamId" jsonschema:"description=The id of the team; null takes the owner away."`
}

// JSONSchemaExtend lets the team be null: forgetting it must not take the owner away.
func (setSystemOwnerInput) JSONSchemaExtend(s *jsonschema.Schema) {
	team, _ := s.Properties.Get("teamId")
	team.Type = ""
	team.Extras = map[string]any{"type": []string{"string", "null"}}
}

func setSystemOwnerTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.setSystemOwner", Description: setSystemOwnerText, Effect: tool.Mutate, Rules: []string{SystemManage, teamsRead},
	}, func(ctx context.Context, c tool.Caller, in setSystemOwnerInput) (tool.Preview[setSystemOwnerInput], error) {
		var none tool.Preview[setSystemOwnerInput]
		live, etag, err := systemToChange(ctx, c, in.ID, "id", access.Own)
		if err != nil {
			return none, err
		}
		before := brief(live).Owners
		var after []string
		summary := "Take the owner away from the system " + live.Name
		if in.TeamID != nil {
			team, _, err := read[Reference](ctx, c, teamsPath, *in.TeamID, "teamId")
			if err != nil {
				return none, err
			}
			after = []string{team.Name}
			summary = "Make " + team.Name + " the owner of the system " + live.Name
		}
		if slices.Equal(before, after) {
			if in.TeamID == nil {
				return none, unchanged("the system %s has no owner.", live.Name)
			}
			return none, unchanged("the system %s belongs to %s already.", live.Name, after[0])
		}
		diff, err := tool.Diff(map[string]any{"owners": nameSet(before)}, map[string]any{"owners": nameSet(after)})
		return tool.Preview[setSystemOwnerInput]{Summary: summary, Payload: in, Diff: diff, Revision: etag}, err
	}, func(ctx context.Context, c tool.Caller, in setSystemOwnerInput) (systemOutput, error) {
		body := struct {
			TeamID *uuid.UUID `json:"teamId"`
		}{in.TeamID}
		var updated System
		_, err := c.Client.Do(ctx, http.MethodPut, systemsPath+"/"+in.ID.String()+"/owner", body, &updated)
		return systemOutput{System: brief(updated)}, err
	})
}
