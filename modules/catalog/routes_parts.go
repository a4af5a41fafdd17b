package catalog

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/rest"
)

type contactRemoval struct {
	rest.ByID
	ContactID uuid.UUID `path:"contactId" format:"uuid"`
	rest.IfMatch
}

type linkRemoval struct {
	rest.ByID
	LinkID uuid.UUID `path:"linkId" format:"uuid"`
	rest.IfMatch
}

func (m *Module) partRoutes(api huma.API) {
	const path = "/api/catalog/systems/{id}"
	s := m.service
	huma.Register(api, rest.Op("add-system-contact", http.MethodPost, path+"/contacts", "Add a contact to a system",
		rest.Doc("The ETag is the new revision of the system.")), rest.Add(s.AddContact))
	huma.Register(api, rest.Op("remove-system-contact", http.MethodDelete, path+"/contacts/{contactId}", "Remove a contact from a system"),
		func(ctx context.Context, in *contactRemoval) (*struct{}, error) {
			return nil, s.RemoveContact(ctx, in.ID, in.ContactID, in.Revision())
		})
	huma.Register(api, rest.Op("add-system-link", http.MethodPost, path+"/links", "Add a link to a system",
		rest.Doc("The ETag is the new revision of the system.")), rest.Add(s.AddLink))
	huma.Register(api, rest.Op("remove-system-link", http.MethodDelete, path+"/links/{linkId}", "Remove a link from a system"),
		func(ctx context.Context, in *linkRemoval) (*struct{}, error) {
			return nil, s.RemoveLink(ctx, in.ID, in.LinkID, in.Revision())
		})
	huma.Register(api, rest.Op("set-system-environments", http.MethodPut, path+"/environments", "Set the environments of a system",
		rest.Doc("They replace those that the system has. Needs "+EnvironmentRead+" too.")), rest.Set(s.SetEnvironments))
	huma.Register(api, rest.Op("set-system-owner", http.MethodPut, path+"/owner", "Set the owner team of a system"), rest.Set(s.SetOwner))
}
