package mcpserver

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/rest"
)

const (
	base     = "/api/mcp/servers"
	callPath = base + "/{id}/tools/{tool}/call"
)

type serverList struct {
	Servers []Server `json:"servers" nullable:"false"`
}

type toolList struct {
	Tools []Tool `json:"tools" nullable:"false"`
}

// Routes declares the operations.
func (m *Module) Routes(api huma.API) {
	read, manage := rest.Rules(Read), rest.Rules(Manage)
	huma.Register(api, rest.Op("list-mcp-servers", http.MethodGet, base, "List MCP servers of others", read, rest.Doc("By slug.")),
		func(ctx context.Context, _ *struct{}) (*rest.Body[serverList], error) {
			servers, err := m.List(ctx)
			return rest.With(serverList{servers}, err)
		})
	huma.Register(api, rest.Op("get-mcp-server", http.MethodGet, base+"/{id}", "Get an MCP server of others", read), rest.Get(m.Get))
	huma.Register(api, rest.Op("create-mcp-server", http.MethodPost, base, "Add an MCP server of others",
		rest.Tool("mcpServer.create", rest.Mutates, rest.WithLoosening(m.addressLoosening)), manage,
		rest.Doc("It is not asked yet: refresh it, and accept its tools. Naming a secret needs "+secretRead+" too.")), rest.Create(m.Create))
	huma.Register(api, rest.Op(
		"update-mcp-server",
		http.MethodPatch,
		base+"/{id}",
		"Change an MCP server of others",
		rest.Tool("mcpServer.update", rest.Mutates, rest.WithLoosening(m.addressLoosening)),
		manage,
		rest.Doc(
			"What is absent stays. With another address its tools have to be accepted anew. What decides which secret goes where needs "+secretRead+" too.",
		),
	), rest.Change(m.Update))
	huma.Register(api, rest.Op("delete-mcp-server", http.MethodDelete, base+"/{id}", "Delete an MCP server of others",
		rest.Tool("mcpServer.delete", rest.Destroys), manage,
		rest.Doc("With what was accepted of it. What its tools are offered for ends at once.")), rest.Delete(m.Delete))
	// A server is not waited for in a transaction.
	huma.Register(api, rest.Op("refresh-mcp-server", http.MethodPost, base+"/{id}/refresh", "Ask an MCP server what its tools are",
		rest.Tool("mcpServer.refresh", rest.Mutates, rest.Direct()), manage,
		rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("Tools that are new or have changed are off until somebody accepts them.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[Server], error) {
			return rest.Show(m.Refresh(ctx, in.ID))
		})
	// What is answered holds the state of a flow: an Idempotency-Key would keep it.
	huma.Register(api, rest.Op(
		"start-mcp-sign-in",
		http.MethodPost,
		base+"/{id}/sign-in",
		"Begin to sign in at an MCP server",
		rest.Tool("mcpServer.signIn", rest.Mutates, rest.Direct(), rest.Titled("Sign in at an MCP server")),
		manage,
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.Doc(
			"For people at the pages: where their browser goes. From then on every call of the server's tools acts there as whoever signs in.",
		),
	),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[SignInStart], error) {
			return rest.With(m.StartSignIn(ctx, in.ID))
		})
	huma.Register(api, rest.Op(
		"finish-mcp-sign-in",
		http.MethodPost,
		"/api/mcp/sign-ins",
		"Finish a sign-in at an MCP server",
		rest.Tool("mcpServer.signIn", rest.Mutates, rest.Direct(), rest.Titled("Sign in at an MCP server")),
		manage,
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.Doc("With what the browser of the same person has come back with, within ten minutes, once."),
	),
		func(ctx context.Context, in *struct{ Body SignInAnswer }) (*rest.Record[Server], error) {
			return rest.Show(m.FinishSignIn(ctx, in.Body))
		})
	huma.Register(api, rest.Op(
		"end-mcp-sign-in",
		http.MethodDelete,
		base+"/{id}/sign-in",
		"End the sign-in at an MCP server",
		rest.Tool("mcpServer.endSignIn", rest.Mutates, rest.Direct()),
		manage,
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.Doc("Its tokens are gone at once, and are given back where the authorization server takes them. For people at the pages."),
	),
		func(ctx context.Context, in *rest.Deletion) (*rest.Body[SignedOff], error) {
			return rest.With(m.EndSignIn(ctx, in.ID, in.Revision()))
		})
	huma.Register(api, rest.Op(
		"list-mcp-server-tools",
		http.MethodGet,
		base+"/{id}/tools",
		"List the tools of an MCP server",
		read,
		rest.Doc(
			"With what the server says of each, and how that differs from what was accepted. Names, descriptions and schemas are texts from outside.",
		),
	),
		func(ctx context.Context, in *rest.ByID) (*rest.Body[toolList], error) {
			tools, err := m.ToolsOf(ctx, in.ID)
			return rest.With(toolList{tools}, err)
		})
	huma.Register(api, rest.Op(
		"set-mcp-server-tools",
		http.MethodPut,
		base+"/{id}/tools",
		"Accept tools of an MCP server",
		rest.Tool("mcpServer.acceptTools", rest.Mutates, rest.WithLoosening(m.choiceLoosening)),
		manage,
		rest.Doc(
			"By the hash of the definition that was read, with the effect that they have. All of them or none: a definition that has changed meanwhile is refused with 412. Tools that are not named stay as they are.",
		),
	),
		func(ctx context.Context, in *struct {
			rest.ByID
			rest.IfMatch
			Body Choices
		},
		) (*rest.Record[Server], error) {
			return rest.Show(m.Choose(ctx, in.ID, in.Body, in.Revision()))
		})
	huma.Register(
		api,
		rest.Op(
			"call-mcp-tool",
			http.MethodPost,
			callPath,
			"Call a tool of an MCP server",
			rest.Looks(),
			rest.Rules(Use),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc(
				"A program that was let read alone calls tools that read. The server is asked first whether the tool is still what was accepted. Whatever the tool did is an answer, without credentials. A call that changes something and has an Idempotency-Key is made once; "+
					"of one that was sent and not answered nobody knows whether it has happened, and a repeat says so. Counts against the tool budget and is in the audit log, as a call of the tool is.",
			),
		),
		func(ctx context.Context, in *struct {
			rest.ByID
			Tool    string `path:"tool" minLength:"1" maxLength:"64" pattern:"^[a-z0-9][a-z0-9_-]*$"`
			Key     string `header:"Idempotency-Key" maxLength:"255"`
			IfMatch string `header:"If-Match" maxLength:"80" doc:"The ETag of the tool that the call is for; it is refused with 412 when it is another one."`
			Body    CallInput
		},
		) (*rest.Body[Called], error) {
			return rest.With(m.Call(ctx, in.ID, in.Tool, in.IfMatch, in.Key, in.Body))
		},
	)
}
