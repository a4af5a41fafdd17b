package healthcheck

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
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
	return kit.NewWrite(
		kit.Define(
			texts,
			"healthcheck.setPaused",
			tool.Mutate,
			Manage,
		).OrGrant(
			checkKind,
			access.Edit,
		).WithInverse(
			kit.Former("healthcheck.setPaused"),
		),
		func(ctx context.Context, c tool.Caller, in setPausedInput) (kit.Preview[setPausedInput], error) {
			var none kit.Preview[setPausedInput]
			live, err := checksAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			p, err := kit.Update(live, in, PausedChoice{live.Record.Paused}, in.PausedChoice)
			p.Summary = "Let the health check " + live.Name + " run again"
			if in.Paused {
				p.Summary, p.Effects = "Pause the health check "+live.Name, []string{"While it is paused it counts for none of its systems."}
			}
			return p, err
		},
		func(in setPausedInput) tool.Request { return kit.Put(checksAPI.At(in.ID, "paused"), in.PausedChoice) },
		newCheckOutput,
	)
}
