package healthcheck

import (
	"context"
	_ "embed"
	"net/http"
	"strings"

	"countersign/script"
	"countersign/sdk"
	"countersign/tool"
)

//go:embed tool_test_script.md
var testScriptText string

type testScriptInput struct {
	Context       sdk.Context       `json:"context" jsonschema:"enum=healthcheck-script,enum=healthcheck-shell,description=Where the script lives: the first is TypeScript and the second is shell."`
	Source        string            `json:"source" jsonschema:"minLength=1,maxLength=100000,description=The whole script."`
	Config        map[string]any    `json:"config,omitempty" jsonschema:"description=The configuration that the check is told in context.config. TypeScript only."`
	SampleContext map[string]any    `json:"sampleContext,omitempty" jsonschema:"description=What the script is told. What is missing has a default and what the context does not know is left out."`
	Env           map[string]string `json:"env,omitempty" jsonschema:"description=Environment variables beside those of the context."`
	TimeoutMs     int               `json:"timeoutMs,omitempty" jsonschema:"minimum=100,maximum=30000,default=10000,description=How long the script may run."`
}

func (in testScriptInput) input() script.TestInput {
	out := script.TestInput{Context: in.Context, Source: in.Source, Env: in.Env, TimeoutMs: in.TimeoutMs}
	if in.Config != nil {
		out.Config = in.Config
	}
	if in.SampleContext != nil {
		out.SampleContext = in.SampleContext
	}
	return out
}

func testScriptTool() tool.Tool {
	return tool.NewRead(tool.Definition{
		Name: "healthcheck.testScript", Description: strings.TrimSpace(testScriptText), Effect: tool.Read, Rules: []string{Manage},
		Timeout: tool.MaxTimeout,
	}, func(ctx context.Context, c tool.Caller, in testScriptInput) (script.TestOutput, error) {
		var out script.TestOutput
		_, err := c.Client.Do(ctx, http.MethodPost, script.TestsPath(module), in.input(), &out)
		return out, err
	})
}
