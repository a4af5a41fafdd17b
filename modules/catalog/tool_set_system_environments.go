package catalog

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type setSystemEnvironmentsInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	EnvironmentChoice
}

// Targets implements tool.Targeted.
func (in setSystemEnvironmentsInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.SystemID, access.Edit)}
}

// EnvironmentChoice are all environments that a system is to be in.
type EnvironmentChoice struct {
	EnvironmentIDs []uuid.UUID `json:"environmentIds" nullable:"false" maxItems:"500" jsonschema:"maxItems=50,description=All environments it is to be in; ids come from catalog_listEnvironments. An empty list takes it out of all."`
}

func setSystemEnvironmentsTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(texts, "catalog.setSystemEnvironments", tool.Mutate, SystemManage, EnvironmentRead).OrGrant(systemKind, access.Edit),
		func(ctx context.Context, c tool.Caller, in setSystemEnvironmentsInput) (kit.Preview[setSystemEnvironmentsInput], error) {
			var none kit.Preview[setSystemEnvironmentsInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.SystemID, "systemId", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			after := []string{}
			for i, id := range in.EnvironmentIDs {
				environment, err := environmentsAPI.Load(ctx, c, id, "environmentIds["+strconv.Itoa(i)+"]")
				if err := v.Absorb(err); err != nil {
					return none, err
				}
				after = append(after, environment.Name)
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			before := map[string]any{"environments": nameSet(names(live.Record.Environments))}
			diff, err := kit.Differing(
				before,
				map[string]any{"environments": nameSet(after)},
				"the system %s is in exactly these environments.",
				live.Name,
			)
			if err != nil {
				return none, err
			}
			summary := "Take the system " + live.Name + " out of all environments"
			if len(after) > 0 {
				summary = "Set the environments of the system " + live.Name + " to " + strings.Join(after, ", ")
			}
			return kit.Preview[setSystemEnvironmentsInput]{Summary: summary, Payload: in, Diff: diff, Revision: live.Revision}, nil
		},
		func(in setSystemEnvironmentsInput) tool.Request {
			return kit.Put(systemsAPI.At(in.SystemID, "environments"), in.EnvironmentChoice)
		},
		newSystemOutput,
	)
}
