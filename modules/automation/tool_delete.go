package automation

import (
	"context"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type deleteInput struct{ idInput }

// Targets implements tool.Targeted.
func (in deleteInput) Targets() []tool.Target { return about(in.ID) }

func deleteTool() tool.Tool {
	d := kit.Define(texts, "automation.delete", tool.Destructive, Manage).WithCascade()
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in deleteInput) (kit.Preview[deleteInput], error) {
			live, err := automationsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return kit.Preview[deleteInput]{}, err
			}
			p := kit.Remove(live, in, "Delete the automation "+live.Name)
			p.Effects = []string{"Its revisions and runs go with it; those that run are cancelled."}
			return p, nil
		},
		func(in deleteInput) tool.Request { return kit.Delete(automationsAPI.At(in.ID)) }, kit.Gone)
}
