package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/problem"
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
	ID uuid.UUID `path:"id" format:"uuid"`
	rest.IfMatch
	Body struct {
		Name        rest.Optional[string]   `json:"name,omitempty"`
		Description rest.Optional[string]   `json:"description,omitempty"`
		Metadata    rest.Optional[Record]   `json:"metadata,omitempty"`
		Tags        rest.Optional[[]string] `json:"tags,omitempty"`
	}
}

func (m *Module) systemRoutes(api huma.API) {
	const path = "/api/catalog/systems"
	huma.Register(api, rest.Op("list-systems", http.MethodGet, path, "List systems",
		rest.Doc("By name, those that the caller may see: by "+SystemRead+" and by grants.")), m.listSystems)
	huma.Register(api, rest.Op("create-system", http.MethodPost, path, "Create a system", rest.Rules(SystemManage)), m.createSystem)
	huma.Register(api, rest.Op("get-system", http.MethodGet, path+"/{id}", "Read a system"), m.getSystem)
	huma.Register(api, rest.Op("update-system", http.MethodPatch, path+"/{id}", "Change a system",
		rest.Doc("What is absent stays, null clears, metadata and tags are replaced as a whole.")), m.updateSystem)
	huma.Register(api, rest.Op("delete-system", http.MethodDelete, path+"/{id}", "Delete a system"), m.deleteSystem)
}

func (m *Module) listSystems(ctx context.Context, in *systemQuery) (*systemList, error) {
	filter := SystemFilter{Query: in.Query, Name: in.Name, Tag: in.Tag}
	var err error
	if filter.GroupID, err = optionalID("groupId", in.GroupID); err != nil {
		return nil, err
	}
	if filter.EnvironmentID, err = optionalID("environmentId", in.EnvironmentID); err != nil {
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

func (m *Module) getSystem(ctx context.Context, in *byID) (*rest.Record[System], error) {
	system, err := m.service.System(ctx, in.ID)
	return rest.Answer(system, system.Revision, err)
}

func (m *Module) updateSystem(ctx context.Context, in *systemPatch) (*rest.Record[System], error) {
	revision, err := in.Revision()
	if err != nil {
		return nil, err
	}
	name, err := in.Body.Name.Required("name")
	if err != nil {
		return nil, err
	}
	system, err := m.service.UpdateSystem(ctx, in.ID, SystemChange{
		Name: name, Description: in.Body.Description.OrZero(), Metadata: in.Body.Metadata.OrZero(), Tags: in.Body.Tags.OrZero(),
	}, revision)
	return rest.Answer(system, system.Revision, err)
}

func (m *Module) deleteSystem(ctx context.Context, in *removal) (*struct{}, error) {
	revision, err := in.Revision()
	if err != nil {
		return nil, err
	}
	return nil, m.service.DeleteSystem(ctx, in.ID, revision)
}

func optionalID(path, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return nil, problem.InvalidInput("An id looks like 0199aa00-0000-7000-8000-000000000001.", problem.Issue{Path: path, Message: "is not an id"})
	}
	return &id, nil
}
