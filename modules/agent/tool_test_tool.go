package agent

import (
	"context"
	"encoding/json"
	"net/http"

	"countersign/internal/access"
	"countersign/script"
	"countersign/tool"
	"countersign/tool/kit"
)

type testInput struct {
	Agent       string            `json:"agent" jsonschema:"minLength=1,maxLength=64,description=The slug or id of the agent."`
	Rev         string            `json:"rev" jsonschema:"minLength=1,maxLength=36" jsonschema_description:"The number of a revision, or draft for the newest draft."`
	Tool        string            `json:"tool" jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$"`
	Args        map[string]any    `json:"args" jsonschema:"description=What to call it with."`
	Source      string            `json:"source,omitempty" jsonschema:"maxLength=100000,description=TypeScript in place of what is saved."`
	ArgsSchema  map[string]any    `json:"args_schema,omitempty" jsonschema:"description=A schema in place of the one that is saved."`
	MockSecrets map[string]string `json:"mock_secrets,omitempty" jsonschema:"description=Made-up values of secrets by name. Never real ones."`
}

// testResult is the result of a test run for a model.
type testResult struct {
	OK       bool              `json:"ok"`
	Result   json.RawMessage   `json:"result,omitempty"`
	Error    *script.ToolError `json:"error,omitempty"`
	Logs     []script.ToolLog  `json:"logs"`
	Warnings []string          `json:"warnings"`
}

// testTool runs a tool in a dry run. Its result is authored by users, so it is untrusted.
func testTool() tool.Tool {
	d := kit.Define(texts, "agent.testTool", tool.Read, Manage).OrGrant(kind, access.Edit)
	d.Result.Untrusted, d.Timeout = true, tool.MaxTimeout
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in testInput) (testResult, error) {
		body := map[string]any{"args": in.Args}
		for name, value := range map[string]any{"source": in.Source, "args_schema": in.ArgsSchema, "mock_secrets": in.MockSecrets} {
			switch v := value.(type) {
			case string:
				if v == "" {
					continue
				}
			case map[string]any:
				if len(v) == 0 {
					continue
				}
			case map[string]string:
				if len(v) == 0 {
					continue
				}
			}
			body[name] = value
		}
		var out DryRun
		at := draftInput{Agent: in.Agent, Rev: in.Rev, Tool: in.Tool}
		_, err := c.Client.Do(ctx, http.MethodPost, at.path()+"/dry_run", body, &out)
		return testResult{out.OK, out.Result, out.Error, out.Logs, out.Warnings}, err
	})
}
