package automation

import (
	"context"
	"net/url"
	"strconv"

	"countersign/tool"
	"countersign/tool/kit"
)

type listInput struct {
	Status string `json:"status,omitempty" jsonschema:"enum=enabled,enum=disabled"`
	Query  string `json:"query,omitempty" jsonschema:"maxLength=200,description=A part of the name."`
	Limit  int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,description=How many to return at most; 20 when left out."`
}

type listOutput struct {
	Automations []briefAutomation `json:"automations"`
	More        bool              `json:"more,omitempty" jsonschema:"description=There are further ones: narrow the search."`
}

const defaultLimit = 20

func limited(limit int) url.Values {
	if limit == 0 {
		limit = defaultLimit
	}
	return url.Values{"limit": {strconv.Itoa(limit)}}
}

func listTool() tool.Tool {
	d := kit.Define(texts, "automation.list", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listInput) (listOutput, error) {
		query := limited(in.Limit)
		for name, value := range map[string]string{"status": in.Status, "query": in.Query} {
			if value != "" {
				query.Set(name, value)
			}
		}
		found, more, err := kit.Page[Listed](ctx, c, path, automationKind.Plural, query)
		out := listOutput{Automations: make([]briefAutomation, len(found)), More: more}
		for i, one := range found {
			out.Automations[i] = brief(one)
		}
		return out, err
	})
}
