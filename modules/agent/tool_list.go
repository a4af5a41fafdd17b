package agent

import (
	"context"
	"net/url"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

// briefAgent is an agent in a list for a model.
type briefAgent struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Live        int    `json:"live,omitempty" jsonschema:"description=The number of the live revision."`
	Tools       int    `json:"tools"`
}

type listInput struct {
	Query string `json:"query,omitempty" jsonschema:"maxLength=200"`
}

type listOutput struct {
	Agents []briefAgent `json:"agents"`
	More   bool         `json:"more,omitempty"`
}

func listTool() tool.Tool {
	d := kit.Define(texts, "agent.list", tool.Read, Read).OrGrant(kind, access.View)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listInput) (listOutput, error) {
		q := url.Values{"limit": {"50"}}
		if in.Query != "" {
			q.Set("query", in.Query)
		}
		list, more, err := kit.Page[Agent](ctx, c, base, "agents", q)
		out := listOutput{Agents: []briefAgent{}, More: more}
		for _, a := range list {
			one := briefAgent{Slug: a.Slug, Name: a.Name, Description: a.Description, Tools: a.ToolCount}
			if a.LiveRevision != nil {
				one.Live = a.LiveRevision.Number
			}
			out.Agents = append(out.Agents, one)
		}
		return out, err
	})
}
