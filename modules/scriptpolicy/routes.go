package scriptpolicy

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

type policyChangeList struct {
	Changes []PolicyChange `json:"changes" nullable:"false"`
}

// Routes declares the operations of this package.
func (m *Module) Routes(api huma.API) {
	const path = "/api/script-policy"
	manage := rest.Rules(Manage)
	huma.Register(api, rest.Op("get-script-policy", http.MethodGet, path, "Get the script policy", manage),
		func(ctx context.Context, _ *struct{}) (*rest.Record[Stored], error) { return rest.Show(m.Get(ctx)) })
	huma.Register(api, rest.Op("set-script-policy", http.MethodPut, path, "Set the script policy",
		rest.Tool("script.setPolicy", rest.Mutates), manage,
		rest.Doc("It takes effect within a second, in every process, with the next script that starts.")),
		func(ctx context.Context, in *struct {
			rest.IfMatch
			Body Policy
		},
		) (*rest.Record[Stored], error) {
			return rest.Show(m.Set(ctx, in.Body, in.Revision()))
		})
	huma.Register(api, rest.Op("list-script-policy-changes", http.MethodGet, path+"/changes", "List who changed the script policy", manage,
		rest.Doc("The last 100 changes, the newest first, each with the policy before and after.")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[policyChangeList], error) {
			changes, err := m.Changes(ctx)
			return rest.With(policyChangeList{changes}, err)
		})
}
