package catalog

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"countersign/tool"
)

// partTools are those that a system with everything that it can have from the beginning comes under.
var partTools = append([]string{
	"catalog.setSystemOwner", "catalog.addSystemContact", "catalog.addSystemLink", "catalog.setSystemEnvironments", "catalog.addSystemToGroup",
}, grantTools...)

func createSystemTool() tool.Tool {
	d := tool.Define(texts, "catalog.createSystem", tool.Mutate, SystemManage)
	d.Inverse = tool.Remover("catalog.deleteSystem", "system")
	// What a system gets later has tools of its own.
	d.Untold = []string{"contacts", "links", "environmentIds", "groupIds"}
	d.Under = func(input json.RawMessage) []string {
		var in NewSystem
		if json.Unmarshal(input, &in) != nil {
			return partTools
		}
		var under []string
		if in.OwnerTeamID != nil {
			under = append(append(under, "catalog.setSystemOwner"), grantTools...)
		}
		if len(in.Contacts) > 0 {
			under = append(under, "catalog.addSystemContact")
		}
		if len(in.Links) > 0 {
			under = append(under, "catalog.addSystemLink")
		}
		if len(in.EnvironmentIDs) > 0 {
			under = append(under, "catalog.setSystemEnvironments")
		}
		if len(in.GroupIDs) > 0 {
			under = append(under, "catalog.addSystemToGroup")
		}
		return under
	}
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in NewSystem) (tool.Preview[NewSystem], error) {
			var v validation
			in = v.newSystem(in)
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
			if err := v.Absorb(checkParts(ctx, c, in)); err != nil {
				return tool.Preview[NewSystem]{}, err
			}
			return p, v.Err()
		},
		func(in NewSystem) tool.Request { return tool.Post(systemsAPI.Path, in) },
		newSystemOutput)
}
