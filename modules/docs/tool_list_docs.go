package docs

import (
	"context"
	"net/url"

	"countersign/docsindex"
	"countersign/tool"
	"countersign/tool/kit"
)

type listDocsInput struct {
	Section string `json:"section,omitempty" jsonschema:"minLength=1,maxLength=200,description=One of the sections that an earlier call returned. Leave it out for all pages."`
	Cursor  string `json:"cursor,omitempty" jsonschema:"minLength=1,maxLength=300,description=nextCursor of the call before."`
}

func listDocsTool() tool.Tool {
	return kit.NewRead(ours(kit.Define(texts, "ai.listDocs", tool.Read, rule)),
		func(ctx context.Context, c tool.Caller, in listDocsInput) (Listing, error) {
			query := url.Values{}
			if in.Section != "" {
				query.Set("section", in.Section)
			}
			all, err := read[docsindex.Sitemap](ctx, c, "/api/docs", query)
			if err != nil {
				return Listing{}, err
			}
			return listingOf(all, in.Section, in.Cursor, c.ResultChars()), nil
		})
}
