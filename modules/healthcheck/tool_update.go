package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the health check."`
	CheckChange
}

// Targets implements tool.Targeted.
func (in updateInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.ID, access.Edit)}
}

func (m *Module) updateTool() tool.Tool {
	d := kit.Define(texts, "healthcheck.update", tool.Mutate, Manage).OrGrant(checkKind, access.Edit)
	d.Impact.Inverse = kit.Former("healthcheck.update")
	d.Policy.ConditionalCovers = kit.ConditionalCovers(
		kit.When(func(in CheckChange) bool { return in.Paused != nil }, "healthcheck.setPaused"),
	)
	s := m.service
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in updateInput) (kit.Preview[updateInput], error) {
			var none kit.Preview[updateInput]
			live, err := checksAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			before := live.Record.made()
			v := validation{scripts: s.Scripts, stored: &before.Definition}
			after := v.check(ctx, s.Kinds, in.over(before))
			if err := checksAPI.CheckNameIsFree(ctx, c, &v.Issues, after.Name, in.ID); err != nil {
				return none, err
			}
			if err := v.err(); err != nil {
				return none, err
			}
			if err := permitSecrets(c.Principal, &before, &after); err != nil {
				return none, err
			}
			if err := validated(ctx, c, after.Definition); err != nil {
				return none, err
			}
			preview, err := kit.Update(live, in, before, after)
			preview.Effects = s.inWords(after.Definition)
			return preview, err
		},
		func(in updateInput) tool.Request { return kit.Patch(checksAPI.At(in.ID), in.CheckChange) },
		newCheckOutput)
}

// made returns the input that would create a check.
func (c Check) made() NewCheck {
	return NewCheck{Name: c.Name, Description: c.Description, Definition: c.Definition, Paused: c.Paused}
}
