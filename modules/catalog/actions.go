package catalog

import (
	"github.com/google/uuid"

	"countersign/automation/action"
)

// systemArtifact is what steps after an action see of its system.
type systemArtifact struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The system."`
	Name     string    `json:"name"`
}

// groupArtifact is the same of a group.
type groupArtifact struct {
	GroupID uuid.UUID `json:"groupId" jsonschema:"description=The group."`
	Name    string    `json:"name"`
}

// environmentArtifact is the same of an environment.
type environmentArtifact struct {
	EnvironmentID uuid.UUID `json:"environmentId" jsonschema:"description=The environment."`
	Name          string    `json:"name"`
}

var (
	systemArtifactType      = action.NewArtifactType[systemArtifact]("system", "System", "A system after an action.")
	groupArtifactType       = action.NewArtifactType[groupArtifact]("group", "Group", "A group of systems after an action.")
	environmentArtifactType = action.NewArtifactType[environmentArtifact]("environment", "Environment", "An environment after an action.")
)

// Actions are what automations do with the catalog.
func (*Module) Actions() []action.Action {
	const category = "Catalog"
	system := action.NewProduct(systemArtifactType, func(s System) systemArtifact { return systemArtifact{s.ID, s.Name} })
	group := action.NewProduct(groupArtifactType, func(g Group) groupArtifact { return groupArtifact{g.ID, g.Name} })
	environment := action.NewProduct(environmentArtifactType, func(e Environment) environmentArtifact {
		return environmentArtifact{e.ID, e.Name}
	})
	return []action.Action{
		action.FromTool(createSystemTool(), action.FromToolOptions{
			ID: "catalog.create_system", Name: "Create a system", Category: category, Done: "Created the system",
			Description: "Creates a system, with contacts, links, environments and groups if they are given. Its name is unique.",
			Config:      action.Config[NewSystem](), Produces: []action.Product{system},
		}),
		action.FromTool(updateSystemTool(), action.FromToolOptions{
			ID: "catalog.update_system", Name: "Change a system", Category: category, Done: "Changed the system",
			Description: "Changes name, description, metadata or tags of a system. What is left out stays.",
			Members:     []action.Member{{Name: "systemId", Input: "id"}}, Produces: []action.Product{system},
			Consumes: []string{systemArtifactType.ID},
		}),
		action.FromTool(addSystemContactTool(), action.FromToolOptions{
			ID: "catalog.add_system_contact", Name: "Add a contact to a system", Category: category, Done: "Added the contact",
			Description: "Adds a user or a mailbox to the contacts of a system.", Consumes: []string{systemArtifactType.ID},
		}),
		action.FromTool(addSystemLinkTool(), action.FromToolOptions{
			ID: "catalog.add_system_link", Name: "Add a link to a system", Category: category, Done: "Added the link",
			Description: "Adds a link to a system, such as one to its runbook.", Consumes: []string{systemArtifactType.ID},
		}),
		action.FromTool(setSystemEnvironmentsTool(), action.FromToolOptions{
			ID: "catalog.set_system_environments", Name: "Set the environments of a system", Category: category, Done: "Set the environments",
			Description: "Replaces the environments in which a system runs.", Consumes: []string{systemArtifactType.ID},
		}),
		action.FromTool(createGroupTool(), action.FromToolOptions{
			ID: "catalog.create_group", Name: "Create a group", Category: category, Done: "Created the group",
			Description: "Creates a group of systems. Its name is unique.", Produces: []action.Product{group},
		}),
		action.FromTool(updateGroupTool(), action.FromToolOptions{
			ID: "catalog.update_group", Name: "Change a group", Category: category, Done: "Changed the group",
			Description: "Changes name, description or metadata of a group. What is left out stays.",
			Members:     []action.Member{{Name: "groupId", Input: "id"}}, Produces: []action.Product{group},
			Consumes: []string{groupArtifactType.ID},
		}),
		action.FromTool(addSystemToGroupTool(), action.FromToolOptions{
			ID: "catalog.add_system_to_group", Name: "Add a system to a group", Category: category, Done: "Added the system to the group",
			Description: "Puts a system into a group.", Consumes: []string{systemArtifactType.ID, groupArtifactType.ID},
		}),
		action.FromTool(createEnvironmentTool(), action.FromToolOptions{
			ID: "catalog.create_environment", Name: "Create an environment", Category: category, Done: "Created the environment",
			Description: "Creates an environment such as staging. Its name is unique.", Produces: []action.Product{environment},
		}),
		action.FromTool(updateEnvironmentTool(), action.FromToolOptions{
			ID: "catalog.update_environment", Name: "Change an environment", Category: category, Done: "Changed the environment",
			Description: "Changes name, description or fields of an environment. What is left out stays.",
			Members:     []action.Member{{Name: "environmentId", Input: "id"}}, Produces: []action.Product{environment},
			Consumes: []string{environmentArtifactType.ID},
		}),
	}
}
