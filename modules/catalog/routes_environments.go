package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type environmentQuery struct {
	rest.Page
	Name string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
}

type environmentList struct {
	Environments []Environment `json:"environments" nullable:"false"`
	rest.Next
}

func (m *Module) environmentRoutes(api huma.API) {
	const path = "/api/catalog/environments"
	s := m.service
	huma.Register(api, rest.Op("list-environments", http.MethodGet, path, "List environments", rest.Doc("By name.")), m.listEnvironments)
	huma.Register(
		api,
		rest.Op("create-environment", http.MethodPost, path, "Create an environment", rest.Rules(EnvironmentManage)),
		rest.Create(s.CreateEnvironment),
	)
	huma.Register(api, rest.Op("get-environment", http.MethodGet, path+"/{id}", "Read an environment"), rest.Get(s.Environment))
	huma.Register(api, rest.Op("update-environment", http.MethodPatch, path+"/{id}", "Change an environment",
		rest.Doc("What is absent stays, null clears, fields are replaced as a whole.")), rest.Change(s.UpdateEnvironment))
	huma.Register(
		api,
		rest.Op("delete-environment", http.MethodDelete, path+"/{id}", "Delete an environment", rest.Doc("Its systems stay.")),
		rest.Delete(s.DeleteEnvironment),
	)
}

func (m *Module) listEnvironments(ctx context.Context, in *environmentQuery) (*rest.Body[environmentList], error) {
	list, next, err := m.service.Environments(ctx, in.Name, in.Page)
	return rest.With(environmentList{list, next}, err)
}
