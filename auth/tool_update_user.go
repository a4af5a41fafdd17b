package auth

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/kit"
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
		// A password that need not be changed stays known to its setter.
		known := in.MustChangePassword != nil && !*in.MustChangePassword
		return in.Password != nil || in.Email != nil || in.Disabled != nil && !*in.Disabled || known
	}
	gives := func(in updateUserInput) bool { return in.RoleIDs != nil || signsIn(in) }
	d := guarded(kit.Define(texts, updateUserTool, tool.Mutate, RuleUsersManage).WithCascade(), gives)
	d.Schema.SealedInput = []string{"password"}
	// A password link sets the password for its issuer as well.
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPost, Path: usersAPI.Path + linkPath}}
	d.Policy.NeedsPerson = passesFor(signsIn)
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in updateUserInput) (kit.Preview[updateUserInput], error) {
			var none kit.Preview[updateUserInput]
			user, etag, err := read[User](ctx, c, usersAPI.At(in.ID))
			if err != nil {
				return none, err
			}
			var v validation
			change := in.UserChange
			if change.Password != nil {
				change.Password = new(a.unsealPassword(ctx, accountKey(in.ID), *change.Password))
			}
			change = v.userChange(change, user.Email, user.Name)
			if err := v.Err(); err != nil {
				return none, err
			}
			in.Email, in.Name = change.Email, change.Name
			before, after, err := userViews(ctx, c, user, in.UserChange)
			if err != nil {
				return none, err
			}
			if in.Password != nil {
				sealed, err := a.sealPassword(ctx, accountKey(in.ID), *in.Password)
				if err != nil {
					return none, err
				}
				in.Password = &sealed
			}
			live := kit.Live[User]{ID: in.ID, Record: user, Kind: usersAPI.Kind, Name: user.Name, Revision: etag}
			preview, err := kit.Update(live, in, before, after)
			preview.Effects = effectsOnUser(user, in.UserChange)
			return preview, err
		},
		func(in updateUserInput) tool.Request {
			change := in.UserChange
			if change.Password != nil {
				change.Password = new(openPassword(a.sealer, accountKey(in.ID), *change.Password))
			}
			return kit.Patch(usersAPI.At(in.ID), change)
		},
		func(u User) done { return done{u.ID} })
}

// effectsOnUser are the side effects of a change of an account.
func effectsOnUser(live User, change UserChange) []string {
	var effects []string
	if change.Disabled != nil && *change.Disabled && !live.Disabled {
		effects = append(
			effects,
			"Their sessions end, and they cannot sign in until the account is enabled again. What they own and share stays.",
		)
	} else if change.Password != nil {
		effects = append(effects, "Their sessions end: they sign in with the new password.")
	}
	if change.RoleIDs != nil {
		effects = append(effects, "What their roles let them do changes with their next request.")
	}
	return effects
}

// userView is the view of a user on a card. A password shows only as new; that field has another name than in the
// change, whose payload stays encrypted.
type userView struct {
	Email              string          `json:"email"`
	Name               string          `json:"name"`
	Disabled           bool            `json:"disabled"`
	Roles              map[string]bool `json:"roles"`
	Secret             string          `json:"password"`
	MustChangePassword bool            `json:"mustChangePassword"`
}

// userViews are a user before and after a change.
func userViews(ctx context.Context, c tool.Caller, live User, change UserChange) (before, after userView, err error) {
	var names []string
	for _, role := range live.Roles {
		if role.ID != UsersRole {
			names = append(names, role.Name)
		}
	}
	before = userView{live.Email, live.Name, live.Disabled, nameSet(names), "as it is", live.MustChangePassword}
	after = before
	rest.Replace(&after.Email, change.Email)
	rest.Replace(&after.Name, change.Name)
	rest.Replace(&after.Disabled, change.Disabled)
	rest.Replace(&after.MustChangePassword, change.MustChangePassword)
	if change.Password != nil {
		after.Secret = "a new one"
	}
	if change.RoleIDs != nil {
		names, err := rolesOf(ctx, c, *change.RoleIDs)
		if err != nil {
			return before, after, err
		}
		after.Roles = nameSet(names)
	}
	return before, after, nil
}
