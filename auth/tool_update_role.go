package auth

import (
	"context"

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
	return []tool.Target{{Path: at(rolesPath, in.ID), Level: access.View}}
}

func (a *Auth) updateRoleTool() tool.Tool {
	gives := func(in updateRoleInput) bool { return in.Rules != nil && len(*in.Rules) > 0 }
	return tool.NewWrite(guarded(tool.Define(texts, "auth.updateRole", tool.Mutate, RuleRolesManage), gives),
		func(ctx context.Context, c tool.Caller, in updateRoleInput) (tool.Preview[updateRoleInput], error) {
			var none tool.Preview[updateRoleInput]
			live, etag, err := read[Role](ctx, c, at(rolesPath, in.ID))
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
				Effects: []string{"Whoever holds the role feels it with their next request."},
			}, err
		},
		func(in updateRoleInput) tool.Request { return tool.Patch(at(rolesPath, in.ID), in.RoleChange) },
		func(r Role) done { return done{r.ID} })
}
