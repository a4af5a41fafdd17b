package incident

import (
	"encoding/json"

	"github.com/google/uuid"

	"countersign/automation/action"
)

// artifact is what steps after an action see of its incident.
type artifact struct {
	IncidentID uuid.UUID   `json:"incidentId" jsonschema:"description=The incident."`
	Status     Status      `json:"status" jsonschema:"enum=investigating,enum=identified,enum=fixing,enum=monitoring,enum=resolved"`
	Severity   Severity    `json:"severity" jsonschema:"enum=minor,enum=major,enum=critical"`
	SystemIDs  []uuid.UUID `json:"systemIds" jsonschema:"description=Its systems that the application may see."`
}

var artifactType = action.NewArtifactType[artifact]("incident", "Incident", "An incident after an action.")

func artifactOf(l Listed) artifact {
	return artifact{IncidentID: l.ID, Status: l.Status, Severity: l.Severity, SystemIDs: l.systemIDs()}
}

// statusChange is the config of incident.update_status.
type statusChange struct {
	IncidentID uuid.UUID `json:"incidentId" jsonschema:"description=The id of the incident."`
	Status     Status    `json:"status" jsonschema:"enum=investigating,enum=identified,enum=fixing,enum=monitoring,enum=resolved,description=resolved ends the incident; every other one reopens an ended one."`
	Message    string    `json:"message,omitempty" jsonschema:"maxLength=10000,description=What the update says; a sentence about the status when left out."`
	Visibility string    `json:"visibility,omitempty" jsonschema:"enum=public,enum=logged_in,enum=internal,description=public when left out."`
}

// Actions are what automations do with incidents.
func (*Module) Actions() []action.Action {
	const category = "Incidents"
	opened := action.NewProduct(artifactType, func(o Opened) artifact { return artifactOf(o.Listed) })
	moved := action.NewProduct(artifactType, func(m Moved) artifact { return artifactOf(m.Listed) })
	changed := action.NewProduct(artifactType, func(i Incident) artifact { return artifactOf(i.Listed) })
	which := action.Member{Name: "incidentId", Input: "id", Description: "The id of the incident."}
	consumes := []string{artifactType.ID}
	return []action.Action{
		action.FromTool(createTool(), action.FromToolOptions{
			ID: "incident.create", Name: "Open an incident", Category: category, Done: "Opened the incident",
			Description: "Opens an incident on systems. While an open incident has the dedupeKey, none is made and that one is the result.",
			Config:      action.Config[NewIncident](), Produces: []action.Product{opened},
		}),
		action.FromTool(resolveTool(), action.FromToolOptions{
			ID: "incident.resolve", Name: "Resolve an incident", Category: category, Done: "Resolved the incident",
			Description: "Ends an incident, with a last update if there is a message. One that is resolved already stays as it is.",
			Members:     []action.Member{which}, Produces: []action.Product{moved}, Consumes: consumes,
		}),
		action.FromTool(acknowledgeTool(), action.FromToolOptions{
			ID: "incident.acknowledge", Name: "Acknowledge an incident", Category: category, Done: "Acknowledged the incident",
			Description: "Notes the application as the one who looks after an incident, so that nobody else is called.",
			Members:     []action.Member{which}, Produces: []action.Product{moved}, Consumes: consumes,
		}),
		action.FromTool(updateTool(), action.FromToolOptions{
			ID: "incident.update", Name: "Change an incident", Category: category, Done: "Changed the incident",
			Description: "Changes title, severity, systems or other fields of an incident. What is left out stays.",
			Config:      action.Config[updateInput](), Members: []action.Member{which}, Produces: []action.Product{changed},
			Consumes: consumes,
		}),
		action.FromTool(addUpdateTool(), action.FromToolOptions{
			ID: "incident.add_update", Name: "Write an update of an incident", Category: category, Done: "Wrote an update",
			Description: "Writes what is new about an incident, and may set its status.",
			Members:     []action.Member{{Name: "incidentId", Input: "incidentId", Description: which.Description}}, Consumes: consumes,
		}),
		action.FromTool(addUpdateTool(), action.FromToolOptions{
			ID: "incident.update_status", Name: "Set the status of an incident", Category: category, Done: "Set the status",
			Description: "Sets the status of an incident with an update that says so.", Config: action.Config[statusChange](),
			Members:  []action.Member{{Name: "status", Input: "statusChange"}},
			Complete: statusMessage, Consumes: consumes,
		}),
		action.FromTool(addLinkTool(), action.FromToolOptions{
			ID: "incident.add_link", Name: "Add a link to an incident", Category: category, Done: "Added the link",
			Description: "Adds a link to an incident, such as one to a ticket or a dashboard.",
			Members:     []action.Member{{Name: "incidentId", Input: "incidentId", Description: which.Description}}, Consumes: consumes,
		}),
	}
}

// statusMessage is the update of a change of status without a message.
func statusMessage(input map[string]json.RawMessage) error {
	if _, given := input["message"]; given {
		return nil
	}
	var status Status
	_ = json.Unmarshal(input["statusChange"], &status) // the schema refuses one that is no text
	message, err := json.Marshal("The status is now " + status + ".")
	input["message"] = message
	return err
}
