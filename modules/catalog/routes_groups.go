package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/rest"
)

type groupQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"200" doc:"How many to list at most."`
	Cursor string `query:"cursor" maxLength:"1000" doc:"nextCursor of the page before."`
	Name   string `query:"name" maxLength:"200" doc:"A whole name, whatever its case."`
}

type groupList struct {
	Body struct {
		Groups     []Group `json:"groups" nullable:"false"`
		NextCursor string  `json:"nextCursor,omitempty" doc:"Ask with it for the next page; absent on the last one."`
	}
}

type groupCreation struct {
	Body NewGroup
}

type groupPatch struct {
	rest.ByID
	rest.IfMatch
	Body rest.Patch[GroupChange]
}

type memberChoice struct {
	rest.ByID
	SystemID uuid.UUID `path:"systemId" format:"uuid"`
	rest.IfMatch
}

func (m *Module) groupRoutes(api huma.API) {
	const path = "/api/catalog/groups"
	huma.Register(api, rest.Op("list-groups", http.MethodGet, path, "List groups",
		rest.Doc("By name, those that the caller may see: by "+GroupRead+" and by grants.")), m.listGroups)
	huma.Register(api, rest.Op("create-group", http.MethodPost, path, "Create a group", rest.Rules(GroupManage)), m.createGroup)
	huma.Register(api, rest.Op("get-group", http.MethodGet, path+"/{id}", "Read a group"), m.getGroup)
	huma.Register(api, rest.Op("update-group", http.MethodPatch, path+"/{id}", "Change a group",
		rest.Doc("What is absent stays, null clears, metadata is replaced as a whole.")), m.updateGroup)
	huma.Register(api, rest.Op("delete-group", http.MethodDelete, path+"/{id}", "Delete a group", rest.Doc("Its systems stay.")), rest.Delete(m.service.DeleteGroup))
	huma.Register(api, rest.Op("add-group-member", http.MethodPut, path+"/{id}/systems/{systemId}", "Put a system into a group"), m.addMember)
	huma.Register(api, rest.Op("remove-group-member", http.MethodDelete, path+"/{id}/systems/{systemId}", "Take a system out of a group"), m.removeMember)
}

func (m *Module) listGroups(ctx context.Context, in *groupQuery) (*groupList, error) {
	out := &groupList{}
	var err error
	out.Body.Groups, out.Body.NextCursor, err = m.service.Groups(ctx, in.Name, Page{in.Limit, in.Cursor})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (m *Module) createGroup(ctx context.Context, in *groupCreation) (*rest.Record[Group], error) {
	group, err := m.service.CreateGroup(ctx, in.Body)
	return rest.Answer(group, group.Revision, err)
}

func (m *Module) getGroup(ctx context.Context, in *rest.ByID) (*rest.Record[Group], error) {
	group, err := m.service.Group(ctx, in.ID)
	return rest.Answer(group, group.Revision, err)
}

func (m *Module) updateGroup(ctx context.Context, in *groupPatch) (*rest.Record[Group], error) {
	if err := in.Body.Err(); err != nil {
		return nil, err
	}
	group, err := m.service.UpdateGroup(ctx, in.ID, in.Body.Change, in.Revision())
	return rest.Answer(group, group.Revision, err)
}

func (m *Module) addMember(ctx context.Context, in *memberChoice) (*membership, error) {
	return m.setMember(ctx, in, true)
}

func (m *Module) removeMember(ctx context.Context, in *memberChoice) (*membership, error) {
	return m.setMember(ctx, in, false)
}

func (m *Module) setMember(ctx context.Context, in *memberChoice, member bool) (*membership, error) {
	out := &membership{}
	var err error
	out.Body.Changed, err = m.service.SetMember(ctx, in.ID, in.SystemID, member, in.Revision())
	return out, err
}
