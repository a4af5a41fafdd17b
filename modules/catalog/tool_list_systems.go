package catalog

import (
	"context"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type listSystemsInput struct {
	Query         string     `json:"query,omitempty" jsonschema:"maxLength=200,description=Text to look for in names and descriptions; also finds a whole tag. Leave out to list all."`
	GroupID       *uuid.UUID `json:"groupId,omitempty" jsonschema:"description=Only systems in this group."`
	EnvironmentID *uuid.UUID `json:"environmentId,omitempty"`
	TeamID        *uuid.UUID `json:"teamId,omitempty" jsonschema:"description=The owner."`
	Tag           string     `json:"tag,omitempty" jsonschema:"maxLength=40,description=Only systems with this tag."`
	Limit         int        `json:"limit,omitempty" jsonschema:"minimum=1,maximum=200,description=How many to list at most; 50 when left out."`
}

type listSystemsOutput struct {
	Systems []briefSystem `json:"systems"`
	More    bool          `json:"more,omitempty" jsonschema:"description=There are more than these: narrow the search or raise limit."`
	Similar []briefSystem `json:"similar,omitempty" jsonschema:"description=Names a letter away when nothing was found."`
}

func listSystemsTool() tool.Tool {
	const defaultLimit = 50
	return kit.NewRead(
		kit.Define(texts, "catalog.listSystems", tool.Read, SystemRead).OrGrant(systemKind, access.View),
		func(ctx context.Context, c tool.Caller, in listSystemsInput) (listSystemsOutput, error) {
			if in.Limit == 0 {
				in.Limit = defaultLimit
			}
			q := url.Values{"limit": {strconv.Itoa(in.Limit)}}
			if in.Query != "" {
				q.Set("query", in.Query)
			}
			if in.Tag != "" {
				q.Set("tag", in.Tag)
			}
			for name, id := range map[string]*uuid.UUID{"groupId": in.GroupID, "environmentId": in.EnvironmentID, "teamId": in.TeamID} {
				if id != nil {
					q.Set(name, id.String())
				}
			}
			var page systemList
			_, err := c.Client.Get(ctx, systemsAPI.Path+"?"+q.Encode(), &page)
			out := listSystemsOutput{Systems: make([]briefSystem, 0, len(page.Systems)), More: page.NextCursor != ""}
			for _, s := range page.Systems {
				out.Systems = append(out.Systems, brief(s))
			}
			for _, s := range page.Similar {
				out.Similar = append(out.Similar, brief(s))
			}
			return out, err
		},
	)
}
