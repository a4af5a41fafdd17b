// Package trust stores the administrators' policy for MCP clients: which connected programs may decide on proposals
// for the people who connected them. Package mcp/endpoint limits the decisions of a trusted program further.
package trust

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/api/mcp/trust/trustdb"
	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
)

// Manage is the access rule of the policy.
const Manage = "mcp.policy.manage"

// maxTrusted limits the trusted programs.
const maxTrusted = 100

// Policies stores the policy.
type Policies struct{ db *store.DB }

// New makes the policies of MCP servers.
func New(db *store.DB) *Policies { return &Policies{db} }

// Program is a connected program, as lists show it.
type Program struct {
	ID     uuid.UUID `json:"id" doc:"Its programId in the list of connected programs"`
	Name   string    `json:"name" doc:"Its own name for itself, unverified"`
	Origin string    `json:"origin,omitempty" doc:"The host of its metadata document; absent for a program that has registered itself"`
}

// Policy is the current policy.
type Policy struct {
	Trusted []Program `json:"trusted" nullable:"false" doc:"Programs that may decide for their people about changes that remove nothing, need no second person and no decision in person"`
	rest.Revised
}

// Choice is the new policy.
type Choice struct {
	Trusted []uuid.UUID `json:"trusted" nullable:"false" maxItems:"100" doc:"programId of connected programs"`
}

// Rules returns its access rules.
func (*Policies) Rules() []principal.Rule {
	return []principal.Rule{{ID: Manage, Description: "Choose which connected programs may decide for their people"}}
}

// Routes adds its routes.
func (m *Policies) Routes(api huma.API) {
	const path = "/api/mcp/policy"
	huma.Register(api, rest.Op("get-mcp-policy", http.MethodGet, path, "See which programs may decide for their people", rest.Rules(Manage)),
		func(ctx context.Context, _ *struct{}) (*rest.Record[Policy], error) { return rest.Show(m.Get(ctx)) })
	huma.Register(api, rest.Op("set-mcp-policy", http.MethodPut, path, "Choose which programs may decide for their people",
		rest.Tool("mcpProgram.trust", rest.Mutates, rest.WithLoosening(m.mergeLoosened)), rest.Rules(Manage),
		rest.Doc("It holds from the next request of each program.")),
		func(ctx context.Context, in *struct {
			rest.IfMatch
			Body Choice
		},
		) (*rest.Record[Policy], error) {
			return rest.Show(m.Set(ctx, in.Body, in.Revision()))
		})
}

// Get returns the current policy.
func (m *Policies) Get(ctx context.Context) (Policy, error) {
	revision, err := trustdb.New(m.db.Conn(ctx)).Revision(ctx)
	if err != nil {
		return Policy{}, fmt.Errorf("read policy of MCP clients: %w", err)
	}
	return m.policy(ctx, revision)
}

func (m *Policies) policy(ctx context.Context, revision int64) (Policy, error) {
	rows, err := trustdb.New(m.db.Conn(ctx)).Trusted(ctx)
	if err != nil {
		return Policy{}, fmt.Errorf("list trusted programs: %w", err)
	}
	p := Policy{Trusted: make([]Program, 0, len(rows)), Revised: rest.Revised{Revision: revision}}
	for _, r := range rows {
		program := Program{ID: r.ID, Name: r.Name}
		if u, err := url.Parse(r.ClientID); err == nil && r.Kind == "document" {
			program.Origin = u.Host
		}
		p.Trusted = append(p.Trusted, program)
	}
	return p, nil
}

// Set replaces the policy. based is the revision that the change is based on, nil for any (optimistic concurrency).
func (m *Policies) Set(ctx context.Context, choice Choice, based *int64) (Policy, error) {
	if len(choice.Trusted) > maxTrusted {
		return Policy{}, problem.InvalidInput(
			"At most 100 programs can be trusted.",
			problem.Issue{Path: "trusted", Message: "has more than 100"},
		)
	}
	return store.InTx(ctx, m.db, func(ctx context.Context) (Policy, error) {
		q := trustdb.New(m.db.Conn(ctx))
		revision, err := q.LockPolicy(ctx)
		if err != nil {
			return Policy{}, fmt.Errorf("lock policy of MCP clients: %w", err)
		}
		if err := problem.CheckRevision("policy of MCP clients", revision, based); err != nil {
			return Policy{}, err
		}
		before, err := m.policy(ctx, revision)
		if err != nil {
			return Policy{}, err
		}
		if err := m.check(ctx, choice); err != nil {
			return Policy{}, err
		}
		was, is := idsOf(before.Trusted), sortedIDs(choice.Trusted)
		if slices.Equal(was, is) {
			return before, nil
		}
		if err := q.Distrust(ctx, choice.Trusted); err != nil {
			return Policy{}, fmt.Errorf("trust programs no more: %w", err)
		}
		if err := q.Trust(ctx, choice.Trusted); err != nil {
			return Policy{}, fmt.Errorf("trust programs: %w", err)
		}
		if revision, err = q.BumpRevision(ctx); err != nil {
			return Policy{}, fmt.Errorf("renew policy of MCP clients: %w", err)
		}
		var fields audit.Fields
		fields.Compare("trusted", was, is)
		if err := audit.Record(ctx, m.db, audit.Event{
			Action:  audit.Changed,
			Object:  audit.Ref{Type: auditType, ID: auditID},
			Summary: "Programs that may decide for their people were chosen",
			Fields:  fields,
		}); err != nil {
			return Policy{}, err
		}
		return m.policy(ctx, revision)
	})
}

// mergeLoosened reports that a change trusts another program.
func (m *Policies) mergeLoosened(ctx context.Context, input json.RawMessage, _ []string) (rest.Loosening, error) {
	var choice Choice
	if err := json.Unmarshal(input, &choice); err != nil {
		return rest.Loosening{Widens: true}, nil //nolint:nilerr // the operation refuses what it cannot read
	}
	before, err := m.Get(ctx)
	if err != nil {
		return rest.Loosening{}, err
	}
	trusted := idsOf(before.Trusted)
	return rest.Loosening{Widens: slices.ContainsFunc(sortedIDs(choice.Trusted),
		func(id string) bool { return !slices.Contains(trusted, id) })}, nil
}

// check refuses ids of unknown programs.
func (m *Policies) check(ctx context.Context, choice Choice) error {
	known, err := trustdb.New(m.db.Conn(ctx)).LockClients(ctx, choice.Trusted)
	if err != nil {
		return fmt.Errorf("find programs: %w", err)
	}
	var issues problem.Issues
	for i, id := range choice.Trusted {
		if !slices.Contains(known, id) {
			issues.Report(fmt.Sprintf("trusted[%d]", i), "names no program; list the connected programs of everybody to see what exists")
		}
	}
	return issues.Err()
}

func idsOf(programs []Program) []string {
	ids := make([]uuid.UUID, len(programs))
	for i, p := range programs {
		ids[i] = p.ID
	}
	return sortedIDs(ids)
}

// sortedIDs returns the ids as sorted texts without duplicates.
func sortedIDs(ids []uuid.UUID) []string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Trusts reports whether the program may decide for the person who connected it now.
func (m *Policies) Trusts(ctx context.Context, program principal.Client) (bool, error) {
	trusted, err := trustdb.New(m.db.Conn(ctx)).Trusts(ctx, program.ID)
	if err != nil {
		return false, fmt.Errorf("read policy of MCP clients: %w", err)
	}
	return trusted, nil
}

// The one object of its type in the audit log.
const (
	auditType = "mcp.policy"
	auditID   = "policy"
)

// The type in the audit log, as people read it.
var auditedPolicy = audit.Declare(audit.Type{ID: auditType, Label: "Policy of MCP clients", Kept: []string{"trusted"}})

// Audited lets managers of the policy read its history.
func (m *Policies) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedPolicy, Manage, func(_ context.Context, id string) error {
		if id != auditID {
			return problem.Errorf(problem.NotFound, "There is no object with this id.")
		}
		return nil
	})}
}
