package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/auth"
	"countersign/egress"
	"countersign/modules/agent"
	"countersign/modules/httprequest"
	"countersign/modules/mcpserver"
	"countersign/modules/vault"
	"countersign/principal"
	"countersign/script/typescript"
	"countersign/secret"
)

// buildAgents makes the agents, and what compiles their tools in a process that serves the API.
func (a *App) buildAgents(p *parts) {
	o := agent.Options{
		DB:           a.db,
		Log:          a.log,
		CompilerID:   typescript.ToolCompiler(),
		Grants:       agentGrants{p.auth.Grants},
		Secrets:      p.vault,
		Names:        names{p.auth.Directory},
		Runs:         p.tests,
		Calls:        p.budget,
		Placeholders: placeholders{p},
		IsWireNameTaken:        func(wire string) bool { _, taken := p.registry.Fixed(wire); return taken },
	}
	if a.roles.API {
		// Sources of one author are compiled one after the other, so who sends hard ones leaves two processes to all others.
		a.toolCompiler = typescript.New(typescript.Options{Processes: 3})
		o.Compiler = a.toolCompiler
	}
	p.agents = agent.New(o)
}

// placeholderSlack is how long a placeholder waits for the proposal that it stands in.
const placeholderSlack = time.Hour

// buildServers makes the MCP servers of others.
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

// buildRequests makes the requests of the assistant and of programs, and the placeholders of secrets.
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
		// A placeholder is good for as long as a proposal with it can wait, and the call before it.
		Expire: max(a.config.ProposalTTL, a.config.SecondPersonTTL) + placeholderSlack,
	})
}

// requestSecrets gives the values of secrets to requests: to whom the agent is shared, which its owner has decided, with the rule of
// the vault, that names the secret; and to calls of MCP servers, for which an administrator has named it. They are on record as those
// who used it.
type requestSecrets struct{ *vault.Module }

// Use implements httprequest.Secrets and mcpserver.Secrets.
func (s requestSecrets) Use(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error) {
	p.Rules = []string{vault.Read}
	return s.Resolve(ctx, p, names, purpose)
}

// placeholders are those of requests, which are made after the agents.
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

// agentGrants are the grants as agents begin with them.
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
