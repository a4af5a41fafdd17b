package automation

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type idInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the automation; ids come from automation_list."`
}

type getOutput struct {
	Automation briefAutomation `json:"automation"`
	Text       string          `json:"text"`
}

func getTool() tool.Tool {
	d := kit.Define(texts, "automation.get", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in idInput) (getOutput, error) {
		live, err := automationsAPI.Load(ctx, c, in.ID, "id")
		return getOutput{brief(live.Record.Listed), live.Record.Text}, err
	})
}
