package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

type systemQuery struct {
	Limit         int    `query:"limit" minimum:"1" maximum:"500" default:"200" doc:"How many to list at most."`
	Cursor        string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
	Query         string `query:"query" maxLength:"200" doc:"Text to look for in names, descriptions and tags."`
	Name          string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
	Tag           string `query:"tag" maxLength:"200"`
	GroupID       string `query:"groupId" format:"uuid"`
	EnvironmentID string `query:"environmentId" format:"uuid"`
}

type systemList struct {
	Body struct {
		Systems    []System `json:"systems" nullable:"false"`
		NextCursor string   `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one."`
	}
}

type systemCreation struct {
	Body NewSystem
}

type systemPatch struct {
	rest.ByID
	rest.IfMatch
	Body rest.Patch[SystemChange]
}

func (m *Module) systemRoutes(api huma.API) {
	const path = "/api/catalog/systems"
	huma.Register(api, rest.Op("list-systems", http.MethodGet, path, "List systems",
		rest.Doc("By name, those that the caller may see: by "+SystemRead+" and by grants.")), m.listSystems)
	huma.Register(api, rest.Op("create-system", http.MethodPost, path, "Create a system", rest.Rules(SystemManage)), m.createSystem)
	huma.Register(api, rest.Op("get-system", http.MethodGet, path+"/{id}", "Read a system"), m.getSystem)
	huma.Register(api, rest.Op("update-system", http.MethodPatch, path+"/{id}", "Change a system",
		rest.Doc("What is absent stays, null clears, metadata and tags are replaced as a whole.")), m.updateSystem)
	huma.Register(api, rest.Op("delete-system", http.MethodDelete, path+"/{id}", "Delete a system"), rest.Delete(m.service.DeleteSystem))
}

func (m *Module) listSystems(ctx context.Context, in *systemQuery) (*systemList, error) {
	filter := SystemFilter{Query: in.Query, Name: in.Name, Tag: in.Tag}
	var err error
	if filter.GroupID, err = rest.OptionalID("groupId", in.GroupID); err != nil {
		return nil, err
	}
	if filter.EnvironmentID, err = rest.OptionalID("environmentId", in.EnvironmentID); err != nil {
		return nil, err
	}
	out := &systemList{}
	out.Body.Systems, out.Body.NextCursor, err = m.service.Systems(ctx, filter, Page{in.Limit, in.Cursor})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Module) createSystem(ctx context.Context, in *systemCreation) (*rest.Record[System], error) {
	system, err := m.service.CreateSystem(ctx, in.Body)
	return rest.Answer(system, system.Revision, err)
}

func (m *Module) getSystem(ctx context.Context, in *rest.ByID) (*rest.Record[System], error) {
	system, err := m.service.System(ctx, in.ID)
	return rest.Answer(system, system.Revision, err)
}

func (m *Module) updateSystem(ctx context.Context, in *systemPatch) (*rest.Record[System], error) {
	if err := in.Body.Err(); err != nil {
		return nil, err
	}
	system, err := m.service.UpdateSystem(ctx, in.ID, in.Body.Change, in.Revision())
	return rest.Answer(system, system.Revision, err)
}
