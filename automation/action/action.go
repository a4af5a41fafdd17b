// Package action is the contract of what automations do: an action has an id, a closed schema of its config, the artifacts
// that it produces and consumes, access rules, and an effect that happens once. Modules offer their actions (app/module).
package action

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"countersign/tool"
)

// Action is something that a step of an automation can do.
type Action struct {
	// ID is stable, such as incident.create.
	ID string
	// Name and Description are for people and models.
	Name, Description, Category string
	// Config is the closed JSON schema of the config, after templates are filled in.
	Config json.RawMessage
	// Produces are the artifacts of a success.
	Produces []ArtifactType
	// Consumes are the types of artifacts that the config usually names.
	Consumes []string
	// Rules are those that the application has to hold, all of them.
	Rules  []string
	Effect tool.Effect
	// Timeout bounds an attempt unless the step says otherwise; a minute when zero, at most 24 h.
	Timeout time.Duration
	// Validate checks a config beyond its schema when it is saved. Members that hold templates are missing in it, and named in
	// templated. Nil for nothing.
	Validate func(config json.RawMessage, templated []string) error
	// DryRun says what a call would do, and changes nothing.
	DryRun func(ctx context.Context, c Call) (Preview, error)
	// Do acts. A failure that a person can understand is a *problem.Error; any other error is one of the host, and the
	// attempt is repeated with the same key. With the code Unknown the effect may have happened.
	Do func(ctx context.Context, c Call) (Result, error)
}

// Call is one attempt of an action in a run.
type Call struct {
	// Caller is the application as it acts in the run. Its client sends Key as Idempotency-Key of each write.
	Caller tool.Caller
	Config json.RawMessage
	// Key is the same for repeats of this attempt, and of no other: an effect happens once for it.
	Key string
	// Run, Automation, Revision and Step say for whom the call is made.
	Run, Automation uuid.UUID
	Revision        int64
	Step            string
	// Scope is what expressions of the step see, as JSON objects by root: trigger, artifacts, var, repeat, automation.
	Scope map[string]json.RawMessage
}

// Result is what a successful call produced.
type Result struct {
	// Output is any JSON, at most MaxOutput bytes.
	Output json.RawMessage
	// Artifacts are values by type, of the types that the action produces.
	Artifacts map[string]json.RawMessage
	// Summary says in one sentence what was done, for the page of the run.
	Summary string
}

// MaxOutput bounds the output of a step, and an artifact, in bytes.
const MaxOutput = 64 << 10

// Preview is what a call would do.
type Preview struct {
	Summary string
	Effects []string
}

// ArtifactType is a type of values that steps pass on.
type ArtifactType struct {
	// ID is such as incident, and unique among all types.
	ID, Name, Description string
	// Schema is the closed JSON schema of its values.
	Schema json.RawMessage
}
