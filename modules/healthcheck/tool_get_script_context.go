package healthcheck

import (
	"context"
	_ "embed"
	"strings"

	"countersign/script/sdk"
	"countersign/tool"
)

//go:embed tool_get_script_context.md
var getScriptContextText string

type getScriptContextInput struct {
	Context sdk.Context `json:"context" jsonschema:"enum=healthcheck-script,enum=healthcheck-shell,description=Where the script lives: the first is TypeScript and the second is shell."`
}

func (m *Module) getScriptContextTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "healthcheck.getScriptContext", Description: strings.TrimSpace(getScriptContextText), Effect: tool.Read, Rules: []string{Manage},
	}, func(ctx context.Context, c tool.Caller, in getScriptContextInput) (sdk.Description, error) {
		return m.authoring.Describe(ctx, c, in.Context)
	})
}
