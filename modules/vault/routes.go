package vault

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

type answer = rest.Record[Secret]

func answerWith(s Secret, err error) (*answer, error) { return rest.Answer(s, s.Revision, err) }

type secretList struct {
	Body struct {
		Secrets []Secret `json:"secrets" nullable:"false"`
	}
}

type byName struct {
	Name string `path:"name" maxLength:"64"`
}

// Routes declares the operations of this package. None of them answers a value.
func (m *Module) Routes(api huma.API) {
	const path = "/api/secrets"
	read, manage := rest.Rules(Read), rest.Rules(Manage)
	huma.Register(api, rest.Op("list-secrets", http.MethodGet, path, "List secrets", read, rest.Doc("Names and metadata, never values.")),
		func(ctx context.Context, _ *struct{}) (*secretList, error) {
			secrets, err := m.List(ctx)
			out := &secretList{}
			out.Body.Secrets = secrets
			return out, err
		})
	huma.Register(api, rest.Op("get-secret", http.MethodGet, path+"/{name}", "Get a secret without its value", read),
		func(ctx context.Context, in *byName) (*answer, error) { return answerWith(m.Get(ctx, in.Name)) })
	huma.Register(api, rest.Op("list-secret-uses", http.MethodGet, path+"/{name}/uses", "List who used a secret and what refers to it", read),
		func(ctx context.Context, in *byName) (*struct{ Body SecretHistory }, error) {
			history, err := m.History(ctx, in.Name)
			return &struct{ Body SecretHistory }{history}, err
		})
	huma.Register(api, rest.Op("create-secret", http.MethodPost, path, "Create a secret", manage),
		func(ctx context.Context, in *struct{ Body NewSecret }) (*answer, error) {
			return answerWith(m.Create(ctx, in.Body))
		})
	huma.Register(api, rest.Op("update-secret", http.MethodPatch, path+"/{name}", "Replace the value or the description of a secret", manage,
		rest.Doc("What is absent stays.")),
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"64"`
			rest.IfMatch
			Body SecretChange
		}) (*answer, error) {
			return answerWith(m.Update(ctx, in.Name, in.Body, in.Revision()))
		})
	huma.Register(api, rest.Op("delete-secret", http.MethodDelete, path+"/{name}", "Delete a secret", manage,
		rest.Doc("What refers to it stops working. Its record stays.")),
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"64"`
			rest.IfMatch
		}) (*struct{}, error) {
			return nil, m.Delete(ctx, in.Name, in.Revision())
		})
}
