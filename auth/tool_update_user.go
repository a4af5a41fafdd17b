package auth

import (
	"context"
	"maps"
	"net/http"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type updateUserInput struct {
	ID uuid.UUID `json:"id"`
	UserChange
}

// Targets implements tool.Targeted.
func (in updateUserInput) Targets() []tool.Target {
	return []tool.Target{usersAPI.Target(in.ID, access.View)}
}

func (a *Auth) updateUserTool() tool.Tool {
	signsIn := func(in updateUserInput) bool {
		// A password that its holder does not have to change is known to whoever gave it.
		known := in.MustChangePassword != nil && !*in.MustChangePassword
		return in.Password != nil || in.Email != nil || in.Disabled != nil && !*in.Disabled || known
	}
	gives := func(in updateUserInput) bool { return in.RoleIDs != nil || signsIn(in) }
	d := guarded(tool.Define(texts, "auth.updateUser", tool.Mutate, RuleUsersManage).WithOthers(), gives)
	d.Sealed = []string{"password"}
	// Whoever makes such a link has what sets the password.
	d.Also = []tool.Operation{{Method: http.MethodPost, Path: usersAPI.Path + linkPath}}
	d.NeedsPerson = passesFor(signsIn)
	return tool.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in updateUserInput) (tool.Preview[updateUserInput], error) {
			var none tool.Preview[updateUserInput]
			live, etag, err := read[User](ctx, c, usersAPI.At(in.ID))
			if err != nil {
				return none, err
			}
			var v validation
			change := in.UserChange
			if change.Password != nil {
				change.Password = new(a.told(ctx, accountOf(in.ID), *change.Password))
			}
			change = v.userChange(change)
			if err := v.Err(); err != nil {
				return none, err
			}
			in.Email, in.Name = change.Email, change.Name
			before, after, err := userDiff(ctx, c, live, in.UserChange)
			if err != nil {
				return none, err
			}
			if in.Password != nil {
				sealed, err := a.kept(ctx, accountOf(in.ID), *in.Password)
				if err != nil {
					return none, err
				}
				in.Password = &sealed
			}
			diff, err := tool.Diff(before, after)
			if err == nil && len(diff) == 0 {
				err = tool.Unchanged("the user %s is like this already.", live.Name)
			}
			return tool.Preview[updateUserInput]{
				Summary: describe("user", live.Name, diff), Payload: in, Diff: diff, Revision: etag, Effects: effectsOnUser(live, in.UserChange),
			}, err
		},
		func(in updateUserInput) tool.Request {
			change := in.UserChange
			if change.Password != nil {
				change.Password = new(openPassword(a.sealer, accountOf(in.ID), *change.Password))
			}
			return tool.Patch(usersAPI.At(in.ID), change)
		},
		func(u User) done { return done{u.ID} })
}

// effectsOnUser are what a change of an account takes along.
func effectsOnUser(live User, change UserChange) []string {
	var effects []string
	if change.Disabled != nil && *change.Disabled && !live.Disabled {
		effects = append(effects, "Their sessions end, and they cannot sign in until the account is enabled again. What they own and share stays.")
	} else if change.Password != nil {
		effects = append(effects, "Their sessions end: they sign in with the new password.")
	}
	if change.RoleIDs != nil {
		effects = append(effects, "What their roles let them do changes with their next request.")
	}
	return effects
}

// userDiff is what a change shows of a user, before and after. A password is said to be new and nothing else.
func userDiff(ctx context.Context, c tool.Caller, live User, change UserChange) (before, after map[string]any, err error) {
	var names []string
	for _, role := range live.Roles {
		if role.ID != UsersRole {
			names = append(names, role.Name)
		}
	}
	before = map[string]any{"email": live.Email, "name": live.Name, "disabled": live.Disabled, "roles": nameSet(names), "password": "as it is", "mustChangePassword": live.MustChangePassword}
	after = maps.Clone(before)
	if change.Email != nil {
		after["email"] = *change.Email
	}
	if change.Name != nil {
		after["name"] = *change.Name
	}
	if change.Disabled != nil {
		after["disabled"] = *change.Disabled
	}
	if change.Password != nil {
		after["password"] = "a new one"
	}
	if change.MustChangePassword != nil {
		after["mustChangePassword"] = *change.MustChangePassword
	}
	if change.RoleIDs != nil {
		names, err := rolesOf(ctx, c, *change.RoleIDs)
		if err != nil {
			return nil, nil, err
		}
		after["roles"] = nameSet(names)
	}
	return before, after, nil
}
