package agent

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
)

const (
	dryRunPath   = toolPath + "/dry_run"
	examplesPath = toolPath + "/examples"
)

func (m *Module) runRoutes(api huma.API) {
	s := m.service
	schemas := api.OpenAPI().Components.Schemas
	huma.Register(api, rest.Op(
		"dry-run-agent-tool",
		http.MethodPost,
		dryRunPath,
		"Try a tool out",
		rest.ReadOnly(),
		maxBody(maxToolBody),
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.LateBody(),
		toolRefusals(api),
		rest.Doc(
			"Calls a tool of a revision in any state in the sandbox: no network, placeholders in place of secrets. What the "+
				"tool does wrong is an answer with ok false. With source or args_schema it is about what is not saved, which is "+
				"for editors. A few run at once for each caller; more are refused with 429.",
		),
	),
		func(ctx context.Context, in *struct {
			ByTool
			Body rest.Unread[DryRunInput]
		},
		) (*rest.Body[DryRun], error) {
			return rest.With(s.DryRun(ctx, in.Agent, in.Rev, in.Tool, func() (DryRunInput, error) { return in.Body.Read(schemas) }))
		})
	huma.Register(api, rest.Op("get-agent-tool-examples", http.MethodGet, examplesPath, "Read the saved examples of a tool",
		rest.Doc("Calls with what is expected of them. They are part of the bundle, and freezing runs them.")),
		func(ctx context.Context, in *ByTool) (*rest.Record[Examples], error) {
			return rest.Answer(s.Examples(ctx, in.Agent, in.Rev, in.Tool))
		})
	huma.Register(api, rest.Op("put-agent-tool-examples", http.MethodPut, examplesPath, "Write the saved examples of a tool of a draft",
		writesDraft,
		maxBody(maxToolBody), rest.LateBody(), draftRefusal(api),
		rest.Doc("All of them, at most 20. Everyone who sees the source sees them, so mock_secrets are invented.")),
		func(ctx context.Context, in *struct {
			ByTool
			rest.IfMatch
			Body rest.Unread[Examples]
		},
		) (*rest.Record[Written], error) {
			return rest.Answer(
				s.PutExamples(ctx, Target{in.Agent, in.Rev, in.Revision()}, in.Tool, func() (Examples, error) { return in.Body.Read(schemas) }),
			)
		})
	huma.Register(api, rest.Op("run-agent-tool-examples", http.MethodPost, examplesPath+"/run", "Run the saved examples of a tool",
		checksDraft,
		rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("One after the other, as dry runs, each judged by what is expected of it.")),
		func(ctx context.Context, in *ByTool) (*rest.Body[ExampleRuns], error) {
			return rest.With(s.RunExamples(ctx, in.Agent, in.Rev, in.Tool))
		})
}
