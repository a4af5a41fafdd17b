package sdk

import "encoding/json"

// HealthCheckContext is the argument of a health check. It is HealthCheckContext of healthcheck.d.ts.
type HealthCheckContext struct {
	// Config is the configuration of the check; not nil.
	Config map[string]any `json:"config"`
	// Env are the variables that the script declares, its secrets among them; not nil. A shell script gets them as its own.
	Env         map[string]string `json:"env"`
	Check       Check             `json:"check"`
	System      System            `json:"system"`
	Environment *Environment      `json:"environment,omitempty"`
}

// Check is the health check that runs.
type Check struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	IntervalSeconds int    `json:"intervalSeconds"`
}

// System is the system that is checked.
type System struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Environment is the environment that is checked.
type Environment struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Fields are the custom fields; not nil.
	Fields map[string]any `json:"fields"`
}

// AutomationContext is the argument of an action of an automation. It is AutomationContext of automation.d.ts.
type AutomationContext struct {
	Trigger Trigger `json:"trigger"`
	// Artifacts are the results of earlier actions, by type, and Var the variables of the run; both not nil.
	Artifacts map[string]any `json:"artifacts"`
	Var       map[string]any `json:"var"`
	Repeat    *Repeat        `json:"repeat,omitempty"`
	// Env are the variables that the script declares, its secrets among them; not nil. A shell script gets them as its own.
	Env        map[string]string `json:"env"`
	Automation Automation        `json:"automation"`
}

// Trigger is the event that started the automation.
type Trigger struct {
	Event string `json:"event"`
	// Payload is the content of the event; not nil.
	Payload map[string]any `json:"payload"`
}

// Repeat is one round of a repeated block.
type Repeat struct {
	// Index is the number of the round, from 0.
	Index int `json:"index"`
	// Item is the element of the round; nil when the block does not repeat over a list.
	Item any `json:"item,omitempty"`
}

// Automation is the run that the action belongs to.
type Automation struct {
	RunID        string `json:"runId"`
	AutomationID string `json:"automationId"`
	ContextKey   string `json:"contextKey"`
}

// MarshalJSON writes absent maps as empty ones, as the declarations promise.
func (c HealthCheckContext) MarshalJSON() ([]byte, error) {
	type plain HealthCheckContext
	c.Config, c.Env = present(c.Config), present(c.Env)
	return json.Marshal(plain(c))
}

// MarshalJSON writes absent fields as empty ones.
func (e Environment) MarshalJSON() ([]byte, error) {
	type plain Environment
	e.Fields = present(e.Fields)
	return json.Marshal(plain(e))
}

// MarshalJSON writes absent maps as empty ones.
func (c AutomationContext) MarshalJSON() ([]byte, error) {
	type plain AutomationContext
	c.Artifacts, c.Var, c.Env = present(c.Artifacts), present(c.Var), present(c.Env)
	return json.Marshal(plain(c))
}

// MarshalJSON writes an absent payload as an empty one.
func (t Trigger) MarshalJSON() ([]byte, error) {
	type plain Trigger
	t.Payload = present(t.Payload)
	return json.Marshal(plain(t))
}

func present[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
