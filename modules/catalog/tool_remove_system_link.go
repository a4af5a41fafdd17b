package catalog

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type removeSystemLinkInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	LinkID   uuid.UUID `json:"linkId" jsonschema:"description=The id of the link as catalog_getSystem shows it."`
}

// Targets implements tool.Targeted.
func (in removeSystemLinkInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.SystemID, access.Edit)}
}

func removeSystemLinkTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(texts, "catalog.removeSystemLink", tool.Destructive, SystemManage).OrGrant(systemKind, access.Edit).WithoutCascade().
			WithInverse(kit.Restorer("catalog.addSystemLink")),
		func(ctx context.Context, c tool.Caller, in removeSystemLinkInput) (kit.Preview[removeSystemLinkInput], error) {
			var none kit.Preview[removeSystemLinkInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.SystemID, "systemId", access.Edit)
			if err != nil {
				return none, err
			}
			i := slices.IndexFunc(live.Record.Links, func(link Link) bool { return link.ID == in.LinkID })
			if i < 0 {
				return none, problem.InvalidInput("The system "+live.Name+" has no such link. Read it with catalog_getSystem to see its links.",
					problem.Issue{Path: "linkId", Message: "names no link of this system"})
			}
			link := live.Record.Links[i]
			diff, err := kit.Diff(map[string]any{"link": NewLink{Label: link.Label, URL: link.URL}}, struct{}{})
			summary := "Remove the link to " + link.URL + " from the system " + live.Name
			return kit.Preview[removeSystemLinkInput]{
				Summary: summary, Payload: in, Diff: diff, Revision: live.Revision,
				Before: addSystemLinkInput{SystemID: in.SystemID, NewLink: NewLink{Label: link.Label, URL: link.URL}},
			}, err
		},
		func(in removeSystemLinkInput) tool.Request {
			return kit.Delete(systemsAPI.At(in.SystemID, "links", in.LinkID.String()))
		},
		kit.Gone,
	)
}
