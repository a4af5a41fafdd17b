package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
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
	return tool.NewWrite(
		tool.Define(
			texts,
			"healthcheck.setPaused",
			tool.Mutate,
			Manage,
		).OrGrant(
			checkKind,
			access.Edit,
		).WithInverse(
			tool.Former("healthcheck.setPaused"),
		),
		func(ctx context.Context, c tool.Caller, in setPausedInput) (tool.Preview[setPausedInput], error) {
			var none tool.Preview[setPausedInput]
			live, err := checksAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			p, err := tool.Update(live, in, PausedChoice{live.Record.Paused}, in.PausedChoice)
			p.Summary = "Let the health check " + live.Name + " run again"
			if in.Paused {
				p.Summary, p.Effects = "Pause the health check "+live.Name, []string{"While it is paused it counts for none of its systems."}
			}
			return p, err
		},
		func(in setPausedInput) tool.Request { return tool.Put(checksAPI.At(in.ID, "paused"), in.PausedChoice) },
		newCheckOutput,
	)
}
