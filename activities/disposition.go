package activities

import (
	"context"

	"countersign/principal"
	"countersign/tool"
	"countersign/tool/disposition"
)

// offered are the tools that the model is told about. A tool that is switched off later is refused when it is called.
func (a *Turn) offered(ctx context.Context, p principal.Principal) ([]tool.Tool, error) {
	tools := a.Registry.Resolve(p)
	if a.Policies == nil {
		return tools, nil
	}
	exceptions, err := a.Policies.Exceptions(ctx)
	return disposition.Offered(tools, exceptions), err
}

// decide asks what becomes of the call with this effect, with the policy as it is at this moment.
func (c *toolCall) decide(ctx context.Context, t tool.Tool, effect tool.Effect) (d disposition.Disposition, why string, err error) {
	policy := disposition.DefaultPolicy
	if c.Policies != nil {
		if policy, err = c.Policies.Policy(ctx, t.Name); err != nil {
			return "", "", err
		}
	}
	d, why = disposition.Decide(disposition.Call{
		Effect: effect, Principal: c.scope.principal.Kind, Mode: c.session.PermissionMode,
		Tainted: c.session.Tainted(), ForeignSkill: c.scope.skill != nil && c.scope.skill.Foreign, Policy: policy,
	})
	return d, why, nil
}
