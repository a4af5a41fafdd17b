package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_add_system_link.md
var addSystemLinkText string

type addSystemLinkInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	URL      string    `json:"url" jsonschema:"minLength=8,maxLength=2000,description=http or https; no credentials."`
	Label    string    `json:"label,omitempty" jsonschema:"maxLength=120,description=What the page is; such as runbook."`
}

type linkOutput struct {
	Link briefLink `json:"link"`
}

func addSystemLinkTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.addSystemLink", Description: addSystemLinkText, Effect: tool.Mutate, Rules: []string{SystemManage},
	}, func(ctx context.Context, c tool.Caller, in addSystemLinkInput) (tool.Preview[addSystemLinkInput], error) {
		var none tool.Preview[addSystemLinkInput]
		live, etag, err := systemToChange(ctx, c, in.SystemID, "systemId", access.Edit)
		if err != nil {
			return none, err
		}
		var v validation
		link := v.link(NewLink{Label: in.Label, URL: in.URL})
		if err := v.Err(); err != nil {
			return none, err
		}
		in.Label, in.URL = link.Label, link.URL
		for _, other := range live.Links {
			if other.URL == link.URL {
				return none, unchanged("the system %s has a link to %s already.", live.Name, link.URL)
			}
		}
		summary := "Add a link to " + link.URL + " to the system " + live.Name
		if link.Label != "" {
			summary += " (" + link.Label + ")"
		}
		diff, err := tool.Diff(struct{}{}, map[string]any{"link": link})
		return tool.Preview[addSystemLinkInput]{Summary: summary, Payload: in, Diff: diff, Revision: etag}, err
	}, func(ctx context.Context, c tool.Caller, in addSystemLinkInput) (linkOutput, error) {
		var out linkOutput
		body := NewLink{Label: in.Label, URL: in.URL}
		_, err := c.Client.Do(ctx, http.MethodPost, systemsPath+"/"+in.SystemID.String()+"/links", body, &out.Link)
		return out, err
	})
}
