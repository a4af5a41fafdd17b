// Package endpoint serves the product to clients of the Model Context Protocol, over streamable HTTP: its tools, records and
// pages as resources, and skills as prompts.
//
// A client works as the principal whose bearer token it sends, with each request anew: there are no sessions, so any process
// serves any request. What tools there are, who may use them, what a call does, its budget and its audit row are those of
// package tool/invoke; here stands only how that is said in the protocol. A read runs. Whatever changes something is proposed,
// and the answer of the call is the proposal: a client's model decides nothing. How a person decides is in decide.go.
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

	"countersign/mcp/calls"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/store/quota"
	"countersign/tool"
	"countersign/tool/invoke"
	"countersign/tool/proposal"
)

// Path is where the endpoint is served.
const Path = "/mcp"

// Authenticator finds out whose bearer token a request has: a zero principal for nobody, a *problem.Error for a bad one.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (principal.Principal, error)
}

// Options are what an Endpoint is made of.
type Options struct {
	Log           *slog.Logger
	Authenticator Authenticator
	Registry      *tool.Registry
	Invoke        *invoke.Service
	Proposals     *proposal.Service
	// Calls are the requests of older clients, which they cancel by other ones.
	Calls *calls.Calls
	// Trusts reports whether a program may decide for the person who has connected it; nil trusts none.
	Trusts func(ctx context.Context, program principal.Client) (bool, error)
	// Places bound how many requests of a principal wait for a decision at once, by Waits.
	Places *quota.Places
	Waits  quota.Kind
	// Streams bound how many listeners a principal has, News how many streams of older clients, and Watch is how often
	// one is looked after: what has changed, whether its token still opens the endpoint.
	Streams, News quota.Kind
	Watch         time.Duration
	// Lists is how many lists a process answers each principal at once, before it answers them at a pace.
	Lists int
	// Rule is the access rule that using tools needs.
	Rule string
	// More add what the library serves by itself, beside what there is for everybody.
	More []func(*sdk.Server)
	// Challenge is the header WWW-Authenticate of an answer that refuses a request: nil for one that has no token.
	Challenge func(refusal error) string
	// URL is where people reach the product, without a slash at its end.
	URL string
	// StateKey is the server key of what clients are given to send back, the same in every process.
	StateKey []byte
	// Now is the time of the database, which is the same in every process.
	Now     func(ctx context.Context) (time.Time, error)
	Version string
}

// Endpoint is the endpoint as an http.Handler.
type Endpoint struct {
	Options

	states states
	pace   pace
	shared *sdk.Server
	served http.Handler
	// wait and apply are the tools about proposals, and fixed those of the product by name, each as it is listed.
	wait, apply described
	fixed       sync.Map
}

// New makes an endpoint.
func New(o Options) (*Endpoint, error) {
	if o.Log == nil || o.Authenticator == nil || o.Registry == nil || o.Invoke == nil || o.Proposals == nil || o.Calls == nil ||
		o.Places == nil ||
		len(o.StateKey) == 0 ||
		o.Now == nil ||
		o.Watch <= 0 ||
		o.Lists <= 0 {
		return nil, errors.New("mcp: an option is missing")
	}
	o.URL = strings.TrimSuffix(o.URL, "/")
	e := &Endpoint{Options: o, states: states{key: o.StateKey}, pace: pace{atOnce: o.Lists}}
	var err error
	if e.wait, err = describedAs(waitTool()); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	if e.apply, err = describedAs(applyTool()); err != nil {
		return nil, fmt.Errorf("mcp: %w", err)
	}
	e.shared = e.newServer(unsubscribable)
	e.served = sdk.NewStreamableHTTPHandler(e.listener, &sdk.StreamableHTTPOptions{
		// Which names a server answers to is decided for all of its addresses, in package api/host.
		Stateless: true, DisableLocalhostProtection: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxBody,
	})
	return e, nil
}

// newServer makes a server of the library that knows nothing but the three ways to what there is, and says by subscribed whether a
// resource can be subscribed to there.
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
	server.AddResourceTemplate(&sdk.ResourceTemplate{Name: everyTool, URITemplate: everyResource}, e.readResource)
	e.addPrompt(server)
	e.addTool(server)
	for _, more := range e.More {
		more(server)
	}
	server.AddReceivingMiddleware(e.route)
	return server
}

// addTool and addPrompt add the one tool and the one prompt. Adding them again tells whoever listens that the list has changed.
func (e *Endpoint) addTool(server *sdk.Server) {
	server.AddTool(&sdk.Tool{Name: everyTool, InputSchema: map[string]any{"type": "object"}}, e.call)
}

func (e *Endpoint) addPrompt(server *sdk.Server) {
	server.AddPrompt(&sdk.Prompt{Name: everyPrompt}, e.getPrompt)
}

// everyTool is the one tool that the library knows. Which tools there are depends on who asks, so route answers lists itself, and
// brings each call to this one, whose handler finds the tool.
const everyTool = "any"

// route answers what depends on the principal; all else is the library's.
func (e *Endpoint) route(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, end := tied(ctx)
		defer end()
		switch req.(type) {
		case *sdk.ListToolsRequest, *sdk.ListResourceTemplatesRequest, *sdk.ListPromptsRequest, *sdk.GetPromptRequest:
			// What else reads something is a call of a tool, or counts as one.
			if err := e.paced(ctx, method); err != nil {
				return nil, err
			}
		}
		if len(e.More) > 0 {
			if result, err, known := e.more(ctx, next, method, req); known {
				return result, err
			}
		}
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			return e.listTools(ctx, r)
		case *sdk.CallToolRequest:
			params := *r.Params
			ctx = context.WithValue(ctx, calledKey{}, params.Name)
			params.Name = everyTool
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
			ctx = context.WithValue(ctx, calledKey{}, params.Name)
			params.Name = everyPrompt
			return next(ctx, method, &sdk.GetPromptRequest{Session: r.Session, Params: &params, Extra: r.Extra})
		}
		result, err := next(ctx, method, req)
		if begun, ok := result.(*sdk.InitializeResult); ok && err == nil {
			return withoutNews(begun), nil
		}
		return result, err
	}
}

// calledKey is that of the name of the tool or prompt that a client asks for.
type calledKey struct{}

// rpcError is err as the protocol says it, for what is no result of a tool.
func (e *Endpoint) rpcError(ctx context.Context, what string, err error) error {
	p := rest.Problem(err)
	if problem.CodeOf(err) == problem.Internal && ctx.Err() == nil {
		e.Log.Error("MCP request failed", "request", what, "error", err)
	}
	exchangeOf(ctx).refuse(p)
	return wireError(p)
}
