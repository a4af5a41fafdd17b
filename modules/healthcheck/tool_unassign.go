package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type unassignInput struct {
	CheckID  uuid.UUID `json:"checkId" jsonschema:"description=The id of the health check."`
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
}

// Targets implements tool.Targeted.
func (in unassignInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.CheckID, access.Edit), systemsAPI.Target(in.SystemID, access.Edit)}
}

// assignedAs returns the assignment of a check to a system; nil without one.
func assignedAs(ctx context.Context, c tool.Caller, in unassignInput) (*assignInput, error) {
	a, err := kit.Find(ctx, c, checksAPI.At(in.CheckID, "systems"), "systems", func(a Assignment) bool { return a.SystemID == in.SystemID })
	if err != nil || a == nil {
		return nil, err
	}
	return &assignInput{CheckID: in.CheckID, SystemID: in.SystemID, AssignmentChoice: a.AssignmentChoice}, nil
}

func unassignTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.unassign", tool.Destructive, Manage, systemManage).
		OrGrant(checkKind, access.Edit).OrGrant(systemsAPI.Kind, access.Edit).WithCascade().
		WithInverse(kit.Restorer("healthcheck.assign"))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in unassignInput) (kit.Preview[unassignInput], error) {
			check, system, err := loadAssignment(ctx, c, in.CheckID, in.SystemID)
			if err != nil {
				return kit.Preview[unassignInput]{}, err
			}
			former, err := assignedAs(ctx, c, in)
			if err != nil {
				return kit.Preview[unassignInput]{}, err
			}
			preview := kit.Preview[unassignInput]{
				Summary: "Take the health check " + check.Name + " from the system " + system.Name, Payload: in, Revision: check.Revision,
				Labels:  map[string]string{check.ID.String(): check.Name, system.ID.String(): system.Name},
				Effects: []string{"What it has found of this system goes with it, and no longer counts."},
			}
			if former != nil {
				preview.Before = *former
				preview.Effects = append(preview.Effects, "An undo can propose to assign it again as it was; what it has found does not come back.")
			}
			return preview, nil
		},
		func(in unassignInput) tool.Request {
			return kit.Delete(checksAPI.At(in.CheckID, "systems", in.SystemID.String()))
		},
		kit.Gone)
}
