package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type assignInput struct {
	CheckID  uuid.UUID `json:"checkId" jsonschema:"description=The id of the health check."`
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	AssignmentChoice
}

// Targets implements tool.Targeted.
func (in assignInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.CheckID, access.Edit), systemsAPI.Target(in.SystemID, access.Edit)}
}

type assignmentOutput struct {
	Assignment Assignment `json:"assignment"`
}

func assignTool() tool.Tool {
	d := kit.Define(
		texts,
		"healthcheck.assign",
		tool.Mutate,
		Manage,
		systemManage,
	).OrGrant(
		checkKind,
		access.Edit,
	).OrGrant(
		systemsAPI.Kind,
		access.Edit,
	)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in assignInput) (kit.Preview[assignInput], error) {
			var none kit.Preview[assignInput]
			check, system, err := loadAssignment(ctx, c, in.CheckID, in.SystemID)
			if err != nil {
				return none, err
			}
			var v validation
			for _, issue := range in.Thresholds.Issues() {
				v.Report("thresholds."+issue.Path, "%s", issue.Message)
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			p := kit.Preview[assignInput]{
				Summary: "Assign the health check " + check.Name + " to the system " + system.Name, Payload: in, Revision: check.Revision,
				Labels: map[string]string{check.ID.String(): check.Name, system.ID.String(): system.Name},
			}
			if in.Enabled != nil && !*in.Enabled {
				p.Effects = []string{"It does not run for this system until it is switched on."}
			}
			return p, nil
		},
		func(in assignInput) tool.Request {
			return kit.Put(checksAPI.At(in.CheckID, "systems", in.SystemID.String()), in.AssignmentChoice)
		},
		func(a Assignment) assignmentOutput { return assignmentOutput{Assignment: a} })
}

// loadAssignment loads a check and a system that the caller may both change.
func loadAssignment(
	ctx context.Context,
	c tool.Caller,
	checkID, systemID uuid.UUID,
) (check kit.Live[Check], system kit.Live[systemInCatalog], err error) {
	var v validation
	check, err = checksAPI.Load(ctx, c, checkID, "checkId")
	if err := v.Absorb(err); err != nil {
		return check, system, err
	}
	system, err = systemsAPI.Load(ctx, c, systemID, "systemId")
	if err := v.Absorb(err); err != nil {
		return check, system, err
	}
	if err := v.Err(); err != nil {
		return check, system, err
	}
	if err := checkKind.Permit(check.Name, check.Record.Access, access.Edit); err != nil {
		return check, system, err
	}
	return check, system, systemsAPI.Kind.Permit(system.Name, system.Record.Access, access.Edit)
}
