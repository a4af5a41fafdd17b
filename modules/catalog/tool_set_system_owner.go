package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/invopop/jsonschema"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type setSystemOwnerInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the system."`
	OwnerChoice
}

// Targets implements tool.Targeted.
func (in setSystemOwnerInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.ID, access.Own)}
}

// OwnerChoice is the team that is to own a record, none when nil.
type OwnerChoice struct {
	TeamID *uuid.UUID `json:"teamId" required:"true" nullable:"true" jsonschema:"description=The id of the team; null removes the owner." doc:"null for no owner."`
}

// JSONSchemaExtend lets the team be null: forgetting it must not take the owner away.
func (setSystemOwnerInput) JSONSchemaExtend(s *jsonschema.Schema) {
	team, _ := s.Properties.Get("teamId")
	team.Type = ""
	team.Extras = map[string]any{"type": []string{"string", "null"}}
}

// grantTools are the tools of package auth that change the owner of a system, too.
var grantTools = []string{"auth.setGrants", "auth.deleteGrants"}

// grantsOwnership reports whether a team is to own the system. Its members may decide about the system from then on, so
// one person could make themselves a second one.
func grantsOwnership(input json.RawMessage, asking []string) bool {
	var in OwnerChoice
	return len(asking) > 0 && (json.Unmarshal(input, &in) != nil || in.TeamID != nil)
}

// undoOwner undoes the first owner of a system; of former owners only the names are known.
func undoOwner(d tool.Done) (name string, input json.RawMessage, ok bool) {
	var in setSystemOwnerInput
	if err := json.Unmarshal(d.Payload, &in); err != nil || in.TeamID == nil || len(d.Diff) != 1 || d.Diff[0].Before != nil {
		return "", nil, false
	}
	in.TeamID = nil
	input, err := tool.Canonical(in)
	return "catalog.setSystemOwner", input, err == nil
}

// checkOtherOwner refuses to remove the only owner of a private system, as the request would.
func checkOtherOwner(ctx context.Context, c tool.Caller, id uuid.UUID) error {
	var live struct {
		Private bool `json:"private"`
		Grants  []struct {
			SubjectType string       `json:"subjectType"`
			Relation    access.Level `json:"relation"`
		} `json:"grants"`
	}
	if _, err := c.Client.Get(ctx, "/api/grants/"+systemKind.ObjectType+"/"+id.String(), &live); err != nil || !live.Private {
		return err
	}
	for _, g := range live.Grants {
		if g.Relation == access.Own && g.SubjectType != "team" {
			return nil
		}
	}
	return access.Ownerless()
}

func setSystemOwnerTool() tool.Tool {
	d := kit.Define(texts, "catalog.setSystemOwner", tool.Mutate, SystemManage, teamsRead).OrGrant(systemKind, access.Own)
	// The owner is a grant, so this comes under the policy of grants, as they come under that of owners.
	d.Policy.Covers = grantTools
	d.Policy.NeedsSecond = grantsOwnership
	d.Impact.Inverse = undoOwner
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in setSystemOwnerInput) (kit.Preview[setSystemOwnerInput], error) {
			var none kit.Preview[setSystemOwnerInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return none, err
			}
			if in.TeamID == nil {
				if err := checkOtherOwner(ctx, c, in.ID); err != nil {
					return none, err
				}
			}
			before := brief(live.Record).Owners
			var after []string
			summary := "Remove the owner of the system " + live.Name
			if in.TeamID != nil {
				team, err := teamsAPI.Load(ctx, c, *in.TeamID, "teamId")
				if err != nil {
					return none, err
				}
				after = []string{team.Name}
				summary = "Make " + team.Name + " the owner of the system " + live.Name
			}
			if slices.Equal(before, after) {
				if in.TeamID == nil {
					return none, kit.Unchanged("the system %s has no owner.", live.Name)
				}
				return none, kit.Unchanged("the system %s belongs to %s already.", live.Name, after[0])
			}
			diff, err := kit.Diff(map[string]any{"owners": nameSet(before)}, map[string]any{"owners": nameSet(after)})
			preview := kit.Preview[setSystemOwnerInput]{Summary: summary, Payload: in, Diff: diff, Revision: live.Revision}
			if len(before) > 0 {
				preview.Effect = tool.Destructive
				preview.WhyEffect = "This takes the ownership of the system away from " + strings.Join(before, ", ") + "."
			}
			return preview, err
		},
		func(in setSystemOwnerInput) tool.Request {
			return kit.Put(systemsAPI.At(in.ID, "owner"), in.OwnerChoice)
		},
		newSystemOutput)
}
