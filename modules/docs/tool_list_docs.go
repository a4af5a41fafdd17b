package docs

import (
	"context"
	"net/url"

	"countersign/modules/docs/docsindex"
	"countersign/tool"
)

type listDocsInput struct {
	Section string `json:"section,omitempty" jsonschema:"minLength=1,maxLength=200,description=One of the sections that an earlier call returned. Leave it out for all pages."`
}

func listDocsTool() tool.Tool {
	return tool.NewRead(ours(tool.Define(texts, "ai.listDocs", tool.Read, rule)),
		func(ctx context.Context, c tool.Caller, in listDocsInput) (docsindex.Sitemap, error) {
			query := url.Values{}
			if in.Section != "" {
				query.Set("section", in.Section)
			}
			return read[docsindex.Sitemap](ctx, c, "/api/docs", query)
		})
}
