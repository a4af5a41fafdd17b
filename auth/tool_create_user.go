package auth

import (
	"context"
	"strings"

	"countersign/tool"
	"countersign/tool/kit"
)

type createUserInput struct{ NewUser }

// Targets implements tool.Targeted.
func (createUserInput) Targets() []tool.Target { return nil }

func (a *Auth) createUserTool() tool.Tool {
	d := guarded[createUserInput](kit.Define(texts, createUserTool, tool.Mutate, RuleUsersManage).WithoutCascade(), nil)
	d.Schema.SealedInput = []string{"password"}
	d.Policy.NeedsPerson = passesFor[createUserInput](nil)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in createUserInput) (kit.Preview[createUserInput], error) {
			var none kit.Preview[createUserInput]
			var v validation
			given := in.NewUser
			if in.Password != "" {
				given.Password = a.unsealPassword(ctx, accountKey(in.Email), in.Password)
			}
			given = v.newUser(given)
			if err := v.Err(); err != nil {
				return none, err
			}
			in.Email, in.Name = given.Email, given.Name
			names, err := rolesOf(ctx, c, in.RoleIDs)
			if err != nil {
				return none, err
			}
			password := "is chosen by them, with a link"
			if in.Password != "" {
				if in.Password, err = a.sealPassword(ctx, accountKey(in.Email), in.Password); err != nil {
					return none, err
				}
				password = "is set"
			}
			diff, err := kit.Diff(
				struct{}{},
				map[string]any{"email": in.Email, "name": in.Name, "roles": names, "password": password, "mustChangePassword": in.MustChangePassword},
			)
			return kit.Preview[createUserInput]{
				Summary: "Create the user " + in.Name + " (" + in.Email + ")" + with(names),
				Payload: in,
				Diff:    diff,
			}, err
		},
		func(in createUserInput) tool.Request {
			if in.Password != "" {
				in.Password = openPassword(a.sealer, accountKey(in.Email), in.Password)
			}
			return kit.Post(usersAPI.Path, in.NewUser)
		},
		func(u User) done { return done{u.ID} })
}

func with(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " with " + strings.Join(names, ", ")
}
