package catalog

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"countersign/tool"
)

func createSystemTool() tool.Tool {
	d := tool.Define(texts, "catalog.createSystem", tool.Mutate, SystemManage)
	d.Inverse = tool.Remover("catalog.deleteSystem", "system")
	d.Under = func(input json.RawMessage) []string {
		var in NewSystem
		if json.Unmarshal(input, &in) == nil && in.OwnerTeamID == nil {
			return nil
		}
		return append([]string{"catalog.setSystemOwner"}, grantTools...)
	}
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewSystem) (tool.Preview[NewSystem], error) {
			var v validation
			in = v.system(in)
			if err := v.Err(); err != nil {
				return tool.Preview[NewSystem]{}, err
			}
			if err := systemsAPI.CheckNameIsFree(ctx, c, &v.Issues, in.Name, uuid.Nil); err != nil {
				return tool.Preview[NewSystem]{}, err
			}
			p := tool.Preview[NewSystem]{Summary: "Create the system " + in.Name, Payload: in}
			if in.OwnerTeamID != nil {
				team, err := teamsAPI.Load(ctx, c, *in.OwnerTeamID, "ownerTeamId")
				if err := v.Absorb(err); err != nil {
					return tool.Preview[NewSystem]{}, err
				}
				p.Summary += ", owned by " + team.Name
				p.Labels = map[string]string{in.OwnerTeamID.String(): team.Name}
			}
			return p, v.Err()
		},
		func(in NewSystem) tool.Request { return tool.Post(systemsAPI.Path, in) },
		newSystemOutput)
}
