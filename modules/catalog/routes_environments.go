package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

type environmentQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"200" doc:"How many to list at most."`
	Cursor string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
	Name   string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
}

type environmentList struct {
	Body struct {
		Environments []Environment `json:"environments" nullable:"false"`
		NextCursor   string        `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one."`
	}
}

type environmentCreation struct {
	Body NewEnvironment
}

type environmentPatch struct {
	rest.ByID
	rest.IfMatch
	Body rest.Patch[EnvironmentChange]
}

func (m *Module) environmentRoutes(api huma.API) {
	const path = "/api/catalog/environments"
	huma.Register(api, rest.Op("list-environments", http.MethodGet, path, "List environments", rest.Doc("By name.")), m.listEnvironments)
	huma.Register(api, rest.Op("create-environment", http.MethodPost, path, "Create an environment", rest.Rules(EnvironmentManage)), m.createEnvironment)
	huma.Register(api, rest.Op("get-environment", http.MethodGet, path+"/{id}", "Read an environment"), m.getEnvironment)
	huma.Register(api, rest.Op("update-environment", http.MethodPatch, path+"/{id}", "Change an environment",
		rest.Doc("What is absent stays, null clears, fields are replaced as a whole.")), m.updateEnvironment)
	huma.Register(api, rest.Op("delete-environment", http.MethodDelete, path+"/{id}", "Delete an environment", rest.Doc("Its systems stay.")), rest.Delete(m.service.DeleteEnvironment))
}

func (m *Module) listEnvironments(ctx context.Context, in *environmentQuery) (*environmentList, error) {
	out := &environmentList{}
	var err error
	out.Body.Environments, out.Body.NextCursor, err = m.service.Environments(ctx, in.Name, Page{in.Limit, in.Cursor})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Module) createEnvironment(ctx context.Context, in *environmentCreation) (*rest.Record[Environment], error) {
	environment, err := m.service.CreateEnvironment(ctx, in.Body)
	return rest.Answer(environment, environment.Revision, err)
}

func (m *Module) getEnvironment(ctx context.Context, in *rest.ByID) (*rest.Record[Environment], error) {
	environment, err := m.service.Environment(ctx, in.ID)
	return rest.Answer(environment, environment.Revision, err)
}

func (m *Module) updateEnvironment(ctx context.Context, in *environmentPatch) (*rest.Record[Environment], error) {
	if err := in.Body.Err(); err != nil {
		return nil, err
	}
	environment, err := m.service.UpdateEnvironment(ctx, in.ID, in.Body.Change, in.Revision())
	return rest.Answer(environment, environment.Revision, err)
}
