package automation

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/kit"
)

type updateInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the automation; ids come from automation_list."`
	Change
}

// Targets implements tool.Targeted.
func (in updateInput) Targets() []tool.Target { return about(in.ID) }

// fields are what an update shows.
type fields struct {
	Text   string    `json:"text"`
	RunAs  uuid.UUID `json:"runAs"`
	Status string    `json:"status"`
}

func updateTool() tool.Tool {
	d := kit.Define(texts, "automation.update", tool.Mutate, Manage).WithInverse(kit.Former("automation.update"))
	d.Operations.RelatedOperations = []tool.Operation{{Method: http.MethodPost, Path: path + "/{id}/rollback"}}
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in updateInput) (kit.Preview[updateInput], error) {
			var none kit.Preview[updateInput]
			live, err := automationsAPI.LoadForChange(ctx, c, in.ID, "id", access.Edit)
			if err != nil {
				return none, err
			}
			before := fields{live.Record.Text, live.Record.RunAs.ID, live.Record.Status}
			after := before
			rest.Replace(&after.Text, in.Text)
			rest.Replace(&after.RunAs, in.RunAs)
			rest.Replace(&after.Status, in.Status)
			v, err := validated(ctx, c, Draft{after.Text, &after.RunAs})
			if err != nil {
				return none, err
			}
			p, err := kit.Update(live, in, before, after)
			if err != nil {
				return none, err
			}
			p.Effects = touches(v)
			return p, nil
		},
		func(in updateInput) tool.Request { return kit.Patch(automationsAPI.At(in.ID), in.Change) }, newChangedOutput)
}
