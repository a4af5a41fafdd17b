package maintenance

import (
	"context"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type listInput struct {
	State    string     `json:"state,omitempty" jsonschema:"enum=open,enum=over,description=open are all that are scheduled or in progress; both when left out."`
	Status   Status     `json:"status,omitempty" jsonschema:"enum=scheduled,enum=in_progress,enum=completed,enum=cancelled"`
	SystemID *uuid.UUID `json:"systemId,omitempty" jsonschema:"description=Only maintenances of this system; ids come from catalog_listSystems."`
	Query    string     `json:"query,omitempty" jsonschema:"maxLength=200,description=A word of the title or the description."`
	Limit    int        `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,description=How many to return at most; 20 when left out."`
}

type listOutput struct {
	Maintenances []briefMaintenance `json:"maintenances"`
	More         bool               `json:"more,omitempty" jsonschema:"description=There are further ones: narrow the search."`
}

func listTool() tool.Tool {
	const defaultLimit = 20
	d := kit.Define(texts, "maintenance.list", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listInput) (listOutput, error) {
		if in.Limit == 0 {
			in.Limit = defaultLimit
		}
		query := url.Values{"limit": {strconv.Itoa(in.Limit)}}
		for name, value := range map[string]string{"state": in.State, "status": string(in.Status), "query": in.Query} {
			if value != "" {
				query.Set(name, value)
			}
		}
		if in.SystemID != nil {
			query.Set("systemId", in.SystemID.String())
		}
		found, more, err := kit.Page[Listed](ctx, c, path, maintenanceKind.Plural, query)
		out := listOutput{Maintenances: make([]briefMaintenance, len(found)), More: more}
		for i, one := range found {
			out.Maintenances[i] = brief(one)
		}
		return out, err
	})
}
