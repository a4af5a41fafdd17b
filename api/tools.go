package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/budget"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
)

// Tools are the routes by which programs use tools.
type Tools struct {
	Registry *tool.Registry
	Invoke   *invoke.Service
}

// ToolDescriptor is a tool as clients see it.
type ToolDescriptor struct {
	Name                string          `json:"name"`
	Description         string          `json:"description"`
	Effect              tool.Effect     `json:"effect" enum:"read,mutate,destructive"`
	InputSchema         json.RawMessage `json:"inputSchema"`
	OutputSchema        json.RawMessage `json:"outputSchema"`
	RequiredAccessRules []string        `json:"requiredAccessRules" nullable:"false"`
}

type toolInput struct {
	Name string `path:"name" maxLength:"160"`
	Body struct {
		Input json.RawMessage `json:"input" doc:"Fits the tool's inputSchema"`
	}
}

// proposeInput is toolInput with a key; huma does not look into unexported embedded structs.
type proposeInput struct {
	Name   string `path:"name" maxLength:"160"`
	Key    string `header:"Idempotency-Key" maxLength:"255"`
	Reason string `header:"Change-Reason" doc:"Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal."`
	Body   struct {
		Input json.RawMessage `json:"input" doc:"Fits the tool's inputSchema"`
	}
}

// Routes declares the operations.
func (r *Tools) Routes(api huma.API) {
	huma.Register(api, rest.Op("list-tools", http.MethodGet, "/api/ai/tools", "List the tools you may use", rest.Rules(ChatRule)),
		func(ctx context.Context, _ *struct{}) (*struct {
			Body struct {
				Tools []ToolDescriptor `json:"tools" nullable:"false"`
			}
		}, error,
		) {
			out := new(struct {
				Body struct {
					Tools []ToolDescriptor `json:"tools" nullable:"false"`
				}
			})
			out.Body.Tools = []ToolDescriptor{}
			tools, err := r.Invoke.Offered(ctx, principal.FromContext(ctx))
			if err != nil {
				return nil, err
			}
			for _, t := range tools {
				if t.Access.ChatOnly {
					continue
				}
				out.Body.Tools = append(out.Body.Tools, ToolDescriptor{
					Name: t.Name, Description: t.Description, Effect: t.Effect, InputSchema: t.Input.JSON(),
					OutputSchema: t.Output.JSON(), RequiredAccessRules: t.Rules,
				})
			}
			return out, nil
		})
	huma.Register(api, rest.Op("call-tool", http.MethodPost, "/api/ai/tools/{name}/call", "Call a tool that reads",
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *toolInput) (*struct{ Body invoke.Result }, error) {
			result, err := r.Invoke.Read(ctx, principal.FromContext(ctx), budget.API, in.Name, in.Body.Input)
			return &struct{ Body invoke.Result }{result}, err
		})
	huma.Register(api, rest.Op("propose-tool", http.MethodPost, "/api/ai/tools/{name}/propose", "Propose a change",
		rest.Rules(ChatRule), rest.SelfIdempotent(), rest.Status(http.StatusOK),
		rest.Doc("Checks the input and stores a proposal; nothing changes until its token is applied.")),
		func(ctx context.Context, in *proposeInput) (*struct{ Body proposal.Card }, error) {
			reason, err := reasonOf(in.Reason)
			if err != nil {
				return nil, err
			}
			card, err := r.Invoke.Propose(ctx, principal.FromContext(ctx), budget.API, in.Name, in.Body.Input, in.Key, reason)
			return &struct{ Body proposal.Card }{card}, err
		})
}
