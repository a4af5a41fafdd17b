package catalog

import (
	"context"
	_ "embed"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_set_system_environments.md
var setSystemEnvironmentsText string

type setSystemEnvironmentsInput struct {
	SystemID       uuid.UUID   `json:"systemId" jsonschema:"description=The id of the system."`
	EnvironmentIDs []uuid.UUID `json:"environmentIds" jsonschema:"maxItems=50,description=All environments it is to be in; ids come from catalog_listEnvironments. An empty list takes it out of all."`
}

func setSystemEnvironmentsTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.setSystemEnvironments", Description: setSystemEnvironmentsText, Effect: tool.Mutate,
		Rules: []string{SystemManage, EnvironmentRead},
	}, func(ctx context.Context, c tool.Caller, in setSystemEnvironmentsInput) (tool.Preview[setSystemEnvironmentsInput], error) {
		var none tool.Preview[setSystemEnvironmentsInput]
		live, etag, err := systemToChange(ctx, c, in.SystemID, "systemId", access.Edit)
		if err != nil {
			return none, err
		}
		var v validation
		after := []string{}
		for i, id := range in.EnvironmentIDs {
			environment, _, err := read[Reference](ctx, c, environmentsPath, id, "environmentIds["+strconv.Itoa(i)+"]")
			if err := v.Absorb(err); err != nil {
				return none, err
			}
			after = append(after, environment.Name)
		}
		if err := v.Err(); err != nil {
			return none, err
		}
		diff, err := tool.Diff(map[string]any{"environments": nameSet(names(live.Environments))}, map[string]any{"environments": nameSet(after)})
		if err != nil {
			return none, err
		}
		if len(diff) == 0 {
			return none, unchanged("the system %s is in exactly these environments.", live.Name)
		}
		summary := "Take the system " + live.Name + " out of all environments"
		if len(after) > 0 {
			summary = "Set the environments of the system " + live.Name + " to " + strings.Join(after, ", ")
		}
		return tool.Preview[setSystemEnvironmentsInput]{Summary: summary, Payload: in, Diff: diff, Revision: etag}, nil
	}, func(ctx context.Context, c tool.Caller, in setSystemEnvironmentsInput) (systemOutput, error) {
		body := struct {
			EnvironmentIDs []uuid.UUID `json:"environmentIds"`
		}{in.EnvironmentIDs}
		var updated System
		_, err := c.Client.Do(ctx, http.MethodPut, systemsPath+"/"+in.SystemID.String()+"/environments", body, &updated)
		return systemOutput{System: brief(updated)}, err
	})
}
