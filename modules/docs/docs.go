// Package docs serves the product's own documentation, as routes and as the tools with which the assistant grounds its
// answers. The pages are built into the binary (package docsindex), so they always fit the version that runs.
package docs

import (
	"context"
	"embed"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"countersign/docsindex"
	"countersign/internal/rest"
	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

const rule = "ai.chat.read"

// Module is the documentation: its operations and its tools.
type Module struct {
	index *docsindex.Index
}

// New makes the module on the built-in index.
func New() (*Module, error) {
	index, err := docsindex.Load()
	return &Module{index: index}, err
}

// Routes declares the operations.
func (m *Module) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-docs", http.MethodGet, "/api/docs", "List the documentation pages", rest.Rules(rule)),
		func(_ context.Context, in *struct {
			Section string `query:"section" maxLength:"200"`
		},
		) (*struct{ Body docsindex.Sitemap }, error) {
			return &struct{ Body docsindex.Sitemap }{m.index.List(in.Section)}, nil
		})
	huma.Register(api, rest.Op("search-docs", http.MethodGet, "/api/docs/search", "Search the documentation", rest.Rules(rule)),
		func(_ context.Context, in *struct {
			Query string `query:"query" required:"true" minLength:"1" maxLength:"400"`
			Limit int    `query:"limit" minimum:"1" maximum:"10" default:"5"`
		},
		) (*struct{ Body docsindex.Results }, error) {
			return &struct{ Body docsindex.Results }{m.index.Search(in.Query, in.Limit)}, nil
		})
	huma.Register(api, rest.Op("get-doc", http.MethodGet, "/api/docs/page", "Read a documentation page", rest.Rules(rule)),
		func(_ context.Context, in *struct {
			Slug string `query:"slug" required:"true" minLength:"1" maxLength:"300"`
		},
		) (*struct{ Body docsindex.Document }, error) {
			doc, err := m.index.Get(in.Slug)
			return &struct{ Body docsindex.Document }{doc}, err
		})
}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{listDocsTool(), searchDocsTool(), getDocTool()}
}

// ours marks the results of a read as texts of the product.
func ours(d tool.Definition) tool.Definition {
	d.Result.Trusted = true
	return d
}

// read asks the live API as the caller.
func read[Out any](ctx context.Context, c tool.Caller, path string, query url.Values) (Out, error) {
	var out Out
	_, err := c.Client.Get(ctx, path+"?"+query.Encode(), &out)
	return out, err
}
