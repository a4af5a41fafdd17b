package docs

import (
	"context"
	"net/url"

	"countersign/modules/docs/docsindex"
	"countersign/tool"
)

type getDocInput struct {
	Slug string `json:"slug" jsonschema:"minLength=1,maxLength=300,description=A slug that ai_listDocs or ai_searchDocs returned."`
}

func getDocTool() tool.Tool {
	return tool.NewRead(ours(tool.Define(texts, "ai.getDoc", tool.Read, rule)),
		func(ctx context.Context, c tool.Caller, in getDocInput) (docsindex.Document, error) {
			return read[docsindex.Document](ctx, c, "/api/docs/page", url.Values{"slug": {in.Slug}})
		})
}
