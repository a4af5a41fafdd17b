package automation

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type runNowInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the automation; ids come from automation_list."`
	NewRun
}

// Targets implements tool.Targeted.
func (in runNowInput) Targets() []tool.Target { return about(in.ID) }

type runNowOutput struct {
	Run     briefRun `json:"run"`
	Started bool     `json:"started"`
}

func runNowTool() tool.Tool {
	d := kit.Define(texts, "automation.runNow", tool.Mutate, Manage)
	d.Operations.RelatedOperations = []tool.Operation{
		{Method: http.MethodPost, Path: runsPath + "/{id}/again"}, {Method: http.MethodPost, Path: runsPath + "/{id}/cancel"},
	}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in runNowInput) (kit.Preview[runNowInput], error) {
			live, err := automationsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return kit.Preview[runNowInput]{}, err
			}
			p := kit.Preview[runNowInput]{
				Summary:  "Run the automation " + live.Name + " now",
				Payload:  in,
				Revision: live.Revision,
				Labels:   map[string]string{in.ID.String(): live.Name},
			}
			p.Effects = touches(Verdict{Definition: &live.Record.Definition})
			return p, nil
		},
		func(in runNowInput) tool.Request { return kit.Post(automationsAPI.At(in.ID, "run"), in.NewRun) },
		func(s Started) runNowOutput { return runNowOutput{briefOf(s.Run), s.Started} })
}
