package healthcheck

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type checkChoice struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the health check."`
}

type deleteInput struct{ checkChoice }

// Targets implements tool.Targeted.
func (in deleteInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.ID, access.Own)}
}

func (m *Module) deleteTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.delete", tool.Destructive, Manage).OrGrant(checkKind, access.Own).WithCascade().
		WithInverse(kit.Restorer("healthcheck.propose")).
		WithRebase(kit.RebaseOf(rebaseCheck))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteInput) (kit.Preview[deleteInput], error) {
			live, err := checksAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return kit.Preview[deleteInput]{}, err
			}
			preview := kit.Remove(live, in, "Delete the health check "+live.Name)
			preview.Effects = []string{
				goneWith(live.Record.Systems),
				"What it has found goes with it.",
				"The grants on it go with it, if there are any.",
			}
			if !kit.Keepable(ctx, c, checkKind.ObjectType, in.ID) {
				preview.Effects = append(preview.Effects, kit.NotKept)
				return preview, nil
			}
			former, with, err := m.service.former(ctx, c, live.Record)
			preview.Effects, preview.Before = append(preview.Effects, with), former
			return preview, err
		},
		func(in deleteInput) tool.Request { return kit.Delete(checksAPI.At(in.ID)) },
		kit.Gone)
}

// former returns the input that recreates a check, assigned to its only system, with a note for the user.
func (s *service) former(ctx context.Context, c tool.Caller, check Check) (NewCheck, string, error) {
	n := check.made()
	var err error
	if n.Definition, err = s.upgraded(n.Definition); err != nil {
		return n, "", err
	}
	// Configs have their current versions.
	n.Version = 0
	n.Collectors = slices.Clone(n.Collectors)
	for i := range n.Collectors {
		n.Collectors[i].Version = 0
	}
	with := "assigned to no system"
	if check.Systems == 1 {
		assigned, _, err := kit.Page[Assignment](ctx, c, checksAPI.At(check.ID, "systems"), "systems", nil)
		if err != nil {
			return n, "", err
		}
		if len(assigned) == 1 {
			n.AssignToSystemID, with = &assigned[0].SystemID, "assigned to that system in all of its environments"
		}
	}
	return n, "An undo can propose to make it again, under a " +
		"new id and " + with + ". What it has found and the grants on it do not come back.", nil
}

// rebaseCheck drops a system that is gone, or not the caller's to change.
func rebaseCheck(ctx context.Context, c tool.Caller, in NewCheck) (NewCheck, []string, error) {
	if in.AssignToSystemID == nil {
		return in, nil, nil
	}
	_, ok, err := kit.Remaining(systemsAPI.LoadForChange(ctx, c, *in.AssignToSystemID, "assignToSystemId", access.Edit))
	if err != nil || ok {
		return in, nil, err
	}
	in.AssignToSystemID = nil
	return in, []string{"It is assigned to no system: the one that it checked is gone, or not yours to change."}, nil
}

func goneWith(systems int) string {
	switch systems {
	case 0:
		return "You see no system that it checks. Others that it checks are no longer checked by it."
	case 1:
		return "One system that you see is no longer checked by it."
	default:
		return fmt.Sprintf("%d systems that you see are no longer checked by it.", systems)
	}
}
