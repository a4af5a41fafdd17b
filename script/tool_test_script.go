package script

import (
	"context"
	"encoding/json"
	"net/http"

	"countersign/tool"
)

type draftInput struct {
	contextInput
	Source        string            `json:"source" jsonschema:"minLength=1,maxLength=100000,description=The whole script."`
	SampleContext map[string]any    `json:"sampleContext,omitempty" jsonschema:"description=What the script is told. What is missing has a default and what the context does not know is left out."`
	Env           map[string]string `json:"env,omitempty" jsonschema:"description=Environment variables beside those of the context. TypeScript finds them in context.env."`
	TimeoutMs     int               `json:"timeoutMs,omitempty" jsonschema:"minimum=100,maximum=30000,default=30000,description=How long the script may run."`
	Config        map[string]any    `json:"config,omitempty"`
}

func (a Authoring) testScriptTool() tool.Tool {
	d := tool.Define(a.Texts, a.Module+".testScript", tool.Read, a.Rule)
	d.Timeout = tool.MaxTimeout
	d.Also = []tool.Operation{{Method: http.MethodPost, Path: TestsPath(a.Module)}}
	t := tool.NewRead(d, func(ctx context.Context, c tool.Caller, in draftInput) (TestOutput, error) {
		test := TestInput{Context: in.Context, Source: in.Source, Env: in.Env, TimeoutMs: in.TimeoutMs}
		// An absent member is nil, where an empty map in its place would be an object.
		if in.Config != nil {
			test.Config = in.Config
		}
		if in.SampleContext != nil {
			test.SampleContext = in.SampleContext
		}
		var out TestOutput
		_, err := c.Client.Do(ctx, http.MethodPost, TestsPath(a.Module), test, &out)
		return out.Brief(), err
	})
	t.Input = tool.SchemaOf[draftInput](a.refine)
	return t.LeavesWhen(tool.Leaving{
		Summary: func(json.RawMessage) string { return "Test a script that can reach the network" },
		Why: func(ctx context.Context, c tool.Caller, _ json.RawMessage) (string, error) {
			var network NetworkState
			if _, err := c.Client.Get(ctx, NetworkPath(a.Module), &network); err != nil || !network.Allowed {
				return "", err
			}
			return "The script can reach the network, so it can send what this conversation holds to others.", nil
		},
	})
}
