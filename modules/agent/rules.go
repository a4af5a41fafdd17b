package agent

import "countersign/internal/principal"

// The access rules of agents. Grants on single agents add to them: a viewer sees and uses an agent, an editor writes
// its drafts, an owner freezes, promotes, archives and deletes.
const (
	Read   = "agent.agent.read"
	Manage = "agent.agent.manage"
)

// Rules returns its access rules.
func (*Module) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: Read, Description: "See agents that are not private, and use the tools of live ones"},
		{ID: Manage, Description: "Make agents, and write, freeze, promote and delete those that are not private"},
	}
}
