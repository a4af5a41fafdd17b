package agent

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/script"
	"countersign/script/sdk"
)

// contextRoutes declares the operations that describe the runtime of tools to their authors.
func contextRoutes(api huma.API) {
	huma.Register(
		api,
		rest.Op("get-agent-script-context", http.MethodGet, script.ContextsPath("agent")+"/{context}", "Get what a custom tool can use",
			rest.Doc("The declarations that its editor mounts, and an example.")),
		func(_ context.Context, in *struct {
			Context string `path:"context" maxLength:"100"`
		},
		) (*struct{ Body sdk.Description }, error) {
			if sdk.Context(in.Context) != sdk.CustomTool {
				return nil, problem.InvalidInput("This context is not one of custom tools.",
					problem.Issue{Path: "context", Message: "must be " + string(sdk.CustomTool)})
			}
			d, err := sdk.Describe(sdk.CustomTool)
			return &struct{ Body sdk.Description }{d}, err
		},
	)
}
