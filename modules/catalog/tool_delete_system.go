package catalog

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteSystemInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the system."`
}

// Targets implements tool.Targeted.
func (in deleteSystemInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.ID, access.Own)}
}

func deleteSystemTool() tool.Tool {
	d := kit.Define(texts, "catalog.deleteSystem", tool.Destructive, SystemManage).OrGrant(systemKind, access.Own).WithCascade().
		WithInverse(kit.Restorer("catalog.createSystem")).
		WithRebase(kit.RebaseOf(rebaseSystem))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteSystemInput) (kit.Preview[deleteSystemInput], error) {
			live, err := systemsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return kit.Preview[deleteSystemInput]{}, err
			}
			preview := kit.Remove(live, in, "Delete the system "+live.Name)
			preview.Effects = effectsOfDeletion(ctx, c, live.Record)
			if !kit.Keepable(ctx, c, systemKind.ObjectType, in.ID) {
				preview.Effects = append(preview.Effects, kit.NotKept)
				return preview, nil
			}
			preview.Effects = append(
				preview.Effects,
				"An undo can propose to make it again, under a new id. Its grants, memories, health checks and history do not come back.",
			)
			preview.Before = formerSystem(live.Record)
			return preview, nil
		},
		func(in deleteSystemInput) tool.Request { return kit.Delete(systemsAPI.At(in.ID)) },
		kit.Gone)
}

// effectsOfDeletion are what happens to others with a system.
func effectsOfDeletion(ctx context.Context, c tool.Caller, s System) []string {
	var effects []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{len(s.Contacts), "Its contact goes with it.", "Its %d contacts go with it."},
		{len(s.Links), "Its link goes with it.", "Its %d links go with it."},
		{len(s.Groups), "It is taken out of a group.", "It is taken out of %d groups."},
		{len(s.Environments), "It is taken out of an environment.", "It is taken out of %d environments."},
	} {
		switch {
		case part.n == 1:
			effects = append(effects, part.one)
		case part.n > 1:
			effects = append(effects, fmt.Sprintf(part.many, part.n))
		}
	}
	for _, owner := range s.Owners {
		effects = append(effects, owner.TeamName+" loses a system that it owns.")
	}
	return append(effects, effectOnGrants(ctx, c, systemKind, s.ID), effectOnMemories(ctx, c, s.ID))
}
