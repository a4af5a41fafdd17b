package automation

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
	Context sdk.Context `json:"context" jsonschema:"enum=automation-action-script,enum=automation-action-shell,description=Where the script lives: the first is TypeScript and the second is shell."`
	script.Draft
	Config map[string]any `json:"config,omitempty" jsonschema:"description=Left out: actions have no configuration of their own. Use sampleContext."`
}

func (m *Module) testScriptTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "automation.testScript", Description: strings.TrimSpace(testScriptText), Effect: tool.Read, Rules: []string{Manage},
		Timeout: tool.MaxTimeout,
	}, func(ctx context.Context, c tool.Caller, in testScriptInput) (script.TestOutput, error) {
		return m.authoring.TestDraft(ctx, c, in.Context, in.Draft, in.Config)
	})
}
