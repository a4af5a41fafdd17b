// Package policy stores the administrators' settings for tools: whether a tool can be used, whether its changes
// always need confirmation, and whether they need a second person. Each call reads them from PostgreSQL, so a change
// takes effect in all processes at once.
package policy

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/modules/policy/policydb"
	"countersign/tool"
	"countersign/tool/disposition"
)

// firstRevision is the revision of a policy that was never set.
const firstRevision = 1

// ToolPolicy is the policy of one tool.
type ToolPolicy struct {
	ToolName    string      `json:"toolName"`
	Title       string      `json:"title,omitempty" doc:"What people call it, for an administrative operation that no model is offered"`
	Description string      `json:"description" doc:"What the model is told about the tool"`
	Effect      tool.Effect `json:"effect" enum:"read,mutate,destructive"`
	ByHand      bool        `json:"byHand,omitempty" doc:"Only a person in a session does it: no application, connected program or tool call"`
	Own         bool        `json:"own" doc:"Its changes affect only the caller, so they can have no second person"`
	disposition.Policy
	rest.Revised
	UpdatedBy string     `json:"updatedBy,omitempty" doc:"Name of who changed it last"`
	UpdatedAt *time.Time `json:"updatedAt,omitempty"`
}

// Tools are the tools that can have a policy.
type Tools interface {
	All() []tool.Tool
	// Made returns the custom tools that p may use.
	Made(ctx context.Context, p principal.Principal) ([]tool.Tool, error)
	// Fixed finds a tool of the product by its dotted or wire name, Lookup also custom tools.
	Fixed(name string) (tool.Tool, bool)
	Lookup(ctx context.Context, name string) (tool.Tool, bool, error)
	// Visible is Lookup limited to the custom tools that p may see.
	Visible(ctx context.Context, p principal.Principal, name string) (tool.Tool, bool, error)
}

// People counts possible second persons.
type People interface {
	// Holders counts the people who hold all of the rules, up to a limit.
	Holders(ctx context.Context, rules []string, most int) (int, error)
}

// Module provides the operations and access rules of tool policies. It implements disposition.Policies.
type Module struct {
	db     *store.DB
	tools  Tools
	people People
}

// New creates the module.
func New(db *store.DB, tools Tools, people People) *Module {
	return &Module{db: db, tools: tools, people: people}
}

// Exceptions implements disposition.Policies.
func (m *Module) Exceptions(ctx context.Context) (map[string]disposition.Policy, error) {
	rows, err := m.queries(ctx).Exceptions(ctx)
	if err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	return exceptionsIn(rows), nil
}

// exceptionsIn returns the policies by every name that they apply to. Several policies for one name are combined.
func exceptionsIn(rows []policydb.ExceptionsRow) map[string]disposition.Policy {
	exceptions := make(map[string]disposition.Policy, len(rows))
	for _, row := range rows {
		p, there := exceptions[row.ToolName]
		if !there {
			p = disposition.DefaultPolicy
		}
		p.Enabled, p.AlwaysConfirm, p.TwoPerson = p.Enabled && row.Enabled, p.AlwaysConfirm || row.AlwaysConfirm,
			p.TwoPerson || row.TwoPerson
		if p != disposition.DefaultPolicy {
			exceptions[row.ToolName] = p
		}
	}
	return exceptions
}

type policyQuestion struct{ m *Module }

// Question reads the Exceptions in the batch of another query.
func (m *Module) Question() *store.BatchedQuery[map[string]disposition.Policy] {
	return store.NewBatchedQuery(policyQuestion{m}, func(b *store.Batch) func() map[string]disposition.Policy {
		var rows []policydb.ExceptionsRow
		policydb.QueueExceptions(b, &rows)
		return func() map[string]disposition.Policy { return exceptionsIn(rows) }
	})
}

// List returns the policy of every tool, by the tool's name.
func (m *Module) List(ctx context.Context) ([]ToolPolicy, error) {
	rows, err := m.queries(ctx).Policies(ctx)
	if err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	set := make(map[string]policydb.AiToolPolicy, len(rows))
	for _, row := range rows {
		set[row.ToolName] = row
	}
	made, err := m.customTools(ctx, rows)
	if err != nil {
		return nil, err
	}
	policies := []ToolPolicy{}
	for _, t := range slices.Concat(m.tools.All(), made) {
		row, ok := set[t.Name]
		policies = append(policies, shown(t, row, ok))
	}
	return policies, nil
}

// customTools returns the listed custom tools: those that the reader may use, and those with a policy.
func (m *Module) customTools(ctx context.Context, rows []policydb.AiToolPolicy) ([]tool.Tool, error) {
	made, err := m.tools.Made(ctx, principal.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		same := func(t tool.Tool) bool { return t.Name == row.ToolName }
		if _, ok := m.tools.Fixed(row.ToolName); ok || slices.ContainsFunc(made, same) {
			continue
		}
		t, ok, err := m.madeTool(ctx, row.ToolName, true)
		if err != nil {
			return nil, err
		}
		if ok {
			made = append(made, t)
		}
	}
	slices.SortFunc(made, func(a, b tool.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return made, nil
}

// Get returns the policy of one tool, by its dotted or wire name.
func (m *Module) Get(ctx context.Context, name string) (ToolPolicy, error) {
	t, err := m.find(ctx, name)
	if err != nil {
		return ToolPolicy{}, err
	}
	row, err := m.queries(ctx).Policy(ctx, t.Name)
	if err != nil && !store.NoRows(err) {
		return ToolPolicy{}, fmt.Errorf("load policy of %s: %w", t.Name, err)
	}
	return shown(t, row, err == nil), nil
}

// Change changes the fields that are not nil.
type Change struct {
	Enabled       *bool `json:"enabled,omitempty"`
	AlwaysConfirm *bool `json:"alwaysConfirm,omitempty"`
	TwoPerson     *bool `json:"twoPerson,omitempty"`
	// Anyway requires a second person even if there is none.
	Anyway *bool `json:"anyway,omitempty" doc:"Ask for a second person although fewer than two people could apply such a change, or could take the policy back"`
}

// Update changes the policy of a tool if it still has the revision based; nil means any.
func (m *Module) Update(ctx context.Context, name string, c Change, based *int64) (ToolPolicy, error) {
	t, err := m.find(ctx, name)
	if err != nil {
		return ToolPolicy{}, err
	}
	if err := c.fits(t); err != nil {
		return ToolPolicy{}, err
	}
	return store.InTx(ctx, m.db, func(ctx context.Context) (ToolPolicy, error) {
		changed, _, err := m.savePolicy(ctx, t, c, based)
		return changed, err
	})
}

// fits refuses settings that a tool cannot have.
func (c Change) fits(t tool.Tool) error {
	if t.Effect == tool.Read && (isSet(c.AlwaysConfirm) || isSet(c.TwoPerson)) {
		path := "twoPerson"
		if isSet(c.AlwaysConfirm) {
			path = "alwaysConfirm"
		}
		return problem.InvalidInput("The tool "+t.Name+" only reads, so there is nothing to decide about. It can be switched off.",
			problem.Issue{Path: path, Message: "cannot be set for a tool that reads"})
	}
	if t.Name == changeTool && c.Enabled != nil && !*c.Enabled {
		return problem.InvalidInput("Changing policies cannot be switched off: it could never be switched on again.",
			problem.Issue{Path: "enabled", Message: "cannot be false for " + changeTool})
	}
	if t.Access.Personal && isSet(c.TwoPerson) {
		return problem.InvalidInput(
			"The changes of "+t.Name+" affect only the caller's own data, so there can be no second person. They can always ask "+
				"first, or be switched off.",
			problem.Issue{Path: "twoPerson", Message: "cannot be set for a tool whose changes are one's own"},
		)
	}
	return nil
}

// savePolicy changes the policy of a tool in the transaction of ctx, and reports whether it changed.
func (m *Module) savePolicy(ctx context.Context, t tool.Tool, c Change, based *int64) (now ToolPolicy, changed bool, err error) {
	q, who := m.queries(ctx), principal.FromContext(ctx)
	if err := q.EnsurePolicy(ctx, t.Name); err != nil {
		return now, false, fmt.Errorf("store policy: %w", err)
	}
	row, err := q.LockPolicy(ctx, t.Name)
	if err != nil {
		return now, false, fmt.Errorf("lock policy: %w", err)
	}
	if err := problem.CheckRevision("policy of "+t.Name, row.Revision, based); err != nil {
		return now, false, err
	}
	if isSet(c.TwoPerson) && !row.TwoPerson && !isSet(c.Anyway) {
		if err := m.checkSecondPerson(ctx, t); err != nil {
			return now, false, err
		}
	}
	updated, err := q.UpdatePolicy(ctx, policydb.UpdatePolicyParams{
		ToolName: t.Name, Enabled: or(c.Enabled, row.Enabled), AlwaysConfirm: or(c.AlwaysConfirm, row.AlwaysConfirm),
		TwoPerson: or(c.TwoPerson, row.TwoPerson), UpdatedByID: new(who.ID), UpdatedByName: &who.Name,
	})
	if err != nil {
		return now, false, fmt.Errorf("update policy: %w", err)
	}
	return shown(t, updated, true), policyOf(row) != policyOf(updated), m.record(ctx, row, updated)
}

// find accepts the wire name of a product's tool, too. Custom tools need the dotted name, because the checks on
// loosening (loosens, frees) use the name as written.
func (m *Module) find(ctx context.Context, name string) (tool.Tool, error) {
	t, ok := m.tools.Fixed(name)
	if !ok {
		_, err := m.queries(ctx).Policy(ctx, name)
		if err != nil && !store.NoRows(err) {
			return t, fmt.Errorf("load policy: %w", err)
		}
		if t, ok, err = m.madeTool(ctx, name, err == nil); err != nil {
			return t, err
		}
	}
	if !ok {
		return t, problem.Errorf(problem.NotFound, "There is no such tool. List the policies to see all tools.")
	}
	return t, nil
}

// madeTool finds a custom tool by its dotted name, if the caller sees it. With a stored policy it is found without
// its description, so that the policy can be removed.
func (m *Module) madeTool(ctx context.Context, name string, stored bool) (tool.Tool, bool, error) {
	t, ok, err := m.tools.Visible(ctx, principal.FromContext(ctx), name)
	if err != nil {
		return tool.Tool{}, false, err
	}
	if !ok && stored {
		if t, ok, err = m.tools.Lookup(ctx, name); err != nil {
			return tool.Tool{}, false, err
		}
		t.Description = ""
	}
	return t, ok && t.Name == name, nil
}

func (m *Module) queries(ctx context.Context) *policydb.Queries { return policydb.New(m.db.Conn(ctx)) }

func policyOf(row policydb.AiToolPolicy) disposition.Policy {
	return disposition.Policy{Enabled: row.Enabled, AlwaysConfirm: row.AlwaysConfirm, TwoPerson: row.TwoPerson}
}

func shown(t tool.Tool, row policydb.AiToolPolicy, stored bool) ToolPolicy {
	p := ToolPolicy{
		ToolName: t.Name, Title: t.Identity.Title, ByHand: t.Policy.ByHand, Description: t.Description, Effect: t.Effect,
		Own: t.Access.Personal, Policy: disposition.DefaultPolicy, Revised: rest.Revised{Revision: firstRevision},
	}
	if !stored {
		return p
	}
	p.Policy, p.Revision = policyOf(row), row.Revision
	if row.UpdatedByName != nil {
		p.UpdatedBy, p.UpdatedAt = *row.UpdatedByName, &row.UpdatedAt
	}
	return p
}

func isSet(b *bool) bool { return b != nil && *b }

func or(b *bool, before bool) bool {
	if b == nil {
		return before
	}
	return *b
}
