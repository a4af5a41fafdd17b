package policy

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

type answer = rest.Record[ToolPolicy]

func answerWith(p ToolPolicy, err error) (*answer, error) { return rest.Answer(p, p.Revision, err) }

type list struct {
	Body struct {
		Policies []ToolPolicy `json:"policies" nullable:"false"`
	}
}

const path = "/api/ai/policies"

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	manage := rest.Rules(Manage)
	huma.Register(api, rest.Op("list-policies", http.MethodGet, path, "List the policies of tools", manage, rest.Doc("One for every tool, by name.")),
		func(ctx context.Context, _ *struct{}) (*list, error) {
			policies, err := m.List(ctx)
			out := &list{}
			out.Body.Policies = policies
			return out, err
		})
	huma.Register(api, rest.Op("get-policy", http.MethodGet, path+"/{tool}", "Get the policy of a tool", manage),
		func(ctx context.Context, in *struct {
			Tool string `path:"tool" maxLength:"100"`
		}) (*answer, error) {
			return answerWith(m.Get(ctx, in.Tool))
		})
	huma.Register(api, rest.Op("update-policy", http.MethodPatch, path+"/{tool}", "Change the policy of a tool", manage,
		rest.Doc("What is absent stays. It takes effect with the next call, in every process.")),
		func(ctx context.Context, in *struct {
			Tool string `path:"tool" maxLength:"100"`
			rest.IfMatch
			Body Change
		}) (*answer, error) {
			return answerWith(m.Update(ctx, in.Tool, in.Body, in.Revision()))
		})
}
