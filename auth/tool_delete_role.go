package auth

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteRoleInput struct {
	ID uuid.UUID `json:"id"`
}

// Targets implements tool.Targeted.
func (in deleteRoleInput) Targets() []tool.Target {
	return []tool.Target{rolesAPI.Target(in.ID, access.View)}
}

func deleteRoleTool() tool.Tool {
	d := taking(kit.Define(texts, "auth.deleteRole", tool.Destructive, RuleRolesManage).WithCascade())
	// Deleting a role removes its rules, and its holders.
	d.Policy.Covers = []string{"auth.updateRole", updateUserTool}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteRoleInput) (kit.Preview[deleteRoleInput], error) {
			live, etag, err := read[Role](ctx, c, rolesAPI.At(in.ID))
			return kit.Preview[deleteRoleInput]{
				Summary: "Delete the role " + live.Name, Payload: in, Revision: etag,
				Effects: []string{"It is taken from everybody who holds it, who feels that with their next request."},
			}, err
		},
		func(in deleteRoleInput) tool.Request { return kit.Delete(rolesAPI.At(in.ID)) },
		kit.Gone)
}
