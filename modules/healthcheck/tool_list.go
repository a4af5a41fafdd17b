package healthcheck

import (
	"context"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type listChecksInput struct {
	Query    string     `json:"query,omitempty" jsonschema:"maxLength=200,description=Text to look for in names and descriptions. Leave out to list all."`
	SystemID *uuid.UUID `json:"systemId,omitempty" jsonschema:"description=Only checks that are assigned to this system."`
	Limit    int        `json:"limit,omitempty" jsonschema:"minimum=1,maximum=200,description=How many to list at most; 50 when left out."`
}

type listChecksOutput struct {
	Checks []briefCheck `json:"checks"`
	More   bool         `json:"more,omitempty" jsonschema:"description=There are more than these: narrow the search or raise limit."`
}

func listChecksTool() tool.Tool {
	const defaultLimit = 50
	d := kit.Define(texts, "healthcheck.list", tool.Read, Read).OrGrant(checkKind, access.View)
	return kit.NewRead(d, func(ctx context.Context, c tool.Caller, in listChecksInput) (listChecksOutput, error) {
		if in.Limit == 0 {
			in.Limit = defaultLimit
		}
		q := url.Values{"limit": {strconv.Itoa(in.Limit)}}
		if in.Query != "" {
			q.Set("query", in.Query)
		}
		if in.SystemID != nil {
			q.Set("systemId", in.SystemID.String())
		}
		list, more, err := kit.Page[Check](ctx, c, checksPath, "checks", q)
		out := listChecksOutput{Checks: make([]briefCheck, 0, len(list)), More: more}
		for _, check := range list {
			out.Checks = append(out.Checks, brief(check))
		}
		return out, err
	})
}
