package healthcheck

import (
	"context"
	_ "embed"
	"strings"

	"countersign/script"
	"countersign/script/sdk"
	"countersign/tool"
)

//go:embed tool_test_script.md
var testScriptText string

type testScriptInput struct {
	Context sdk.Context `json:"context" jsonschema:"enum=healthcheck-script,enum=healthcheck-shell,description=Where the script lives: the first is TypeScript and the second is shell."`
	script.Draft
	Config map[string]any `json:"config,omitempty" jsonschema:"description=The configuration that the check is told in context.config. TypeScript only."`
}

func (m *Module) testScriptTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "healthcheck.testScript", Description: strings.TrimSpace(testScriptText), Effect: tool.Read, Rules: []string{Manage},
		Timeout: tool.MaxTimeout,
	}, func(ctx context.Context, c tool.Caller, in testScriptInput) (script.TestOutput, error) {
		return m.authoring.TestDraft(ctx, c, in.Context, in.Draft, in.Config)
	})
}
