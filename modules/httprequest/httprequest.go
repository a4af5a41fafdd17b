// Package httprequest sends HTTP requests for the assistant and for programs, and is the only place where placeholders
// of custom tools become secrets.
//
// A custom tool has no network. For a secret it gets a placeholder, "nonce_" and 32 hex digits, which is useless
// elsewhere. In a request of this package the placeholder stands for the value: for the principal of its run, while the
// revision of its agent is live, until it expires, and towards hosts to which the spec of that revision pins the
// secret. The value is escaped for its place in the URL, a header or the body; it is masked in the response, and no
// row, log or error holds it.
package httprequest

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/chore"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/modules/httprequest/httprequestdb"
	"countersign/tool"
	"countersign/tool/budget"
)

//go:embed tool_*.md
var texts embed.FS

// Send lets its holder send requests.
const Send = "http.request.send"

// Rules are the access rules of the module.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{
			ID:          Send,
			Description: "Send HTTP requests from this server to public addresses, and with secrets of agents to the hosts that they are pinned to",
		},
	}
}

// Calls reserve tool calls and keep their audit rows; *budget.Budget implements it.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Agents own custom tools.
type Agents interface {
	// Pins are the secrets of a revision and the hosts that each is pinned to, in the form of egress.ParsePin, with the name of the
	// agent: while the revision is live and the principal of ctx may use it. Otherwise it is a problem.
	Pins(ctx context.Context, agent, revision uuid.UUID) (name string, pins map[string][]string, err error)
}

// Secrets are the values of the vault.
type Secrets interface {
	// Use returns the values of secrets, and records their use and its purpose.
	Use(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error)
}

// Options configure a Module.
type Options struct {
	DB    *store.DB
	Log   *slog.Logger
	Guard *egress.Guard
	Calls Calls
	// Quota and Most limit the concurrent requests of one principal.
	Quota *quota.Limiter
	Most  int
	// Once is the exactly-once ledger for requests with a key.
	Once   *exactlyonce.Ledger
	Agents Agents
	// Secrets is nil without a vault: then no placeholder has a value.
	Secrets Secrets
	// Expire is the lifetime of a placeholder. It is longer than any proposal waits.
	Expire time.Duration
}

// Module sends requests: operations, tool and placeholders.
type Module struct {
	Options

	sending quota.Kind
}

// New returns the module.
func New(o Options) *Module {
	return &Module{
		o,
		quota.Kind{Name: "http-request", Plural: "requests running", Max: o.Most, TTL: MaxTimeout + time.Minute, RetryAfter: 5 * time.Second},
	}
}

func (m *Module) queries(ctx context.Context) *httprequestdb.Queries {
	return httprequestdb.New(m.DB.Conn(ctx))
}

// Tools returns the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{m.requestTool()} }

// Chores returns the periodic jobs.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune placeholders of secrets", Every: 10 * time.Minute, Do: m.Prune}}
}

// Prune deletes expired placeholders.
func (m *Module) Prune(ctx context.Context) error {
	if err := m.queries(ctx).PrunePlaceholders(ctx); err != nil {
		return fmt.Errorf("prune placeholders: %w", err)
	}
	return nil
}
