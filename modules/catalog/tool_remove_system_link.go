package catalog

import (
	"context"
	_ "embed"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/problem"
	"countersign/tool"
)

//go:embed tool_remove_system_link.md
var removeSystemLinkText string

type removeSystemLinkInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	LinkID   uuid.UUID `json:"linkId" jsonschema:"description=The id of the link as catalog_getSystem shows it."`
}

func removeSystemLinkTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.removeSystemLink", Description: removeSystemLinkText, Effect: tool.Destructive, Rules: []string{SystemManage},
	}, func(ctx context.Context, c tool.Caller, in removeSystemLinkInput) (tool.Preview[removeSystemLinkInput], error) {
		var none tool.Preview[removeSystemLinkInput]
		live, etag, err := systemToChange(ctx, c, in.SystemID, "systemId", access.Edit)
		if err != nil {
			return none, err
		}
		i := slices.IndexFunc(live.Links, func(link Link) bool { return link.ID == in.LinkID })
		if i < 0 {
			return none, problem.InvalidInput("The system "+live.Name+" has no such link. Read it with catalog_getSystem to see its links.",
				problem.Issue{Path: "linkId", Message: "names no link of this system"})
		}
		link := live.Links[i]
		diff, err := tool.Diff(map[string]any{"link": NewLink{Label: link.Label, URL: link.URL}}, struct{}{})
		return tool.Preview[removeSystemLinkInput]{
			Summary: "Remove the link to " + link.URL + " from the system " + live.Name, Payload: in, Diff: diff, Revision: etag,
		}, err
	}, func(ctx context.Context, c tool.Caller, in removeSystemLinkInput) (deleted, error) {
		return remove(ctx, c, systemsPath+"/"+in.SystemID.String()+"/links/"+in.LinkID.String())
	})
}
