package automation

import (
	"context"

	"countersign/tool"
	"countersign/tool/kit"
)

// proposeInput is the input of a proposal for a new automation.
type proposeInput struct{ NewAutomation }

// Targets implements tool.Targeted: a new automation is about nothing that exists.
func (proposeInput) Targets() []tool.Target { return nil }

func proposeTool() tool.Tool {
	d := kit.Define(texts, "automation.propose", tool.Mutate, Manage).WithInverse(kit.Remover("automation.delete", "automation"))
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in proposeInput) (kit.Preview[proposeInput], error) {
			v, err := validated(ctx, c, Draft{in.Text, &in.RunAs})
			if err != nil {
				return kit.Preview[proposeInput]{}, err
			}
			return kit.Preview[proposeInput]{Summary: "Create the automation " + v.Definition.Name, Payload: in, Effects: touches(v)}, nil
		},
		func(in proposeInput) tool.Request { return kit.Post(path, in.NewAutomation) }, newChangedOutput)
}
