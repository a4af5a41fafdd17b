package docs

import (
	"context"
	_ "embed"
	"net/url"

	"countersign/modules/docs/docsindex"
	"countersign/tool"
)

//go:embed tool_list_docs.md
var listDocsText string

type listDocsInput struct {
	Section string `json:"section,omitempty" jsonschema:"minLength=1,maxLength=200,description=One of the sections that an earlier call returned. Leave it out for all pages."`
}

func listDocsTool() tool.Tool {
	return tool.NewRead(definition("ai.listDocs", listDocsText),
		func(ctx context.Context, c tool.Caller, in listDocsInput) (docsindex.Sitemap, error) {
			query := url.Values{}
			if in.Section != "" {
				query.Set("section", in.Section)
			}
			return read[docsindex.Sitemap](ctx, c, "/api/docs", query)
		})
}
