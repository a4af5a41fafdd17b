// Package endpoint is the MCP server of the product, over streamable HTTP: it serves tools, records and pages as
// resources, and skills as prompts.
//
// The endpoint is stateless: each request carries a bearer token and is authenticated again, so any process serves
// any request. Package tool/invoke decides which tools exist and who may use them, and does calls, budgets and audit
// rows; this package translates to the protocol. A read runs. A change becomes a proposal, which is the answer of the
// call: a client's model decides nothing. Decisions of people are in decide.go.
package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"countersign/api/mcp/calls"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store/quota"
	"countersign/tool"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
)

// Path is the address of the endpoint.
const Path = "/mcp"

// Authenticator returns the principal of a request's bearer token: zero without a token, a *problem.Error for a bad
// one.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (principal.Principal, error)
}

// Options are the dependencies of an Endpoint.
type Options struct {
	Log           *slog.Logger
	Authenticator Authenticator
	Registry      *tool.Registry
	Invoke        *invoke.Service
	Proposals     *proposal.Service
	// Calls is the registry of requests that older clients can cancel.
	Calls *calls.Calls
	// Trusts reports whether a program may decide for the person who connected it; nil trusts none.
	Trusts func(ctx context.Context, program principal.Client) (bool, error)
	// Quota limits the requests of a principal that wait for a decision, by Waits.
	Quota *quota.Limiter
	Waits quota.Kind
	// Streams limits the listeners of a principal, News the streams of older clients. Watch is the interval at which
	// a listener's lists and token are checked.
	Streams, OlderStreams quota.Kind
	Heartbeat             time.Duration
	// ListBurst is the burst of the rate limit on lists, per process and principal.
	ListBurst int
	// Rule is the access rule for using tools.
	Rule string
	// Extensions registers further tools and resources in the library's server, for all clients.
	Extensions []func(*sdk.Server)
	// Challenge returns the WWW-Authenticate header of a refusal; nil error for a request without a token.
	Challenge func(refusal error) string
	// URL is the public address of the product, without a trailing slash.
	URL string
	// StateKey is the server key that authenticates states returned by clients; all processes share it.
	StateKey []byte
	// Now returns the database time.
	Now     func(ctx context.Context) (time.Time, error)
	Version string
}

// Endpoint is the MCP endpoint, an http.Handler.
type Endpoint struct {
	Options

	stateSealer stateSealer
	listLimiter rateLimiter
	shared      *sdk.Server
	served      http.Handler
	// wait and apply are the tools about proposals, fixed caches the descriptions of the product's own tools by name.
	wait, apply listedTool
	fixed       sync.Map
}

// New creates an endpoint.
func New(o Options) (*Endpoint, error) {
	if o.Log == nil || o.Authenticator == nil || o.Registry == nil || o.Invoke == nil || o.Proposals == nil || o.Calls == nil ||
		o.Quota == nil ||
		len(o.StateKey) == 0 ||
		o.Now == nil ||
		o.Heartbeat <= 0 ||
		o.ListBurst <= 0 {
		return nil, errors.New("mcp: an option is missing")
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	e := &Endpoint{Options: o, stateSealer: stateSealer{key: o.StateKey}, listLimiter: rateLimiter{burst: o.ListBurst}}
	var err error
	if e.wait, err = listedToolOf(waitTool()); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	if e.apply, err = listedToolOf(applyTool()); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	e.shared = e.newServer(unsubscribable)
	e.served = sdk.NewStreamableHTTPHandler(e.listener, &sdk.StreamableHTTPOptions{
		// Package api/host validates the Host header for all addresses.
		Stateless: true, DisableLocalhostProtection: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
	})
	return e, nil
}

// newServer creates a server of the library with one placeholder each for tools, prompts and resources. subscribed
// reports whether a resource can be subscribed to there.
func (e *Endpoint) newServer(subscribed func(context.Context, *sdk.SubscribeRequest) error) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "countersign", Title: "Countersign", Version: e.Version}, &sdk.ServerOptions{
		Instructions: instructions, CompletionHandler: e.complete, SubscribeHandler: subscribed,
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		Capabilities: &sdk.ServerCapabilities{
			Tools: &sdk.ToolCapabilities{
				ListChanged: true,
			},
			Prompts:   &sdk.PromptCapabilities{ListChanged: true},
			Resources: &sdk.ResourceCapabilities{},
		},
	})
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: placeholderTool, URITemplate: anyResource}, e.readResource)
	e.addPrompt(server)
	e.addTool(server)
	for _, more := range e.Extensions {
		more(server)
	}
	server.AddReceivingMiddleware(e.route)
	return server
}

// addTool and addPrompt register the placeholders. Registering them again notifies listeners that the list has
// changed.
func (e *Endpoint) addTool(server *sdk.Server) {
	server.AddTool(&sdk.Tool{Name: placeholderTool, InputSchema: map[string]any{"type": "object"}}, e.call)
}

func (e *Endpoint) addPrompt(server *sdk.Server) {
	server.AddPrompt(&sdk.Prompt{Name: placeholderPrompt}, e.getPrompt)
}

// placeholderTool is the placeholder tool that the library knows. The list of tools depends on the principal, so route
// answers lists itself and sends each call to this one, whose handler finds the tool.
const placeholderTool = "any"

// route is the middleware for methods that depend on the principal; the library handles the others.
func (e *Endpoint) route(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, end := withClient(ctx)
		defer end()
		switch req.(type) {
		case *sdk.ListToolsRequest, *sdk.ListResourceTemplatesRequest, *sdk.ListPromptsRequest, *sdk.GetPromptRequest:
			// Other reads are tool calls, or count as one.
			if err := e.rateLimit(ctx, method); err != nil {
				return nil, err
			}
		}
		if len(e.Extensions) > 0 {
			if result, err, known := e.handleExtension(ctx, next, method, req); known {
				return result, err
			}
		}
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			return e.listTools(ctx, r)
		case *sdk.CallToolRequest:
			params := *r.Params
			ctx = context.WithValue(ctx, nameKey{}, params.Name)
			params.Name = placeholderTool
			return next(ctx, method, &sdk.CallToolRequest{Session: r.Session, Params: &params, Extra: r.Extra})
		case *sdk.SubscriptionsListenRequest:
			return e.listen(ctx, method, r, next)
		case *sdk.ListResourcesRequest:
			return e.listResources(ctx, r)
		case *sdk.ListResourceTemplatesRequest:
			return e.listTemplates(ctx)
		case *sdk.ListPromptsRequest:
			return e.listPrompts(ctx, r)
		case *sdk.GetPromptRequest:
			params := *r.Params
			ctx = context.WithValue(ctx, nameKey{}, params.Name)
			params.Name = placeholderPrompt
			return next(ctx, method, &sdk.GetPromptRequest{Session: r.Session, Params: &params, Extra: r.Extra})
		}
		result, err := next(ctx, method, req)
		if begun, ok := result.(*sdk.InitializeResult); ok && err == nil {
			return withoutNotifications(begun), nil
		}
		return result, err
	}
}

// nameKey is the context key of the requested tool's or prompt's name.
type nameKey struct{}

// rpcError converts an error that is no tool result to a protocol error.
func (e *Endpoint) rpcError(ctx context.Context, what string, err error) error {
	p := rest.Problem(err)
	if problem.CodeOf(err) == problem.Internal && ctx.Err() == nil {
		e.Log.Error("MCP request failed", "request", what, "error", err)
	}
	exchangeOf(ctx).refuse(p)
	return wireError(p)
}
