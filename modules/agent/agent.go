// Package agent is what people make of a prompt, skills and tools that they write themselves.
//
// An agent owns revisions. A revision holds a bundle: agent.md, skills, a spec and tools, each with its source, schema, compiled
// form, source map and capabilities. A draft can be written; freezing seals it as ready, promoting makes it the one live revision
// of its agent and archives the one before, and going back is to promote an older one. Rows in PostgreSQL are the only form
// of a bundle.
//
// Each write is one transaction that locks the agent, then decides by its grants and by the state and ETag of the revision.
// Tools are compiled before that, outside of it; what was decided before is decided again in it.
package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/modules/agent/agentdb"
	"countersign/principal"
	"countersign/script/typescript"
	"countersign/store"
)

// ObjectType is what grants on single agents are kept under.
const ObjectType = "agent.agent"

var kind = access.Kind{Noun: "agent", Plural: "agents", ObjectType: ObjectType, Read: Read, Manage: Manage}

// Compiler makes JavaScript of a tool and says what is wrong with it. *typescript.Compiler is one.
type Compiler interface {
	CompileTool(ctx context.Context, s typescript.ToolSource) (typescript.CompiledTool, error)
}

// Grants are what is held on single agents.
type Grants interface {
	// Begin makes p the owner of a new agent, which is closed to everybody else when it is private.
	Begin(ctx context.Context, id uuid.UUID, p principal.Principal, private bool) error
	// Remove deletes everything that is kept about an object.
	Remove(ctx context.Context, objectType string, id uuid.UUID) error
}

// Secrets is the vault, as the principal of the context.
type Secrets interface {
	// Exist is nil when all these secrets exist, and for who may not know.
	Exist(ctx context.Context, names []string) error
}

// Names finds what principals are called. Who is gone is missing in the answer.
type Names interface {
	Names(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]string, error)
}

// Smoke runs compiled tools where nobody has to trust them, before a bundle is sealed.
type Smoke interface {
	Try(ctx context.Context, t Trial) (Outcome, error)
}

// Trial is one run of a compiled tool, or without an action the loading of its module. Secrets are what ctx.secrets.ref answers, by
// name; Masked names those that stars stand in for in the outcome.
type Trial struct {
	Tool, JS  string
	SourceMap []byte
	Action    string
	Args      json.RawMessage
	Secrets   map[string]string
	Masked    []string
	Timeout   time.Duration
}

// Outcome is how a Trial went.
type Outcome struct {
	OK     bool
	Result json.RawMessage
	// Code is the code of what went wrong, Message its words and Line where in the author's source, 0 for nowhere.
	Code, Message string
	Line          int
}

// Options are what a Module is made of.
type Options struct {
	DB *store.DB
	// Log is told of live tools that cannot be offered.
	Log      *slog.Logger
	Compiler Compiler
	// CompilerID is the identity of what Compiler makes of a source.
	CompilerID string
	Grants     Grants
	Secrets    Secrets
	Names      Names
	// Runs calls tools, live ones and those that somebody tries out; nil calls none.
	Runs Runs
	// Smoke tries tools before a bundle is sealed: by Runs when nil.
	Smoke Smoke
	// Calls reserve the calls of live tools.
	Calls Calls
	// Placeholders stand for secrets; nil lets no tool run that refers to one.
	Placeholders Placeholders
	// FreezeTime is how long a freeze may take; 45 seconds when zero.
	FreezeTime time.Duration
	// Taken reports whether a tool of the product has this name on the wire; nil says no.
	Taken func(wire string) bool
}

// Module is the agents: their operations and access rules.
type Module struct{ service *service }

// New makes the module.
func New(o Options) *Module {
	if o.Smoke == nil && o.Runs != nil {
		o.Smoke = sandboxed{o.Runs}
	}
	s := &service{Options: o, lines: newLines()}
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
	lines  *lines
}

func (s *service) queries(ctx context.Context) *agentdb.Queries { return agentdb.New(s.DB.Conn(ctx)) }
