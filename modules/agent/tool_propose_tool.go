package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/script/typescript"
	"countersign/tool"
	"countersign/tool/kit"
)

// draftInput is a tool written by a model, and its place.
type draftInput struct {
	Agent       string         `json:"agent" jsonschema:"minLength=1,maxLength=64,description=The slug or id of the agent."`
	Rev         string         `json:"rev" jsonschema:"minLength=1,maxLength=36" jsonschema_description:"The number of a draft, or draft for the newest one, which is made if there is none."`
	Tool        string         `json:"tool" jsonschema:"minLength=1,maxLength=64,pattern=^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$"`
	Description string         `json:"description" jsonschema:"minLength=1,maxLength=2000"`
	ArgsSchema  map[string]any `json:"args_schema" jsonschema:"description=A JSON schema of the arguments: an object."`
	Source      string         `json:"source" jsonschema:"minLength=1,maxLength=100000" jsonschema_description:"TypeScript: export default { actions: { default: async (args, ctx) => ... } } satisfies CustomTool."`
	Effect      Effect         `json:"effect,omitempty" jsonschema:"enum=read,enum=mutate,description=mutate when left out: a user decides about each call."`
}

// maxProposed bounds the source that an assistant proposes, in characters.
const maxProposed = 100_000

// draftBody is the request body of the operation.
type draftBody struct {
	Description string         `json:"description"`
	ArgsSchema  map[string]any `json:"args_schema"`
	Source      string         `json:"source"`
	Effect      Effect         `json:"effect,omitempty"`
}

func (in draftInput) body() draftBody {
	return draftBody{in.Description, in.ArgsSchema, in.Source, in.Effect}
}

func (in draftInput) path() string {
	return base + "/" + url.PathEscape(in.Agent) + "/revisions/" + url.PathEscape(in.Rev) + "/tools/" + url.PathEscape(in.Tool)
}

// Targets implements tool.Targeted.
func (in draftInput) Targets() []tool.Target {
	return []tool.Target{{Path: base + "/" + url.PathEscape(in.Agent), Level: access.Edit}}
}

type draftOutput struct {
	ToolID       string                      `json:"tool_id"`
	Capabilities typescript.Capabilities     `json:"capabilities"`
	Warnings     []typescript.ToolDiagnostic `json:"warnings"`
}

func proposeTool() tool.Tool {
	d := kit.Define(texts, "agent.proposeTool", tool.Mutate, Manage).OrGrant(kind, access.Edit)
	return kit.NewWrite(d, previewTool,
		func(in draftInput) tool.Request { return kit.Put(in.path(), in.body()) },
		func(w ToolWritten) draftOutput { return draftOutput{w.ToolID, w.Capabilities, w.Warnings} })
}

// previewTool checks the tool without storing it, and shows the changes.
func previewTool(ctx context.Context, c tool.Caller, in draftInput) (kit.Preview[draftInput], error) {
	var none kit.Preview[draftInput]
	// A person decides by this text, so it must not hide characters.
	var v problem.Issues
	in.Source, in.Description = text.Lines(&v, "source", in.Source, maxProposed), text.Lines(&v, "description", in.Description, MaxDescription)
	if err := v.Err(); err != nil {
		return none, err
	}
	if in.Effect == "" {
		in.Effect = MutateEffect
	}
	var a Agent
	at := base + "/" + url.PathEscape(in.Agent)
	if _, err := c.Client.Get(ctx, at, &a); err != nil {
		return none, err
	}
	// Cards show names instead of ids.
	in.Agent = a.ID.String()
	var checked ToolChecked
	if _, err := c.Client.Do(ctx, http.MethodPost, in.path()+"/check", in.body(), &checked); err != nil {
		return none, err
	}
	var issues []problem.Issue
	for _, f := range checked.Diagnostics {
		if f.Severity == typescript.Error {
			issues = append(
				issues,
				problem.Issue{Path: fmt.Sprintf("source:%d:%d", f.Line, f.Column), Message: strings.TrimSpace(f.Message + " " + f.Hint)},
			)
		}
	}
	if len(issues) > 0 {
		return none, problem.InvalidInput("The tool does not compile. Put this right and test it again.", issues...)
	}
	before, revision, err := currentDraft(ctx, c, at, in)
	if err != nil {
		return none, err
	}
	p := kit.Preview[draftInput]{
		Payload:  in,
		Revision: revision,
		Labels:   map[string]string{a.ID.String(): a.Name},
		Summary:  fmt.Sprintf("Write the custom tool %s of the agent %s", in.Tool, a.Name),
	}
	if before != nil {
		p.Summary = fmt.Sprintf("Change the custom tool %s of the agent %s", in.Tool, a.Name)
		if p.Diff, err = kit.Differing(before, in.body(), "the tool %s is written like this already.", in.Tool); err != nil {
			return none, err
		}
	}
	p.Effects = []string{
		"It is written into a draft, which runs for nobody. An owner of the agent freezes and promotes it.",
		describeCapabilities(checked.Capabilities),
	}
	return p, nil
}

// currentDraft returns the draft's current tool, nil for none, and the draft's revision, "" without a draft.
func currentDraft(ctx context.Context, c tool.Caller, at string, in draftInput) (before *draftBody, revision string, err error) {
	var b BundleOf
	etag, err := c.Client.Get(ctx, at+"/revisions/"+url.PathEscape(in.Rev)+"/bundle", &b)
	if problem.Is(err, problem.NotFound) && in.Rev == newestDraft {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	for _, t := range b.Bundle.Tools {
		if t.ID == in.Tool {
			one := draftBody{Description: t.Description, Source: t.Source, Effect: t.Effect}
			return &one, etag, json.Unmarshal(t.ArgsSchema, &one.ArgsSchema)
		}
	}
	return nil, etag, nil
}

// describeCapabilities describes the capabilities of a tool.
func describeCapabilities(c typescript.Capabilities) string {
	switch {
	case c.DynamicSecretRefs:
		return "It computes, reaches no network, and can refer to any secret of the spec."
	case len(c.SecretRefs) > 0:
		return "It computes, reaches no network, and refers to the secrets " + strings.Join(c.SecretRefs, ", ") + "."
	}
	return "It computes, reaches no network, and refers to no secret."
}
