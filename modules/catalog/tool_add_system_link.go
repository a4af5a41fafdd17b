package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type addSystemLinkInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	NewLink
}

// Targets implements tool.Targeted.
func (in addSystemLinkInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.SystemID, access.Edit)}
}

type linkOutput struct {
	Link briefLink `json:"link"`
}

func addSystemLinkTool() tool.Tool {
	return kit.NewWrite(kit.Define(texts, "catalog.addSystemLink", tool.Mutate, SystemManage).OrGrant(systemKind, access.Edit).
		WithInverse(kit.PartRemover("catalog.removeSystemLink", "systemId", "linkId", "link")),
		func(ctx context.Context, c tool.Caller, in addSystemLinkInput) (kit.Preview[addSystemLinkInput], error) {
			var none kit.Preview[addSystemLinkInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.SystemID, "systemId", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			in.NewLink = v.link(in.NewLink)
			if err := v.Err(); err != nil {
				return none, err
			}
			for _, other := range live.Record.Links {
				if other.URL == in.URL {
					return none, kit.Unchanged("the system %s has a link to %s already.", live.Name, in.URL)
				}
			}
			summary := "Add a link to " + in.URL + " to the system " + live.Name
			if in.Label != "" {
				summary += " (" + in.Label + ")"
			}
			diff, err := kit.Diff(struct{}{}, map[string]any{"link": in.NewLink})
			return kit.Preview[addSystemLinkInput]{Summary: summary, Payload: in, Diff: diff, Revision: live.Revision}, err
		},
		func(in addSystemLinkInput) tool.Request {
			return kit.Post(systemsAPI.At(in.SystemID, "links"), in.NewLink)
		},
		func(added briefLink) linkOutput { return linkOutput{Link: added} })
}
