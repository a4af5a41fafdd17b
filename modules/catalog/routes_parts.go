package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/rest"
)

type contactAddition struct {
	rest.ByID
	rest.IfMatch
	Body NewContact
}

type contactRemoval struct {
	rest.ByID
	ContactID uuid.UUID `path:"contactId" format:"uuid"`
	rest.IfMatch
}

type linkAddition struct {
	rest.ByID
	rest.IfMatch
	Body NewLink
}

type linkRemoval struct {
	rest.ByID
	LinkID uuid.UUID `path:"linkId" format:"uuid"`
	rest.IfMatch
}

type environmentChoice struct {
	rest.ByID
	rest.IfMatch
	Body struct {
		EnvironmentIDs []uuid.UUID `json:"environmentIds" nullable:"false" maxItems:"500"`
	}
}

type ownerChoice struct {
	rest.ByID
	rest.IfMatch
	Body struct {
		TeamID *uuid.UUID `json:"teamId" required:"true" nullable:"true" doc:"null for no owner."`
	}
}

func (m *Module) partRoutes(api huma.API) {
	const path = "/api/catalog/systems/{id}"
	huma.Register(api, rest.Op("add-system-contact", http.MethodPost, path+"/contacts", "Add a contact to a system",
		rest.Doc("The ETag is the new revision of the system.")), m.addContact)
	huma.Register(api, rest.Op("remove-system-contact", http.MethodDelete, path+"/contacts/{contactId}", "Remove a contact from a system"), m.removeContact)
	huma.Register(api, rest.Op("add-system-link", http.MethodPost, path+"/links", "Add a link to a system",
		rest.Doc("The ETag is the new revision of the system.")), m.addLink)
	huma.Register(api, rest.Op("remove-system-link", http.MethodDelete, path+"/links/{linkId}", "Remove a link from a system"), m.removeLink)
	huma.Register(api, rest.Op("set-system-environments", http.MethodPut, path+"/environments", "Set the environments of a system",
		rest.Doc("They replace those that the system has. Needs "+EnvironmentRead+" too.")), m.setEnvironments)
	huma.Register(api, rest.Op("set-system-owner", http.MethodPut, path+"/owner", "Set the owner team of a system"), m.setOwner)
}

func (m *Module) addContact(ctx context.Context, in *contactAddition) (*rest.Record[Contact], error) {
	contact, revisionNow, err := m.service.AddContact(ctx, in.ID, in.Body, in.Revision())
	return rest.Answer(contact, revisionNow, err)
}

func (m *Module) removeContact(ctx context.Context, in *contactRemoval) (*struct{}, error) {
	return nil, m.service.RemoveContact(ctx, in.ID, in.ContactID, in.Revision())
}

func (m *Module) addLink(ctx context.Context, in *linkAddition) (*rest.Record[Link], error) {
	link, revisionNow, err := m.service.AddLink(ctx, in.ID, in.Body, in.Revision())
	return rest.Answer(link, revisionNow, err)
}

func (m *Module) removeLink(ctx context.Context, in *linkRemoval) (*struct{}, error) {
	return nil, m.service.RemoveLink(ctx, in.ID, in.LinkID, in.Revision())
}

func (m *Module) setEnvironments(ctx context.Context, in *environmentChoice) (*rest.Record[System], error) {
	system, err := m.service.SetEnvironments(ctx, in.ID, in.Body.EnvironmentIDs, in.Revision())
	return rest.Answer(system, system.Revision, err)
}

func (m *Module) setOwner(ctx context.Context, in *ownerChoice) (*rest.Record[System], error) {
	system, err := m.service.SetOwner(ctx, in.ID, in.Body.TeamID, in.Revision())
	return rest.Answer(system, system.Revision, err)
}
