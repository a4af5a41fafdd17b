package mcpserver

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/rest"
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

// Routes adds its routes.
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
		rest.Doc("Its tools are not listed yet: refresh it, and accept them. Naming a secret needs "+secretRead+" too.")), rest.Create(m.Create))
	huma.Register(api, rest.Op(
		"update-mcp-server",
		http.MethodPatch,
		base+"/{id}",
		"Change an MCP server of others",
		rest.Tool("mcpServer.update", rest.Mutates, rest.WithLoosening(m.addressLoosening)),
		manage,
		rest.Doc(
			"Absent fields stay. With another address its tools have to be accepted again. Deciding which secret goes "+
				"where needs "+secretRead+" too.",
		),
	), rest.Change(m.Update))
	huma.Register(api, rest.Op("delete-mcp-server", http.MethodDelete, base+"/{id}", "Delete an MCP server of others",
		rest.Tool("mcpServer.delete", rest.Destroys), manage,
		rest.Doc("With its accepted tools, which are no longer offered at once.")), rest.Delete(m.Delete))
	// No transaction stays open while a server answers.
	huma.Register(api, rest.Op("refresh-mcp-server", http.MethodPost, base+"/{id}/refresh", "Refresh the tools of an MCP server",
		rest.Tool("mcpServer.refresh", rest.Mutates, rest.Direct()), manage,
		rest.SelfIdempotent(), rest.Status(http.StatusOK), rest.Doc("New and changed tools are off until an administrator accepts them.")),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[Server], error) {
			return rest.Show(m.Refresh(ctx, in.ID))
		})
	// The answer holds the state of a flow, which an Idempotency-Key would store.
	huma.Register(api, rest.Op(
		"start-mcp-sign-in",
		http.MethodPost,
		base+"/{id}/sign-in",
		"Start a sign-in at an MCP server",
		rest.Tool("mcpServer.signIn", rest.Mutates, rest.Direct(), rest.Titled("Sign in at an MCP server")),
		manage,
		rest.SelfIdempotent(),
		rest.Status(http.StatusOK),
		rest.Doc(
			"For people in the web app: returns the address for their browser. Once they have signed in, every call of the "+
				"server's tools acts there as that account.",
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
		rest.Doc("With the answer that the same person's browser returns with, within ten minutes, once."),
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
		rest.Doc("Its tokens are deleted at once, and revoked where the authorization server supports it. For people in the web app."),
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
			"With the current definition of each, and its difference from the accepted one. Names, descriptions and schemas are untrusted texts.",
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
			"By the hash of the definition that was read, with the effect that they have. All of them or none: a definition "+
				"that has changed meanwhile is refused with 412. Other tools stay as they are.",
		),
	),
		func(ctx context.Context, in *struct {
			rest.ByID
			rest.IfMatch
			Body Choices
		},
		) (*rest.Record[Server], error) {
			return rest.Show(m.AcceptTools(ctx, in.ID, in.Body, in.Revision()))
		})
	huma.Register(
		api,
		rest.Op(
			"call-mcp-tool",
			http.MethodPost,
			callPath,
			"Call a tool of an MCP server",
			rest.ReadOnly(),
			rest.Rules(Use),
			rest.SelfIdempotent(),
			rest.Status(http.StatusOK),
			rest.Doc(
				"Read-only programs can call read tools only. The tool's definition is checked at the server before the call. A "+
					"failure of the tool is an answer, too; answers hold no credentials. A change with an Idempotency-Key is called once; "+
					"if it was sent and not answered, its outcome is unknown, and a repeat says so. Counts against the tool budget "+
					"and is in the audit log, like a tool call.",
			),
		),
		func(ctx context.Context, in *struct {
			rest.ByID
			Tool    string `path:"tool" minLength:"1" maxLength:"64" pattern:"^[a-z0-9][a-z0-9_-]*$"`
			Key     string `header:"Idempotency-Key" maxLength:"255"`
			IfMatch string `header:"If-Match" maxLength:"80" doc:"The ETag of the tool that the call is for; 412 when the tool has changed."`
			Body    CallInput
		},
		) (*rest.Body[Called], error) {
			return rest.With(m.Call(ctx, in.ID, in.Tool, in.IfMatch, in.Key, in.Body))
		},
	)
}
