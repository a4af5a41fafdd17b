package catalog

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type memberInput struct {
	GroupID  uuid.UUID `json:"groupId" jsonschema:"description=The id of the group."`
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
}

// Targets implements tool.Targeted.
func (in memberInput) Targets() []tool.Target {
	return []tool.Target{groupsAPI.Target(in.GroupID, access.Edit), systemsAPI.Target(in.SystemID, access.View)}
}

func (in memberInput) path() string { return groupsAPI.At(in.GroupID, "systems", in.SystemID.String()) }

type memberOutput struct {
	Changed bool `json:"changed" jsonschema:"description=Whether this call changed anything."`
}

func newMemberOutput(m memberOutput) memberOutput { return m }

func addSystemToGroupTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(
			texts,
			"catalog.addSystemToGroup",
			tool.Mutate,
			GroupManage,
			SystemRead,
		).OrGrant(
			groupKind,
			access.Edit,
		).OrGrant(
			systemKind,
			access.View,
		).
			WithInverse(
				kit.Opposite("catalog.removeSystemFromGroup"),
			),
		func(ctx context.Context, c tool.Caller, in memberInput) (kit.Preview[memberInput], error) {
			group, system, err := loadMembership(ctx, c, in)
			if err != nil {
				return kit.Preview[memberInput]{}, err
			}
			if slices.Contains(group.Record.SystemIDs, in.SystemID) {
				return kit.Preview[memberInput]{}, kit.Unchanged("the system %s is in the group %s already.", system.Name, group.Name)
			}
			diff, err := kit.Diff(struct{}{}, map[string]any{"systems": nameSet([]string{system.Name})})
			summary := "Put the system " + system.Name + " into the group " + group.Name
			return kit.Preview[memberInput]{Summary: summary, Payload: in, Diff: diff, Revision: group.Revision}, err
		},
		func(in memberInput) tool.Request { return kit.Put(in.path(), nil) },
		newMemberOutput,
	)
}

// loadMembership loads the two records of a membership. A change of it belongs to the group.
func loadMembership(ctx context.Context, c tool.Caller, in memberInput) (group kit.Live[Group], system kit.Live[System], err error) {
	var v validation
	group, err = groupsAPI.Load(ctx, c, in.GroupID, "groupId")
	if err := v.Absorb(err); err != nil {
		return group, system, err
	}
	system, err = systemsAPI.Load(ctx, c, in.SystemID, "systemId")
	if err := v.Absorb(err); err != nil {
		return group, system, err
	}
	if err := v.Err(); err != nil {
		return group, system, err
	}
	return group, system, groupKind.Permit(group.Name, group.Record.Access, access.Edit)
}
