package automation

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type runInput struct {
	RunID uuid.UUID `json:"runId" jsonschema:"description=The id of the run; ids come from automation_runs."`
}

type explainOutput struct {
	Run   briefRun  `json:"run"`
	Steps []RunStep `json:"steps" jsonschema_description:"As they ran, with what each condition saw."`
	More  bool      `json:"more,omitempty"`
}

// Tainted implements tool.Tainted: a trigger and the answers of others stand in a run.
func (explainOutput) Tainted() bool { return true }

// Origin implements tool.Originated.
func (explainOutput) Origin() string {
	return "what triggered a run, and the answers that its steps got"
}

func explainRunTool() tool.Tool {
	d := kit.Define(texts, "automation.explainRun", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in runInput) (explainOutput, error) {
		var one Run
		if _, err := c.Client.Get(ctx, runsPath+"/"+in.RunID.String(), &one); err != nil {
			return explainOutput{}, err
		}
		steps, more, err := kit.Page[RunStep](ctx, c, runsPath+"/"+in.RunID.String()+"/steps", "steps", url.Values{"limit": {"50"}})
		for n := range steps {
			if len(steps[n].Output) > 2000 {
				steps[n].Output = nil
			}
			if len(steps[n].Input) > 2000 {
				steps[n].Input = nil
			}
		}
		return explainOutput{briefOf(one), steps, more}, err
	})
}
