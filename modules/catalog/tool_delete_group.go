package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteGroupInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the group."`
}

// Targets implements tool.Targeted.
func (in deleteGroupInput) Targets() []tool.Target {
	return []tool.Target{groupsAPI.Target(in.ID, access.Own)}
}

func deleteGroupTool() tool.Tool {
	d := kit.Define(texts, "catalog.deleteGroup", tool.Destructive, GroupManage).OrGrant(groupKind, access.Own).WithCascade().
		WithInverse(kit.Restorer("catalog.createGroup")).
		WithRebase(kit.RebaseOf(rebaseGroup))
	d.Policy.Covers = []string{"catalog.removeSystemFromGroup"}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteGroupInput) (kit.Preview[deleteGroupInput], error) {
			live, err := groupsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return kit.Preview[deleteGroupInput]{}, err
			}
			preview := kit.Remove(live, in, "Delete the group "+live.Name)
			preview.Effects = append(effectsOnMembers(len(live.Record.SystemIDs)), effectOnGrants(ctx, c, groupKind, in.ID))
			if !kit.Keepable(ctx, c, groupKind.ObjectType, in.ID) {
				preview.Effects = append(preview.Effects, kit.NotKept)
				return preview, nil
			}
			preview.Effects = append(preview.Effects, effectsOfUndo("group", len(live.Record.SystemIDs))...)
			preview.Before = formerGroup(live.Record)
			return preview, nil
		},
		func(in deleteGroupInput) tool.Request { return kit.Delete(groupsAPI.At(in.ID)) },
		kit.Gone)
}
