package policy

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type list struct {
	Policies []ToolPolicy `json:"policies" nullable:"false"`
}

// ByTool is the input of an operation on the policy of one tool.
type ByTool struct {
	Tool string `path:"tool" maxLength:"160"`
}

const (
	path       = "/api/ai/policies"
	secondPath = path + "/second-person"
)

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	manage := rest.Rules(Manage)
	huma.Register(
		api,
		rest.Op("list-policies", http.MethodGet, path, "List the policies of tools", manage, rest.Doc("One for every tool, by name.")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[list], error) {
			policies, err := m.List(ctx)
			return rest.With(list{policies}, err)
		},
	)
	huma.Register(api, rest.Op("get-policy", http.MethodGet, path+"/{tool}", "Get the policy of a tool", manage),
		func(ctx context.Context, in *ByTool) (*rest.Record[ToolPolicy], error) {
			return rest.Show(m.Get(ctx, in.Tool))
		})
	huma.Register(api, rest.Op("update-policy", http.MethodPatch, path+"/{tool}", "Change the policy of a tool", manage,
		rest.Doc("Absent fields stay. It takes effect with the next call, in every process.")),
		func(ctx context.Context, in *struct {
			ByTool
			rest.IfMatch
			Body rest.Patch[Change]
		},
		) (*rest.Record[ToolPolicy], error) {
			if err := in.Body.Err(); err != nil {
				return nil, err
			}
			return rest.Show(m.Update(ctx, in.Tool, in.Body.Change, in.Revision()))
		})
	huma.Register(
		api,
		rest.Op(
			"require-second-person",
			http.MethodPost,
			secondPath,
			"Ask for a second person about several tools",
			manage,
			rest.Status(http.StatusOK),
			rest.Doc("Sets a second person for all of these tools or, when one of them refuses or has another revision, for none."),
		),
		func(ctx context.Context, in *rest.Creation[SecondPerson]) (*rest.Body[list], error) {
			policies, err := m.RequireSecond(ctx, in.Body)
			return rest.With(list{policies}, err)
		},
	)
}
