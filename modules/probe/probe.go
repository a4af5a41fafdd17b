// Package probe requests a URL and shows the response, for a user or for the assistant on their behalf. The request leaves from
// this server, so it goes through the SSRF guard (package egress): public addresses only, no redirects, no credentials, five seconds.
package probe

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/internal/store/quota"
	"countersign/tool"
	"countersign/tool/budget"
)

//go:embed tool_*.md
var texts embed.FS

const (
	rule = "ai.chat.read"
	path = "/api/probe"
)

// toolName is the tool that the operation stands behind: a call of either counts as one of the other.
const toolName = "ai.probeUrl"

// Calls reserve tool calls and keep their audit rows. *budget.Budget is one.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Options configure a Module.
type Options struct {
	Guard *egress.Guard
	Calls Calls
	// Quota and Most bound how many probes of one principal run at once.
	Quota *quota.Limiter
	Most  int
}

// Module is the URL probe: its operation and its tool.
type Module struct {
	Options

	probeQuota quota.Kind
}

// New makes the module.
func New(o Options) *Module {
	return &Module{o, quota.Kind{Name: "probe", Plural: "probes running", Max: o.Most, TTL: time.Minute, RetryAfter: egress.ProbeTimeout}}
}

type probeInput struct {
	URL    string `json:"url" minLength:"1" maxLength:"2000" jsonschema:"minLength=1,maxLength=2000,description=An http or https URL."`
	Method string `json:"method,omitempty" enum:"GET,HEAD" default:"GET" jsonschema:"enum=GET,enum=HEAD,default=GET,description=GET also returns a sample of the body."`
}

// Routes declares the operation.
func (m *Module) Routes(api huma.API) {
	huma.Register(
		api,
		rest.Op(
			"probe-url",
			http.MethodPost,
			path,
			"See what a URL answers",
			rest.ReadOnly(),
			rest.Rules(rule),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc("Counts against the tool budget and is in the audit log, as a call of the tool is."),
		),
		func(ctx context.Context, in *struct{ Body probeInput }) (*struct{ Body egress.Result }, error) {
			result, err := m.probe(ctx, in.Body)
			return &struct{ Body egress.Result }{result}, err
		},
	)
}

// probe makes a request once it has a place, and a reserved call with an audit row. A tool call has reserved its own.
func (m *Module) probe(ctx context.Context, in probeInput) (result egress.Result, err error) {
	p := principal.FromContext(ctx)
	place, err := m.Quota.Acquire(ctx, p, m.probeQuota)
	if err != nil {
		return result, err
	}
	defer place.Release(ctx)
	if p.TurnID != uuid.Nil {
		return egress.Probe(ctx, m.Guard, in.URL, in.Method)
	}
	arguments, err := json.Marshal(in)
	if err != nil {
		return result, fmt.Errorf("encode probe: %w", err)
	}
	id, err := m.Calls.Reserve(ctx, budget.Call{
		ID: store.NewID(), Principal: p, Transport: budget.API, Tool: toolName, Effect: tool.Read, Arguments: arguments,
	})
	if err != nil {
		return result, err
	}
	result, err = egress.Probe(ctx, m.Guard, in.URL, in.Method)
	if failed := m.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		return egress.Result{}, failed
	}
	return result, err
}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{probeURLTool()} }
