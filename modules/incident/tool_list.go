package incident

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type listInput struct {
	State    string     `json:"state,omitempty" jsonschema:"enum=open,enum=resolved,description=open are all that are not resolved; both when left out."`
	Status   Status     `json:"status,omitempty" jsonschema:"enum=investigating,enum=identified,enum=fixing,enum=monitoring,enum=resolved"`
	Severity Severity   `json:"severity,omitempty" jsonschema:"enum=minor,enum=major,enum=critical"`
	SystemID *uuid.UUID `json:"systemId,omitempty" jsonschema:"description=Only incidents of this system; ids come from catalog_listSystems."`
	Query    string     `json:"query,omitempty" jsonschema:"maxLength=200,description=A word of the title or the description."`
	Limit    int        `json:"limit,omitempty" jsonschema:"minimum=1,maximum=50,description=How many to return at most; 20 when left out."`
}

type listOutput struct {
	Incidents []briefIncident `json:"incidents"`
	More      bool            `json:"more,omitempty" jsonschema:"description=There are further ones: narrow the search."`
}

// Tainted implements tool.Tainted.
func (o listOutput) Tainted() bool { return slices.ContainsFunc(o.Incidents, briefIncident.Tainted) }

// Origin implements tool.Originated.
func (listOutput) Origin() string { return importOrigin }

func listTool() tool.Tool {
	const defaultLimit = 20
	d := kit.Define(texts, "incident.list", tool.Read, Read)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listInput) (listOutput, error) {
		if in.Limit == 0 {
			in.Limit = defaultLimit
		}
		query := url.Values{"limit": {strconv.Itoa(in.Limit)}}
		for name, value := range map[string]string{
			"state": in.State, "status": string(in.Status), "severity": string(in.Severity), "query": in.Query,
		} {
			if value != "" {
				query.Set(name, value)
			}
		}
		if in.SystemID != nil {
			query.Set("systemId", in.SystemID.String())
		}
		found, more, err := kit.Page[Listed](ctx, c, path, incidentKind.Plural, query)
		out := listOutput{Incidents: make([]briefIncident, len(found)), More: more}
		for i, one := range found {
			out.Incidents[i] = brief(one)
		}
		return out, err
	})
}
