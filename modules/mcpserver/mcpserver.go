// Package mcpserver calls tools of external MCP servers that an administrator has added.
//
// Tool definitions are pinned against tool poisoning: an administrator reads the definition of each tool and accepts
// it by its hash, with the effect that they assign. A new tool, or one whose definition has changed, is not offered
// and cannot be called until an administrator accepts the current definition. Each call checks that again before it
// is sent.
//
// Tool lists are built from PostgreSQL. A server is dialled for a call and to refresh its tools. Its answers are
// untrusted: they are size-limited, scrubbed of credentials, and taint the conversation (prompt injection). The
// credential of a server is a secret of the vault, or a token that an administrator obtained by OAuth (package
// signin). It is sent to the origin of the server only.
package mcpserver

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"golang.org/x/sync/singleflight"

	"countersign/internal/access"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/modules/mcpserver/mcpserverdb"
	"countersign/modules/mcpserver/signin"
	"countersign/tool/budget"
)

// ObjectType is the type of MCP servers in the audit log and of grants on single servers.
const ObjectType = "mcp.server"

var (
	kind = access.Kind{Noun: "MCP server", Plural: "servers", ObjectType: ObjectType, Read: Read, Manage: Manage}
	// usedKind is kind for callers of tools: the rule Use gives access to every server that is not private.
	usedKind = access.Kind{Noun: kind.Noun, Plural: kind.Plural, ObjectType: ObjectType, Read: Use, Manage: Manage}
)

// Grants deletes the grants on single servers.
type Grants interface {
	// Remove deletes all grants on an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

// Calls reserves tool calls against the budget and writes their audit rows. *budget.Budget implements it.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Secrets reads the secrets of the vault.
type Secrets interface {
	// Exist returns nil when all these secrets exist, and also for a caller who may not know.
	Exist(ctx context.Context, names []string) error
	// Use returns the values of secrets and records their user and purpose.
	Use(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error)
}

// Options are the dependencies of a Module.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Guard is the SSRF guard: it checks and dials the addresses of servers.
	Guard *egress.Guard
	// Public reaches public addresses only. An address that it refuses and Guard allows was opened by an operator.
	// New creates one when nil.
	Public  *egress.Guard
	Grants  Grants
	Secrets Secrets
	Calls   Calls
	// Sealer encrypts the OAuth tokens of servers.
	Sealer secret.Sealer
	// URL is the public address of the product, without a trailing slash; OAuth redirects return there.
	URL string
	// Quota and Most limit the concurrent calls of one principal.
	Quota *quota.Limiter
	Most  int
	// Once is the exactly-once ledger of calls with an idempotency key.
	Once *exactlyonce.Ledger
	// Version is the product's version, sent to servers.
	Version string
	// IsWireNameTaken reports whether a tool of the product has this wire name; nil means no.
	IsWireNameTaken func(wire string) bool
}

// Module provides the operations, access rules and tools of MCP servers.
type Module struct {
	Options

	servers access.Table[*mcpserverdb.Queries, mcpserverdb.McpServer]
	calling quota.Kind
	signIns *signin.Client
	// renewing deduplicates the token renewals of this process.
	renewing singleflight.Group
}

// New creates the module.
func New(o Options) *Module {
	if o.Public == nil {
		o.Public = egress.New(egress.Options{})
	}
	m := &Module{
		Options: o,
		calling: quota.Kind{
			Name:       "mcp-call",
			Plural:     "calls of MCP servers running",
			Max:        o.Most,
			TTL:        callTimeout + listTimeout,
			RetryAfter: quotaRetry,
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
