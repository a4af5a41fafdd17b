package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type setPausedInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the health check."`
	PausedChoice
}

// Targets implements tool.Targeted.
func (in setPausedInput) Targets() []tool.Target {
	return []tool.Target{checksAPI.Target(in.ID, access.Edit)}
}

func setPausedTool() tool.Tool {
	return tool.NewWrite(tool.Define(texts, "healthcheck.setPaused", tool.Mutate, Manage).OrGrant(checkKind, access.Edit).WithInverse(tool.Former("healthcheck.setPaused")),
		func(ctx context.Context, c tool.Caller, in setPausedInput) (tool.Preview[setPausedInput], error) {
			var none tool.Preview[setPausedInput]
			live, err := checksAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			if live.Record.Paused == in.Paused {
				return none, tool.Unchanged("the health check %s is like this already.", live.Name)
			}
			diff, err := tool.Diff(map[string]any{"paused": live.Record.Paused}, map[string]any{"paused": in.Paused})
			p := tool.Preview[setPausedInput]{Summary: "Let the health check " + live.Name + " run again", Payload: in, Diff: diff, Revision: live.Revision}
			if in.Paused {
				p.Summary, p.Effects = "Pause the health check "+live.Name, []string{"While it is paused it counts for none of its systems."}
			}
			return p, err
		},
		func(in setPausedInput) tool.Request { return tool.Put(checksAPI.At(in.ID, "paused"), in.PausedChoice) },
		newCheckOutput)
}
