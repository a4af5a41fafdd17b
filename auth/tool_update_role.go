package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateRoleInput struct {
	ID uuid.UUID `json:"id"`
	RoleChange
}

// Targets implements tool.Targeted.
func (in updateRoleInput) Targets() []tool.Target {
	return []tool.Target{rolesAPI.Target(in.ID, access.View)}
}

// countable bounds the accounts that are read to count a role's holders.
const countable = 500

// holdersOf describes who is affected by a change of a role, with their number if the caller can read it.
func holdersOf(ctx context.Context, c tool.Caller, role uuid.UUID) string {
	var list struct {
		Users []User `json:"users"`
		Total int    `json:"total"`
	}
	const unknown = "Takes effect with the next request of each holder."
	if _, err := c.Client.Get(ctx, fmt.Sprintf("%s?limit=%d", usersAPI.Path, countable), &list); err != nil || list.Total > countable {
		return unknown
	}
	n := 0
	for _, u := range list.Users {
		if slices.ContainsFunc(u.Roles, func(held Named) bool { return held.ID == role }) {
			n++
		}
	}
	switch n {
	case 0:
		return "No person holds the role. Applications that do feel it with their next request."
	case 1:
		return "One person holds the role and feels it with their next request, as do applications."
	}
	return fmt.Sprintf("%d people hold the role and feel it with their next request, as do applications.", n)
}

// roleView is the view of a role on a card.
type roleView struct {
	Name  string          `json:"name"`
	Rules map[string]bool `json:"rules"`
}

func (a *Auth) updateRoleTool() tool.Tool {
	gives := func(in updateRoleInput) bool { return in.Rules != nil && len(*in.Rules) > 0 }
	return kit.NewWrite(guarded(kit.Define(texts, "auth.updateRole", tool.Mutate, RuleRolesManage).WithCascade(), gives),
		func(ctx context.Context, c tool.Caller, in updateRoleInput) (kit.Preview[updateRoleInput], error) {
			var none kit.Preview[updateRoleInput]
			role, etag, err := read[Role](ctx, c, rolesAPI.At(in.ID))
			if err != nil {
				return none, err
			}
			before := roleView{role.Name, nameSet(role.Rules)}
			after := before
			var v validation
			if in.Name != nil {
				after.Name = v.name("name", *in.Name)
			}
			if in.Rules != nil {
				rules := a.Directory.checkRules(&v, *in.Rules, role.Rules)
				in.Rules, after.Rules = &rules, nameSet(rules)
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			live := kit.Live[Role]{ID: in.ID, Record: role, Kind: rolesAPI.Kind, Name: role.Name, Revision: etag}
			preview, err := kit.Update(live, in, before, after)
			if err == nil {
				preview.Effects = []string{holdersOf(ctx, c, in.ID)}
			}
			return preview, err
		},
		func(in updateRoleInput) tool.Request { return kit.Patch(rolesAPI.At(in.ID), in.RoleChange) },
		func(r Role) done { return done{r.ID} })
}
