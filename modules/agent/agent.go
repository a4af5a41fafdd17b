// Package agent manages custom agents: a prompt, skills and tools that users write.
//
// An agent owns revisions. A revision holds a bundle: agent.md, skills, a spec and tools, each tool with its source,
// schema, compiled form, source map and capabilities. A draft can be written; freezing seals it as ready; promoting
// makes it the agent's one live revision and archives the one before. A rollback promotes an older revision. Bundles
// exist as rows in PostgreSQL only.
//
// Each write is one transaction that locks the agent, then checks grants and the revision's state and ETag. Tools are
// compiled before the transaction, so checks made before are repeated in it.
package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/modules/agent/agentdb"
	"countersign/script/typescript"
)

// ObjectType is the object type of agents for grants and the audit log.
const ObjectType = "agent.agent"

var kind = access.Kind{Noun: "agent", Plural: "agents", ObjectType: ObjectType, Read: Read, Manage: Manage}

// Compiler compiles TypeScript tools and reports errors. *typescript.Compiler implements it.
type Compiler interface {
	CompileTool(ctx context.Context, s typescript.ToolSource) (typescript.CompiledTool, error)
}

// Grants manages the grants on single agents.
type Grants interface {
	// Begin makes p the owner of a new agent; a private one is closed to all others.
	Begin(ctx context.Context, id uuid.UUID, p principal.Principal, private bool) error
	// Remove deletes all grants on an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

// Secrets checks secrets of the vault for the principal of the context.
type Secrets interface {
	// Exist returns nil when all these secrets exist, and also for a caller who may not know.
	Exist(ctx context.Context, names []string) error
}

// Names resolves the names of principals. Deleted principals are missing in the answer.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Smoke runs compiled tools in a sandbox before a bundle is sealed.
type Smoke interface {
	Try(ctx context.Context, t Trial) (Outcome, error)
}

// Trial is one run of a compiled tool; without an action it only loads the module. Secrets are the answers of
// ctx.secrets.ref by name; Masked names those to mask in the outcome.
type Trial struct {
	Tool, JS  string
	SourceMap []byte
	Action    string
	Args      json.RawMessage
	Secrets   map[string]string
	Masked    []string
	Timeout   time.Duration
}

// Outcome is the result of a Trial.
type Outcome struct {
	OK     bool
	Result json.RawMessage
	// Code is the error code, Message its text and Line the line in the author's source, 0 for none.
	Code, Message string
	Line          int
}

// Options are the dependencies of a Module.
type Options struct {
	DB *store.DB
	// Log receives errors about live tools that cannot be offered.
	Log      *slog.Logger
	Compiler Compiler
	// CompilerID identifies the compiler and its version, for stored output.
	CompilerID string
	Grants     Grants
	Secrets    Secrets
	Names      Names
	// Runs executes tools, live ones and dry runs; nil executes none.
	Runs Runs
	// Smoke checks tools before a bundle is sealed: by Runs when nil.
	Smoke Smoke
	// Calls reserves budget for calls of live tools.
	Calls Calls
	// Placeholders issues placeholders for secrets; nil lets no tool run that refers to a secret.
	Placeholders Placeholders
	// FreezeTime bounds a freeze; 45 seconds when zero.
	FreezeTime time.Duration
	// IsWireNameTaken reports whether a tool of the product has this wire name; nil means no.
	IsWireNameTaken func(wire string) bool
}

// Module provides the operations, access rules and tools of agents.
type Module struct{ service *service }

// New creates the module.
func New(o Options) *Module {
	if o.Smoke == nil && o.Runs != nil {
		o.Smoke = sandboxSmoke{o.Runs}
	}
	s := &service{Options: o, queue: newCompileQueue()}
	type queries = *agentdb.Queries
	s.agents = access.Table[queries, agentdb.Agent]{
		Kind: kind, DB: o.DB, Queries: s.queries, Find: queries.Agent, Lock: queries.LockAgent, Bump: queries.BumpAgent,
		Named: queries.AgentBySlug, Guesses: &access.Guesses{DB: o.DB, Record: recordGuess},
		Head: func(r agentdb.Agent) access.Head { return access.Head{ID: r.ID, Name: r.Name, Revision: r.Revision} },
	}
	return &Module{s}
}

type service struct {
	Options

	agents access.Table[*agentdb.Queries, agentdb.Agent]
	queue  *compileQueue
}

func (s *service) queries(ctx context.Context) *agentdb.Queries { return agentdb.New(s.DB.Conn(ctx)) }
