package catalog

import (
	"embed"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

//go:embed playbook.md
var playbook string

// teamsRead is the rule of the people module that listing teams needs.
const teamsRead = "auth.teams.read"

// Where the tools find records.
var (
	systemsAPI      = kit.Collection[System]{Kind: systemKind, Path: "/api/catalog/systems"}
	groupsAPI       = kit.Collection[Group]{Kind: groupKind, Path: "/api/catalog/groups"}
	environmentsAPI = kit.Collection[Environment]{Kind: environmentKind, Path: "/api/catalog/environments"}
	teamsAPI        = kit.Collection[Reference]{Path: "/api/teams"}
	usersAPI        = kit.Collection[Reference]{Path: "/api/users"}
)

// Tools are the tools of the catalog. They hold nothing of the module: each call goes through the caller's client.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{
		listSystemsTool(), getSystemTool(), listGroupsTool(), listEnvironmentsTool(), listTeamsTool(),
		createSystemTool(), updateSystemTool(), deleteSystemTool(), setSystemOwnerTool(), setSystemEnvironmentsTool(),
		addSystemContactTool(), removeSystemContactTool(), addSystemLinkTool(), removeSystemLinkTool(),
		createGroupTool(), updateGroupTool(), deleteGroupTool(), addSystemToGroupTool(), removeSystemFromGroupTool(),
		createEnvironmentTool(), updateEnvironmentTool(), deleteEnvironmentTool(),
	}
}

// Playbooks are the sections of the system prompt about the catalog. A health check often comes with a new system.
func (*Module) Playbooks() []tool.Playbook {
	return []tool.Playbook{
		kit.NewPlaybook("catalog", playbook, "catalog.createSystem", "catalog.createEnvironment", "healthcheck.propose"),
	}
}

// Targets implements tool.Targeted: what makes a record is about none that is there.
func (NewSystem) Targets() []tool.Target { return nil }

// Targets implements tool.Targeted.
func (NewGroup) Targets() []tool.Target { return nil }

// Targets implements tool.Targeted.
func (NewEnvironment) Targets() []tool.Target { return nil }

// briefSystem is the part of a system for a model.
type briefSystem struct {
	ID           uuid.UUID `json:"id"`
	Name         string    `json:"name"`
	Description  string    `json:"description,omitempty"`
	Tags         []string  `json:"tags,omitempty"`
	Owners       []string  `json:"owners,omitempty" jsonschema:"description=Names of the teams that own it."`
	Groups       []string  `json:"groups,omitempty"`
	Environments []string  `json:"environments,omitempty"`
}

func brief(s System) briefSystem {
	b := briefSystem{
		ID:           s.ID,
		Name:         s.Name,
		Description:  s.Description,
		Tags:         s.Tags,
		Groups:       names(s.Groups),
		Environments: names(s.Environments),
	}
	for _, owner := range s.Owners {
		b.Owners = append(b.Owners, owner.TeamName)
	}
	return b
}

func names(references []Reference) []string {
	var list []string
	for _, r := range references {
		list = append(list, r.Name)
	}
	return list
}

// systemOutput is the system after the change.
type systemOutput struct {
	System briefSystem `json:"system"`
}

func newSystemOutput(s System) systemOutput { return systemOutput{System: brief(s)} }

// briefGroup is the part of a group for a model.
type briefGroup struct {
	ID          uuid.UUID   `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	SystemIDs   []uuid.UUID `json:"systemIds,omitempty"`
}

// groupOutput is the group after the change.
type groupOutput struct {
	Group briefGroup `json:"group"`
}

func newGroupOutput(g briefGroup) groupOutput { return groupOutput{Group: g} }

// briefEnvironment is the part of an environment for a model.
type briefEnvironment struct {
	ID          uuid.UUID   `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Fields      Record      `json:"fields,omitempty"`
	SystemIDs   []uuid.UUID `json:"systemIds,omitempty"`
}

// environmentOutput is the environment after the change.
type environmentOutput struct {
	Environment briefEnvironment `json:"environment"`
}

func newEnvironmentOutput(e briefEnvironment) environmentOutput {
	return environmentOutput{Environment: e}
}

// nameSet is a set of names in a diff: each is a key, so that adding one does not move the others.
func nameSet(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}
