package docs

import (
	"context"
	"net/url"
	"strconv"

	"countersign/docsindex"
	"countersign/tool"
	"countersign/tool/kit"
)

type searchDocsInput struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=400,description=The question or a few words of the topic."`
	Limit int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=10,default=5,description=How many hits to return."`
}

func searchDocsTool() tool.Tool {
	return kit.NewRead(ours(kit.Define(texts, "ai.searchDocs", tool.Read, rule)),
		func(ctx context.Context, c tool.Caller, in searchDocsInput) (docsindex.Results, error) {
			if in.Limit == 0 {
				in.Limit = docsindex.DefaultLimit
			}
			return read[docsindex.Results](ctx, c, "/api/docs/search", url.Values{"query": {in.Query}, "limit": {strconv.Itoa(in.Limit)}})
		})
}
