package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

type groupQuery struct {
	rest.Page
	Name string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
}

type groupList struct {
	Groups []Group `json:"groups" nullable:"false"`
	rest.Next
}

type memberChoice struct {
	rest.ByID
	SystemID uuid.UUID `path:"systemId" format:"uuid"`
	rest.IfMatch
}

type membership struct {
	Changed bool `json:"changed" doc:"Whether this call changed anything."`
}

func (m *Module) groupRoutes(api huma.API) {
	const path = "/api/catalog/groups"
	s := m.service
	huma.Register(api, rest.Op("list-groups", http.MethodGet, path, "List groups",
		rest.Doc("By name, those that the caller may see: by "+GroupRead+" and by grants.")), m.listGroups)
	huma.Register(api, rest.Op("create-group", http.MethodPost, path, "Create a group", rest.Rules(GroupManage)), rest.Create(s.CreateGroup))
	huma.Register(api, rest.Op("get-group", http.MethodGet, path+"/{id}", "Read a group"), rest.Get(s.Group))
	huma.Register(api, rest.Op("update-group", http.MethodPatch, path+"/{id}", "Change a group",
		rest.Doc("What is absent stays, null clears, metadata is replaced as a whole.")), rest.Change(s.UpdateGroup))
	huma.Register(
		api,
		rest.Op("delete-group", http.MethodDelete, path+"/{id}", "Delete a group", rest.Doc("Its systems stay.")),
		rest.Delete(s.DeleteGroup),
	)
	huma.Register(
		api,
		rest.Op("add-group-member", http.MethodPut, path+"/{id}/systems/{systemId}", "Put a system into a group"),
		m.setMember(true),
	)
	huma.Register(
		api,
		rest.Op("remove-group-member", http.MethodDelete, path+"/{id}/systems/{systemId}", "Take a system out of a group"),
		m.setMember(false),
	)
}

func (m *Module) listGroups(ctx context.Context, in *groupQuery) (*rest.Body[groupList], error) {
	list, next, err := m.service.Groups(ctx, in.Name, in.Page)
	return rest.With(groupList{list, next}, err)
}

func (m *Module) setMember(member bool) func(context.Context, *memberChoice) (*rest.Body[membership], error) {
	return func(ctx context.Context, in *memberChoice) (*rest.Body[membership], error) {
		changed, err := m.service.SetMember(ctx, in.ID, in.SystemID, member, in.Revision())
		return rest.With(membership{changed}, err)
	}
}
