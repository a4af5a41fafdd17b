package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type unassignInput struct {
	CheckID  uuid.UUID `json:"checkId" jsonschema:"description=The id of the health check."`
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
}

// Targets implements tool.Targeted.
func (in unassignInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.CheckID, access.Edit), systemsAPI.Target(in.SystemID, access.Edit)}
}

func unassignTool() tool.Tool {
	d := tool.Define(texts, "healthcheck.unassign", tool.Destructive, Manage, systemManage).
		OrGrant(checkKind, access.Edit).OrGrant(systemsAPI.Kind, access.Edit).WithOthers()
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in unassignInput) (tool.Preview[unassignInput], error) {
			check, system, err := loadAssignment(ctx, c, in.CheckID, in.SystemID)
			if err != nil {
				return tool.Preview[unassignInput]{}, err
			}
			return tool.Preview[unassignInput]{
				Summary: "Take the health check " + check.Name + " from the system " + system.Name, Payload: in, Revision: check.Revision,
				Labels:  map[string]string{check.ID.String(): check.Name, system.ID.String(): system.Name},
				Effects: []string{"What it has found of this system goes with it, and no longer counts."},
			}, nil
		},
		func(in unassignInput) tool.Request {
			return tool.Delete(checksAPI.At(in.CheckID, "systems", in.SystemID.String()))
		},
		tool.Gone)
}
