package auth

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteUserInput struct {
	ID uuid.UUID `json:"id"`
}

// Targets implements tool.Targeted.
func (in deleteUserInput) Targets() []tool.Target {
	return []tool.Target{usersAPI.Target(in.ID, access.View)}
}

func deleteUserTool() tool.Tool {
	d := taking(kit.Define(texts, "auth.deleteUser", tool.Destructive, RuleUsersManage).WithCascade())
	// Deleting a user disables the account and removes its roles.
	d.Policy.Covers = []string{updateUserTool}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteUserInput) (kit.Preview[deleteUserInput], error) {
			live, etag, err := read[User](ctx, c, usersAPI.At(in.ID))
			return kit.Preview[deleteUserInput]{
				Summary: "Delete the user " + live.Name + " (" + live.Email + ")", Payload: in, Revision: etag,
				Effects: []string{
					"The sessions, memberships and grants of the account go with it. What the person did stays on record.",
					"What was private to it alone is seen by administrators from then on.",
				},
			}, err
		},
		func(in deleteUserInput) tool.Request { return kit.Delete(usersAPI.At(in.ID)) },
		kit.Gone)
}
