package automation

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/automation/definition"
	"countersign/internal/access"
)

// Statuses of automations and runs.
const (
	Enabled  = "enabled"
	Disabled = "disabled"

	runQueued    = "queued"
	runPending   = "pending"
	runRunning   = "running"
	runSuccess   = "success"
	runFailed    = "failed"
	runCancelled = "cancelled"
	runSkipped   = "skipped"
)

// NewAutomation is an automation to create.
type NewAutomation struct {
	Text   string    `json:"text" minLength:"1" maxLength:"262144" doc:"The definition as YAML. JSON is YAML too." jsonschema:"minLength=1,maxLength=100000,description=The whole definition as YAML."`
	RunAs  uuid.UUID `json:"runAs" doc:"The application in whose name it acts. Its rights must be a part of the author's." jsonschema:"description=The application in whose name it acts; ids come from automation_listServiceAccounts."`
	Status string    `json:"status,omitempty" enum:"enabled,disabled" doc:"enabled when left out." jsonschema:"enum=enabled,enum=disabled"`
}

// Change is a change of an automation; what is absent stays.
type Change struct {
	Text   *string    `json:"text,omitempty" minLength:"1" maxLength:"262144" doc:"A new revision of the definition." jsonschema:"minLength=1,maxLength=100000,description=The whole new definition as YAML."`
	RunAs  *uuid.UUID `json:"runAs,omitempty" jsonschema:"description=Another application; ids come from automation_listServiceAccounts."`
	Status *string    `json:"status,omitempty" enum:"enabled,disabled" doc:"A disabled one begins no further run; those that run go on." jsonschema:"enum=enabled,enum=disabled"`
}

// Automation is an automation with its current definition.
type Automation struct {
	Listed

	Text       string                `json:"text" doc:"The definition as its author wrote it."`
	Definition definition.Definition `json:"definition" doc:"The same with all defaults, as runs interpret it."`
}

// Listed is an automation in lists.
type Listed struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Group       string    `json:"group"`
	Status      string    `json:"status" enum:"enabled,disabled"`
	// DisabledReason is set when the product has disabled it.
	DisabledReason     string       `json:"disabledReason,omitempty"`
	RunAs              Named        `json:"runAs"`
	DefinitionRevision int64        `json:"definitionRevision"`
	Triggers           []string     `json:"triggers" nullable:"false" doc:"What triggers it, such as healthcheck.system_degraded."`
	NextDue            *time.Time   `json:"nextDue,omitempty" doc:"When its next schedule is due."`
	LastRuns           []LastRun    `json:"lastRuns" nullable:"false" doc:"The last twenty runs, newest first."`
	Access             access.Level `json:"access" enum:"viewer,editor,owner"`
	Revision           int64        `json:"revision"`
	CreatedAt          time.Time    `json:"createdAt"`
	UpdatedAt          time.Time    `json:"updatedAt"`
}

// AtRevision implements rest.Resource.
func (a Automation) AtRevision() int64 { return a.Revision }

// Named is a record with its name.
type Named struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// LastRun is a run in the list of automations.
type LastRun struct {
	ID        uuid.UUID  `json:"id"`
	Status    string     `json:"status"`
	CreatedAt time.Time  `json:"createdAt"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
}

// Draft is a definition to validate.
type Draft struct {
	Text  string     `json:"text" maxLength:"1048576"`
	RunAs *uuid.UUID `json:"runAs,omitempty" doc:"The application that would act; its rights are checked when it is given."`
}

// Verdict says whether a definition can be saved.
type Verdict struct {
	Valid  bool               `json:"valid"`
	Issues []definition.Issue `json:"issues" nullable:"false"`
	// Definition is the compiled form of a valid text.
	Definition *definition.Definition `json:"definition,omitempty"`
}

// Revision is one definition of an automation.
type Revision struct {
	Revision  int64     `json:"revision"`
	Text      string    `json:"text"`
	RunAs     uuid.UUID `json:"runAs"`
	Author    Named     `json:"author"`
	CreatedAt time.Time `json:"createdAt"`
}

// Run is one execution of an automation, or why there was none.
type Run struct {
	ID           uuid.UUID `json:"id"`
	AutomationID uuid.UUID `json:"automationId"`
	Automation   string    `json:"automation"`
	Revision     int64     `json:"revision"`
	TriggerID    string    `json:"triggerId"`
	// Slot is the moment of a schedule that the run is for.
	Slot       *time.Time      `json:"slot,omitempty"`
	ContextKey string          `json:"contextKey,omitempty"`
	Trigger    json.RawMessage `json:"trigger" doc:"What triggered it: event, payload, id, subject and time."`
	Depth      int32           `json:"depth" doc:"How many events of other runs led to it."`
	Status     string          `json:"status" enum:"queued,pending,running,success,failed,cancelled,skipped"`
	Reason     string          `json:"reason,omitempty"`
	Failures   int32           `json:"failures" doc:"Failed steps after which the run went on."`
	Steps      int32           `json:"steps"`
	Effects    int32           `json:"effects"`
	AgainOf    *uuid.UUID      `json:"againOf,omitempty" doc:"The run whose trigger it repeats."`
	WorkflowID string          `json:"workflowId"`
	Cancelling bool            `json:"cancelling,omitempty"`
	CreatedAt  time.Time       `json:"createdAt"`
	StartedAt  *time.Time      `json:"startedAt,omitempty"`
	EndedAt    *time.Time      `json:"endedAt,omitempty"`
}

// RunStep is a step of a run as it ran. Input and output are without secrets.
type RunStep struct {
	Path      string          `json:"path"`
	Iteration string          `json:"iteration,omitempty"`
	Attempt   int32           `json:"attempt"`
	StepID    string          `json:"stepId,omitempty"`
	Kind      string          `json:"kind"`
	Action    string          `json:"action,omitempty"`
	Status    string          `json:"status" enum:"running,waiting,success,failed,unknown,skipped,cancelled"`
	Reason    string          `json:"reason,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Output    json.RawMessage `json:"output,omitempty"`
	DueAt     *time.Time      `json:"dueAt,omitempty"`
	StartedAt time.Time       `json:"startedAt"`
	EndedAt   *time.Time      `json:"endedAt,omitempty"`
}

// NewRun runs an automation by hand.
type NewRun struct {
	TriggerID string         `json:"triggerId,omitempty" maxLength:"64" doc:"The trigger to stand in for; the first one when left out." jsonschema:"maxLength=64,pattern=^[a-zA-Z0-9_-]*$,description=The trigger to stand in for; the first one when left out."`
	Payload   map[string]any `json:"payload,omitempty" doc:"trigger.payload of the run, at most 16 kB. Needs all rights of the application." jsonschema:"description=What the definition reads as trigger.payload."`
}

// Started is a run by hand.
type Started struct {
	Run     Run  `json:"run"`
	Started bool `json:"started" doc:"false when the mode of the automation skipped it: the run says why."`
}

// Cancellation says whether this call did it.
type Cancellation struct {
	Run       Run  `json:"run"`
	Cancelled bool `json:"cancelled" doc:"false when the run had ended or was being cancelled."`
}
