// Package mcpserver calls tools of other MCP servers, which an administrator has added.
//
// What a server says of its tools is pinned: an administrator has read the definition of each tool that is offered, and accepted
// it by its hash with the effect that they give it. A tool that is new, or whose definition has changed since, is offered to
// nobody and cannot be called until somebody has accepted what it says now. That is asked again with each call, before the call.
//
// Definitions come from PostgreSQL wherever tools are listed. A server is dialled for a call, and when somebody asks
// what its tools are now. Whatever it answers is from outside: it is bounded, credentials are taken out of it, and it
// taints a conversation. The credential of a server is a secret of the vault, or a token that an administrator has got
// by signing in (package signin). It goes to the one origin of the server, and nowhere else.
package mcpserver

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"countersign/access"
	"countersign/egress"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/modules/mcpserver/signin"
	"countersign/principal"
	"countersign/secret"
	"countersign/store"
	"countersign/store/once"
	"countersign/store/quota"
	"countersign/tool/budget"
)

// ObjectType is that of servers in the audit log, and of grants on single ones.
const ObjectType = "mcp.server"

var (
	kind = access.Kind{Noun: "MCP server", Plural: "servers", ObjectType: ObjectType, Read: Read, Manage: Manage}
	// usedKind is kind for those who use tools: of servers that are not private, whoever holds the rule for that.
	usedKind = access.Kind{Noun: kind.Noun, Plural: kind.Plural, ObjectType: ObjectType, Read: Use, Manage: Manage}
)

// Grants are what is held on single servers.
type Grants interface {
	// Remove deletes everything that is kept about an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

// Calls reserve tool calls and keep their audit rows. *budget.Budget is one.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Secrets are the secrets of the vault.
type Secrets interface {
	// Exist is nil when all these secrets exist, and for who may not know.
	Exist(ctx context.Context, names []string) error
	// Use returns the values of secrets, and keeps on record who used them for what.
	Use(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error)
}

// Sealer encrypts values for the database and binds them to associated data. *secret.Keyset is one.
type Sealer interface {
	Seal(plaintext, associated []byte) ([]byte, error)
	Open(sealed, associated []byte) ([]byte, error)
}

// Options are what a Module is made of.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Guard checks and dials the addresses of servers.
	Guard *egress.Guard
	// Public reaches public addresses only: what it refuses and Guard allows is a target that an operator has opened. New makes one.
	Public  *egress.Guard
	Grants  Grants
	Secrets Secrets
	Calls   Calls
	// Sealer keeps the tokens of servers at which somebody has signed in.
	Sealer Sealer
	// URL is where people reach the product, without a slash at its end: browsers come back there from a sign-in.
	URL string
	// Places and Most bound how many calls of one principal run at once.
	Places *quota.Places
	Most   int
	// Once keeps what was called with a key.
	Once *once.Calls
	// Version is that of the product, which servers are told.
	Version string
	// Taken reports whether a tool of the product has this name on the wire; nil says no.
	Taken func(wire string) bool
}

// Module is the servers: their operations, access rules and tools.
type Module struct {
	Options

	servers access.Table[*mcpserverdb.Queries, mcpserverdb.McpServer]
	calling quota.Kind
	signIns *signin.Client
	// renewing are the servers whose tokens this process renews at the moment.
	renewing singleflight.Group
}

// New makes the module.
func New(o Options) *Module {
	if o.Public == nil {
		o.Public = egress.New(egress.Options{})
	}
	m := &Module{
		Options: o,
		calling: quota.Kind{
			Name:   "mcp-call",
			Plural: "calls of MCP servers running",
			Most:   o.Most,
			Hold:   callTimeout + lookTimeout,
			Retry:  retryPlace,
		},
	}
	m.signIns = signin.New(signin.Options{Permit: m.permit, HTTP: m.Guard.Client, Name: "Countersign"})
	type queries = *mcpserverdb.Queries
	m.servers = access.Table[queries, mcpserverdb.McpServer]{
		Kind: kind, DB: o.DB, Queries: m.queries, Find: queries.Server, Lock: queries.LockServer, Bump: queries.TouchServer,
		Named: queries.ServerBySlug, Guesses: &access.Guesses{DB: o.DB, Record: recordGuess},
		Head: func(r mcpserverdb.McpServer) access.Head {
			return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision}
		},
	}
	return m
}

func (m *Module) queries(ctx context.Context) *mcpserverdb.Queries {
	return mcpserverdb.New(m.DB.Conn(ctx))
}
