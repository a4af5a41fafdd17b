package docs

import (
	"context"
	"net/url"

	"countersign/docsindex"
	"countersign/tool"
	"countersign/tool/kit"
)

type getDocInput struct {
	Slug    string `json:"slug" jsonschema:"minLength=1,maxLength=300,description=A slug that ai_listDocs or ai_searchDocs returned."`
	Section string `json:"section,omitempty" jsonschema:"minLength=1,maxLength=200,description=A heading of the page: that section alone."`
	Offset  int    `json:"offset,omitempty" jsonschema:"minimum=0,description=nextOffset of the part before."`
}

func getDocTool() tool.Tool {
	return kit.NewRead(ours(kit.Define(texts, "ai.getDoc", tool.Read, rule)),
		func(ctx context.Context, c tool.Caller, in getDocInput) (Part, error) {
			doc, err := read[docsindex.Document](ctx, c, "/api/docs/page", url.Values{"slug": {in.Slug}})
			if err != nil {
				return Part{}, err
			}
			return partOf(doc, in, c.ResultChars())
		})
}
