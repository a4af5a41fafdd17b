package suite

import (
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/chat/assistant"
	"countersign/model"
	"countersign/tool"
	"countersign/tool/kit"
)

// Tool is the description of a tool for a model, with the schema that validates its calls. It cannot run.
type Tool struct {
	Name, Description          string
	Effect                     tool.Effect
	Input                      tool.Schema
	Question, Trusted, Foreign bool
}

// Offered are the tools of the product that a model may be offered, without anything that could run them.
func Offered(all []tool.Tool) []Tool {
	var offered []Tool
	for _, t := range all {
		if !t.Access.Hidden {
			offered = append(offered, Tool{
				Name: t.Name, Description: t.Description, Effect: t.Effect, Input: t.Input,
				Question: t.Result.Question, Trusted: t.Result.Trusted, Foreign: t.Result.Untrusted,
			})
		}
	}
	return offered
}

func (t Tool) wireName() string { return strings.ReplaceAll(t.Name, ".", "_") }

func (t Tool) ability() assistant.Ability {
	return assistant.Ability{
		Tool:  model.Tool{Name: t.wireName(), Description: t.Description, Parameters: t.Input.JSON()},
		Reads: t.Effect == tool.Read,
	}
}

// Search finds tools among all by a query, as far as their schemas fit into the room. The result is what the model gets.
type Search func(all []Tool, query string, room tool.Room) any

// searchTool finds the tools that a request does not offer.
const searchTool = "tools.search"

// Tools that only situations have: nothing in the catalog takes times yet, and models get those wrong first.
type (
	maintenanceInput struct {
		SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
		StartsAt time.Time `json:"startsAt" jsonschema:"description=RFC 3339 with an explicit offset."`
		EndsAt   time.Time `json:"endsAt" jsonschema:"description=RFC 3339 with an explicit offset; later than startsAt."`
		Impact   string    `json:"impact" jsonschema:"enum=none,enum=degraded,enum=outage"`
		Note     string    `json:"note,omitempty" jsonschema:"maxLength=500"`
	}
	incidentsInput struct {
		Status   string     `json:"status,omitempty" jsonschema:"enum=open,enum=acknowledged,enum=resolved"`
		Severity string     `json:"severity,omitempty" jsonschema:"enum=sev1,enum=sev2,enum=sev3"`
		Since    *time.Time `json:"since,omitempty" jsonschema:"description=RFC 3339 with an explicit offset."`
		Limit    int        `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100"`
	}
)

var rehearsed = sync.OnceValue(func() []Tool {
	return []Tool{
		{
			Name: "maintenance.schedule", Effect: tool.Mutate, Input: kit.SchemaOf[maintenanceInput](),
			Description: "Propose a maintenance window of one system. A person decides about it before anything changes.",
		},
		{
			Name: "incident.listIncidents", Effect: tool.Read, Input: kit.SchemaOf[incidentsInput](),
			Description: "List incidents, the newest first. Filter by status, severity and the time since when.",
		},
	}
})
