package agent

import (
	"context"
	"encoding/json"
	"net/url"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type getInput struct {
	Agent string `json:"agent" jsonschema:"minLength=1,maxLength=64,description=Its slug or id."`
	Rev   string `json:"rev,omitempty" jsonschema:"maxLength=36,description=The number of a revision; the newest when left out."`
}

// toolView is a custom tool for a model.
type toolView struct {
	ID          string          `json:"id"`
	Description string          `json:"description"`
	Effect      Effect          `json:"effect"`
	ArgsSchema  json.RawMessage `json:"argsSchema"`
	Source      string          `json:"source"`
	Secrets     []string        `json:"secrets"`
}

type getOutput struct {
	Slug     string     `json:"slug"`
	Name     string     `json:"name"`
	Revision int        `json:"revision"`
	State    State      `json:"state"`
	Spec     Spec       `json:"spec"`
	Tools    []toolView `json:"tools"`
}

func getTool() tool.Tool {
	d := kit.Define(texts, "agent.get", tool.Read, Read).OrGrant(kind, access.View)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in getInput) (getOutput, error) {
		var a Agent
		at := base + "/" + url.PathEscape(in.Agent)
		if _, err := c.Client.Get(ctx, at, &a); err != nil {
			return getOutput{}, err
		}
		if in.Rev == "" {
			list, _, err := kit.Page[Revision](ctx, c, at+"/revisions", "revisions", url.Values{"limit": {"1"}})
			if err != nil || len(list) == 0 {
				return getOutput{Slug: a.Slug, Name: a.Name, Tools: []toolView{}}, err
			}
			in.Rev = list[0].ID.String()
		}
		var r Revision
		if _, err := c.Client.Get(ctx, at+"/revisions/"+url.PathEscape(in.Rev), &r); err != nil {
			return getOutput{}, err
		}
		var b BundleOf
		if _, err := c.Client.Get(ctx, at+"/revisions/"+r.ID.String()+"/bundle", &b); err != nil {
			return getOutput{}, err
		}
		out := getOutput{Slug: a.Slug, Name: a.Name, Revision: r.Number, State: r.State, Spec: b.Bundle.Spec, Tools: []toolView{}}
		for _, t := range b.Bundle.Tools {
			out.Tools = append(out.Tools, toolView{t.ID, t.Description, t.Effect, t.ArgsSchema, t.Source, t.Capabilities.SecretRefs})
		}
		return out, nil
	})
}
