package auth

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type updateRoleInput struct {
	ID uuid.UUID `json:"id"`
	RoleChange
}

// Targets implements tool.Targeted.
func (in updateRoleInput) Targets() []tool.Target {
	return []tool.Target{rolesAPI.Target(in.ID, access.View)}
}

// countable is how many accounts are read to count the holders of a role.
const countable = 500

// holdersOf says whom a change of a role is felt by, with their number if the caller may know it.
func holdersOf(ctx context.Context, c tool.Caller, role uuid.UUID) string {
	var list struct {
		Users []User `json:"users"`
		Total int    `json:"total"`
	}
	const unknown = "Whoever holds the role feels it with their next request."
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

func (a *Auth) updateRoleTool() tool.Tool {
	gives := func(in updateRoleInput) bool { return in.Rules != nil && len(*in.Rules) > 0 }
	return tool.NewWrite(guarded(tool.Define(texts, "auth.updateRole", tool.Mutate, RuleRolesManage).WithOthers(), gives),
		func(ctx context.Context, c tool.Caller, in updateRoleInput) (tool.Preview[updateRoleInput], error) {
			var none tool.Preview[updateRoleInput]
			live, etag, err := read[Role](ctx, c, rolesAPI.At(in.ID))
			if err != nil {
				return none, err
			}
			var v validation
			name, rules := live.Name, live.Rules
			if in.Name != nil {
				name = v.name("name", *in.Name)
				in.Name = &name
			}
			if in.Rules != nil {
				rules = a.Directory.checkRules(&v, *in.Rules, live.Rules)
				in.Rules = &rules
			}
			if err := v.Err(); err != nil {
				return none, err
			}
			diff, err := tool.Diff(map[string]any{"name": live.Name, "rules": nameSet(live.Rules)}, map[string]any{"name": name, "rules": nameSet(rules)})
			if err == nil && len(diff) == 0 {
				err = tool.Unchanged("the role %s is like this already.", live.Name)
			}
			return tool.Preview[updateRoleInput]{
				Summary: describe("role", live.Name, diff), Payload: in, Diff: diff, Revision: etag,
				Effects: []string{holdersOf(ctx, c, in.ID)},
			}, err
		},
		func(in updateRoleInput) tool.Request { return tool.Patch(rolesAPI.At(in.ID), in.RoleChange) },
		func(r Role) done { return done{r.ID} })
}
