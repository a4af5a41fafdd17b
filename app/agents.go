package app

import (
	"context"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/auth"
	"countersign/modules/agent"
	"countersign/principal"
	"countersign/script/typescript"
)

// buildAgents makes the agents, and what compiles their tools in a process that serves the API.
func (a *App) buildAgents(p *parts) {
	o := agent.Options{DB: a.db, CompilerID: typescript.ToolCompiler(), Grants: agentGrants{p.auth.Grants}, Secrets: p.vault, Names: names{p.auth.Directory}, Runs: p.tests}
	if a.roles.API {
		a.toolCompiler = typescript.New(typescript.Options{Processes: 2})
		o.Compiler = a.toolCompiler
	}
	p.agents = agent.New(o)
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
