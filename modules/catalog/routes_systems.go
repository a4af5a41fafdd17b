package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type systemQuery struct {
	rest.Page
	Query         string `query:"query" maxLength:"200" doc:"Text to look for in names, descriptions and tags."`
	Name          string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
	Tag           string `query:"tag" maxLength:"200"`
	GroupID       string `query:"groupId" format:"uuid"`
	EnvironmentID string `query:"environmentId" format:"uuid"`
	TeamID        string `query:"teamId" format:"uuid" doc:"The team that owns them."`
	Count         bool   `query:"count" doc:"Also say how many there are on all pages."`
}

type systemList struct {
	Systems []System `json:"systems" nullable:"false"`
	rest.Next
	Similar []System `json:"similar,omitempty" doc:"When the search has found nothing: systems whose names are a slip away from it, at most 10."`
	Count   *Count   `json:"count,omitempty" doc:"How many there are on all pages, when it was asked for."`
}

func (m *Module) systemRoutes(api huma.API) {
	const path = "/api/catalog/systems"
	s := m.service
	huma.Register(api, rest.Op("list-systems", http.MethodGet, path, "List systems",
		rest.Doc("By name, those that the caller may see: by "+SystemRead+" and by grants.")), m.listSystems)
	huma.Register(api, rest.Op(
		"list-system-tags",
		http.MethodGet,
		"/api/catalog/system-tags",
		"List tags of systems",
		rest.Doc(
			"Each once and in order, those of the systems that the caller may see. Of a tag that many systems have, the first "+
				"200 by name are looked at.",
		),
	), m.listSystemTags)
	huma.Register(
		api,
		rest.Op("create-system", http.MethodPost, path, "Create a system", rest.Rules(SystemManage)),
		rest.Create(s.CreateSystem),
	)
	huma.Register(api, rest.Op("get-system", http.MethodGet, path+"/{id}", "Read a system"), rest.Get(s.System))
	huma.Register(api, rest.Op("update-system", http.MethodPatch, path+"/{id}", "Change a system",
		rest.Doc("What is absent stays, null clears, metadata and tags are replaced as a whole.")), rest.Change(s.UpdateSystem))
	huma.Register(api, rest.Op("delete-system", http.MethodDelete, path+"/{id}", "Delete a system"), rest.Delete(s.DeleteSystem))
}

func (m *Module) listSystems(ctx context.Context, in *systemQuery) (*rest.Body[systemList], error) {
	filter := SystemFilter{Query: in.Query, Name: in.Name, Tag: in.Tag}
	var err error
	if filter.GroupID, err = rest.OptionalID("groupId", in.GroupID); err != nil {
		return nil, err
	}
	if filter.EnvironmentID, err = rest.OptionalID("environmentId", in.EnvironmentID); err != nil {
		return nil, err
	}
	if filter.TeamID, err = rest.OptionalID("teamId", in.TeamID); err != nil {
		return nil, err
	}
	page, err := m.service.Systems(ctx, filter, in.Page, in.Count)
	return rest.With(systemList{page.Systems, page.Next, page.Similar, page.Count}, err)
}

type tagList struct {
	Tags []string `json:"tags" nullable:"false"`
	rest.Next
}

func (m *Module) listSystemTags(ctx context.Context, in *rest.Page) (*rest.Body[tagList], error) {
	tags, next, err := m.service.Tags(ctx, *in)
	return rest.With(tagList{append([]string{}, tags...), next}, err)
}
