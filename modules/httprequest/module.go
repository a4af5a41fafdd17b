// Package httprequest sends HTTP requests for the assistant and for programs, and is the one place where what custom tools get in
// place of a secret becomes its value.
//
// A custom tool has no network. What it gets for a secret is a placeholder, "nonce_" and 32 hex digits, which means nothing to
// anybody. In a request of this package the placeholder stands for the value: for the principal whose run it was made for, while
// the revision of the agent that it was made in is live, until it expires, and towards hosts to which the spec of that revision
// pins the secret. The value goes into a place of the URL, of a header or of the body, escaped for that place; it is taken out of
// whatever comes back, and no row, log or error holds it.
package httprequest

import (
	"context"
	"embed"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/egress"
	"countersign/modules/httprequest/httprequestdb"
	"countersign/principal"
	"countersign/secret"
	"countersign/store"
	"countersign/store/chore"
	"countersign/store/exactlyonce"
	"countersign/store/quota"
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

// Calls reserve tool calls and keep their audit rows. *budget.Budget is one.
type Calls interface {
	Reserve(ctx context.Context, c budget.Call) (uuid.UUID, error)
	Finish(ctx context.Context, id uuid.UUID, failure error) error
}

// Agents are what custom tools belong to.
type Agents interface {
	// Pins are the secrets of a revision and the hosts that each is pinned to, in the form of egress.ParsePin, with the name of the
	// agent: while the revision is live and the principal of ctx may use it. Otherwise it is a problem.
	Pins(ctx context.Context, agent, revision uuid.UUID) (name string, pins map[string][]string, err error)
}

// Secrets are the values of the vault.
type Secrets interface {
	// Use returns the values of secrets, and keeps on record who used them for what.
	Use(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error)
}

// Options are what a Module is made of.
type Options struct {
	DB    *store.DB
	Log   *slog.Logger
	Guard *egress.Guard
	Calls Calls
	// Quota and Most bound how many requests of one principal run at once.
	Quota *quota.Limiter
	Most  int
	// Once keeps what was sent with a key.
	Once   *exactlyonce.Ledger
	Agents Agents
	// Secrets is nil where there is no vault: then no placeholder has a value.
	Secrets Secrets
	// Expire is how long a placeholder can be used. It is longer than any proposal waits.
	Expire time.Duration
}

// Module is the requests: their operations, their tool and the placeholders.
type Module struct {
	Options

	sending quota.Kind
}

// New makes the module.
func New(o Options) *Module {
	return &Module{
		o,
		quota.Kind{Name: "http-request", Plural: "requests running", Max: o.Most, TTL: MaxTimeout + time.Minute, RetryAfter: 5 * time.Second},
	}
}

func (m *Module) queries(ctx context.Context) *httprequestdb.Queries {
	return httprequestdb.New(m.DB.Conn(ctx))
}

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool { return []tool.Tool{m.requestTool()} }

// Chores are what has to be done now and then.
func (m *Module) Chores() []chore.Chore {
	return []chore.Chore{{Name: "prune placeholders of secrets", Every: 10 * time.Minute, Do: m.Prune}}
}

// Prune deletes placeholders that cannot be used any more.
func (m *Module) Prune(ctx context.Context) error {
	if err := m.queries(ctx).PrunePlaceholders(ctx); err != nil {
		return fmt.Errorf("prune placeholders: %w", err)
	}
	return nil
}
