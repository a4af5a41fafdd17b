// Package probe lets a person, or the assistant on their behalf, look at what a URL answers. The request leaves from
// this server, so it goes through the egress guard: public addresses only, no redirects, no credentials, five seconds.
package probe

import (
	"context"
	"embed"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/egress"
	"countersign/rest"
	"countersign/tool"
)

//go:embed tool_*.md
var texts embed.FS

const rule = "ai.chat.read"

// Module is the URL probe: its operation and its tool.
type Module struct {
	guard *egress.Guard
}

// New makes the module on a guard.
func New(guard *egress.Guard) *Module { return &Module{guard: guard} }

type probeInput struct {
	URL    string `json:"url" minLength:"1" maxLength:"2000" jsonschema:"minLength=1,maxLength=2000,description=An http or https URL."`
	Method string `json:"method,omitempty" enum:"GET,HEAD" default:"GET" jsonschema:"enum=GET,enum=HEAD,default=GET,description=GET also returns a sample of the body."`
}

// Routes declares the operation.
func (m *Module) Routes(api huma.API) {
	huma.Register(api, rest.Op("probe-url", http.MethodPost, "/api/probe", "See what a URL answers", rest.Rules(rule), rest.SelfIdempotent(), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *struct{ Body probeInput }) (*struct{ Body egress.Result }, error) {
			result, err := egress.Probe(ctx, m.guard, in.Body.URL, in.Body.Method)
			return &struct{ Body egress.Result }{result}, err
		})
}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{probeURLTool()} }
