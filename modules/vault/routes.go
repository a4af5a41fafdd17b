package vault

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type secretList struct {
	Secrets []Secret `json:"secrets" nullable:"false"`
	rest.Next
}

// ByName is the input of an operation on one secret.
type ByName struct {
	Name string `path:"name" maxLength:"64"`
}

// Routes declares the operations of this package. None of them answers a value.
func (m *Module) Routes(api huma.API) {
	const path = "/api/secrets"
	read, manage := rest.Rules(Read), rest.Rules(Manage)
	huma.Register(api, rest.Op("list-secrets", http.MethodGet, path, "List secrets", read, rest.Doc("Names and metadata, never values.")),
		func(ctx context.Context, in *rest.Page) (*rest.Body[secretList], error) {
			secrets, next, err := m.List(ctx, *in)
			return rest.With(secretList{secrets, next}, err)
		})
	huma.Register(api, rest.Op("get-secret", http.MethodGet, path+"/{name}", "Get a secret without its value", read),
		func(ctx context.Context, in *ByName) (*rest.Record[Secret], error) {
			return rest.Show(m.Get(ctx, in.Name))
		})
	huma.Register(api, rest.Op("list-secret-uses", http.MethodGet, path+"/{name}/uses", "List who used a secret and what refers to it", read),
		func(ctx context.Context, in *ByName) (*rest.Body[SecretHistory], error) {
			return rest.With(m.History(ctx, in.Name))
		})
	huma.Register(api, rest.Op("create-secret", http.MethodPost, path, "Create a secret",
		rest.Tool("vault.createSecret", rest.Mutates, rest.ByHand(), rest.Secrets("value")), manage), rest.Create(m.Create))
	huma.Register(api, rest.Op("update-secret", http.MethodPatch, path+"/{name}", "Replace the value or the description of a secret",
		rest.Tool("vault.updateSecret", rest.Mutates, rest.ByHand(), rest.Secrets("value")), manage,
		rest.Doc("Absent fields stay.")),
		func(ctx context.Context, in *struct {
			ByName
			rest.IfMatch
			Body rest.Patch[SecretChange]
		},
		) (*rest.Record[Secret], error) {
			if err := in.Body.Err(); err != nil {
				return nil, err
			}
			return rest.Show(m.Update(ctx, in.Name, in.Body.Change, in.Revision()))
		})
	huma.Register(api, rest.Op("delete-secret", http.MethodDelete, path+"/{name}", "Delete a secret",
		rest.Tool("vault.deleteSecret", rest.Destroys, rest.ByHand()), manage,
		rest.Doc("What refers to it stops working. Its record stays.")),
		func(ctx context.Context, in *struct {
			ByName
			rest.IfMatch
		},
		) (*struct{}, error) {
			return nil, m.Delete(ctx, in.Name, in.Revision())
		})
}
