package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/modules/agent"
	"countersign/modules/httprequest"
	"countersign/modules/mcpserver"
	"countersign/modules/vault"
	"countersign/script/typescript"
)

// buildAgents constructs the agents, and in an API process the compiler of their tools.
func (a *App) buildAgents(p *parts) {
	o := agent.Options{
		DB:              a.db,
		Log:             a.log,
		CompilerID:      typescript.ToolCompiler(),
		Grants:          agentGrants{p.auth.Grants},
		Secrets:         p.vault,
		Names:           names{p.auth.Directory},
		Runs:            p.tests,
		Calls:           p.budget,
		Placeholders:    placeholders{p},
		IsWireNameTaken: func(wire string) bool { _, taken := p.registry.Fixed(wire); return taken },
	}
	if a.roles.API {
		// The compiler runs one author's sources one after the other, so an author of hard sources leaves two processes
		// to the others.
		a.toolCompiler = typescript.New(typescript.Options{Processes: 3})
		o.Compiler = a.toolCompiler
	}
	p.agents = agent.New(o)
}

// placeholderSlack extends the lifetime of a secret's placeholder beyond that of its proposal.
const placeholderSlack = time.Hour

// buildServers constructs the client of external MCP servers.
func (a *App) buildServers(p *parts, guard *egress.Guard) {
	p.servers = mcpserver.New(mcpserver.Options{
		DB:      a.db,
		Log:     a.log,
		Guard:   guard,
		Grants:  p.auth.Grants,
		Secrets: requestSecrets{p.vault},
		Calls:   p.budget,
		Quota:   p.quota,
		Most:    a.config.MaxRunningProbes,
		Once:    p.once,
		Version: Version,
		Sealer:  p.keys,
		URL:     a.config.URL,
	})
}

// buildRequests constructs the HTTP request tools of the assistant and of programs, and the secret placeholders.
func (a *App) buildRequests(p *parts, guard *egress.Guard) {
	p.requests = httprequest.New(httprequest.Options{
		DB:      a.db,
		Log:     a.log,
		Guard:   guard,
		Calls:   p.budget,
		Quota:   p.quota,
		Most:    a.config.MaxRunningProbes,
		Once:    p.once,
		Agents:  p.agents,
		Secrets: requestSecrets{p.vault},
		// A placeholder must outlive the proposal that contains it, and the call before that.
		Expire: max(a.config.ProposalTTL, a.config.SecondPersonTTL) + placeholderSlack,
	})
}

// requestSecrets resolves secrets for requests: of a shared agent, whose owner has the vault's rule and named the
// secret, and of MCP server calls, for which an administrator named it. The audit log records the caller as the user of
// the secret.
type requestSecrets struct{ *vault.Module }

// Use implements httprequest.Secrets and mcpserver.Secrets.
func (s requestSecrets) Use(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error) {
	p.Rules = []string{vault.Read}
	return s.Resolve(ctx, p, names, purpose)
}

// placeholders resolves secret placeholders late, as requests are constructed after agents.
type placeholders struct{ p *parts }

// Mint implements agent.Placeholders.
func (m placeholders) Mint(
	ctx context.Context,
	p principal.Principal,
	of, revision uuid.UUID,
	tool string,
	secrets []string,
) (map[string]string, error) {
	return m.p.requests.Mint(ctx, httprequest.Run{Principal: p, Agent: of, Revision: revision, Tool: tool}, secrets)
}

// agentGrants adapts grants to new agents.
type agentGrants struct{ *auth.Grants }

// Begin implements agent.Grants.
func (g agentGrants) Begin(ctx context.Context, id uuid.UUID, p principal.Principal, private bool) error {
	begin := auth.Access{Private: private, Grants: []auth.Grant{}}
	if p.Kind == principal.User || p.Kind == principal.Application {
		begin.Grants = append(begin.Grants, auth.Grant{SubjectType: string(p.Kind), SubjectID: p.ID, Relation: access.Own})
	}
	_, err := g.SetAccess(ctx, agent.ObjectType, id, begin)
	return err
}
