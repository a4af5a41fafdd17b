package automation

import (
	"context"
	"encoding/json"

	"countersign/automation/action"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/internal/store/exactlyonce"
	"countersign/script"
	"countersign/tool"
)

// RunScripts lets an application run the scripts of automations.
const RunScripts = "automation.script.run"

// Scripts runs the scripts of actions; *script.Service implements it.
type Scripts interface {
	Act(ctx context.Context, in script.ActionInput) (script.TestOutput, error)
}

// Secrets gives the values of secrets to a principal that may use them; *vault.Module implements it.
type Secrets interface {
	Resolve(ctx context.Context, p principal.Principal, names []string, purpose string) (map[string]secret.Value, error)
}

// ActionsOptions configure Actions.
type ActionsOptions struct {
	Scripts Scripts
	Once    *exactlyonce.Ledger
	// Secrets is nil without a vault.
	Secrets Secrets
}

// Actions are the actions of automations that belong to no other module.
type Actions struct{ ActionsOptions }

// NewActions makes them.
func NewActions(o ActionsOptions) *Actions { return &Actions{o} }

// Rules are the access rules of the actions.
func (*Actions) Rules() []principal.Rule {
	return []principal.Rule{{ID: RunScripts, Description: "Run scripts as steps of automations; for the application of an automation"}}
}

// Actions returns the actions.
func (a *Actions) Actions() []action.Action {
	return []action.Action{logAction(), a.scriptAction(), a.shellAction()}
}

// logLine is the config and the output of automation.log.
type logLine struct {
	Message string `json:"message" jsonschema:"minLength=1,maxLength=4000,description=What the log of the run says."`
	Level   string `json:"level,omitempty" jsonschema:"enum=debug,enum=info,enum=warn,enum=error,description=info when left out."`
}

// logAction writes a line into the log of the run, which is the output of its step. It stays out of the log of the process:
// payloads may hold what operators should not read.
func logAction() action.Action {
	read := func(ctx context.Context, c action.Call) (logLine, error) {
		line, err := action.Decode[logLine](ctx, c)
		if line.Level == "" {
			line.Level = "info"
		}
		return line, err
	}
	return action.Action{
		ID: "automation.log", Name: "Write to the log of the run", Category: "Automation", Effect: tool.Read,
		Description: "Writes a line into the log of the run.", Config: action.Config[logLine](),
		DryRun: func(ctx context.Context, c action.Call) (action.Preview, error) {
			line, err := read(ctx, c)
			return action.Preview{Summary: "Log: " + line.Message}, err
		},
		Do: func(ctx context.Context, c action.Call) (action.Result, error) {
			line, err := read(ctx, c)
			if err != nil {
				return action.Result{}, err
			}
			output, err := json.Marshal(line)
			return action.Result{Output: output, Summary: line.Message, Artifacts: map[string]json.RawMessage{}}, err
		},
	}
}
