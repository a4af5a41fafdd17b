package healthcheck

import (
	"context"
	"net/url"

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

// mostPages is how many pages of the systems of a check are looked through for one.
const mostPages = 10

// assignedAs is how a check is assigned to a system; nil where that is not found.
func assignedAs(ctx context.Context, c tool.Caller, in unassignInput) (*assignInput, error) {
	query := url.Values{"limit": {"100"}}
	for range mostPages {
		var page struct {
			Systems    []Assignment `json:"systems"`
			NextCursor string       `json:"nextCursor"`
		}
		if _, err := c.Client.Get(ctx, checksAPI.At(in.CheckID, "systems")+"?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		for _, a := range page.Systems {
			if a.SystemID == in.SystemID {
				return &assignInput{CheckID: in.CheckID, SystemID: in.SystemID, AssignmentChoice: a.AssignmentChoice}, nil
			}
		}
		if page.NextCursor == "" {
			break
		}
		query.Set("cursor", page.NextCursor)
	}
	return nil, nil //nolint:nilnil // an assignment that is not there is no fault of the call
}

func unassignTool() tool.Tool {
	d := tool.Define(texts, "healthcheck.unassign", tool.Destructive, Manage, systemManage).
		OrGrant(checkKind, access.Edit).OrGrant(systemsAPI.Kind, access.Edit).WithOthers().
		WithInverse(tool.Restorer("healthcheck.assign"))
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in unassignInput) (tool.Preview[unassignInput], error) {
			check, system, err := loadAssignment(ctx, c, in.CheckID, in.SystemID)
			if err != nil {
				return tool.Preview[unassignInput]{}, err
			}
			former, err := assignedAs(ctx, c, in)
			if err != nil {
				return tool.Preview[unassignInput]{}, err
			}
			preview := tool.Preview[unassignInput]{
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
			return tool.Delete(checksAPI.At(in.CheckID, "systems", in.SystemID.String()))
		},
		tool.Gone)
}
