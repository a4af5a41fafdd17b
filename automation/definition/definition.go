// Package definition holds the definition of an automation: its triggers, conditions and steps as a person writes them in
// YAML, and as they are stored and run. It is pure: it reads no database and knows no module. The names that a definition may use
// are a Catalog, which the caller gives.
package definition

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Limits of a definition. Each is an issue with its path when it is saved.
const (
	// MaxBytes bounds the YAML text.
	MaxBytes = 256 << 10
	// MaxSteps counts the steps of all levels, those of onFailure and undo included.
	MaxSteps = 500
	// MaxDepth bounds the nesting of steps, and that of and, or and not in conditions.
	MaxDepth    = 16
	MaxTriggers = 50
	// MaxExpression bounds the text of an expression in characters.
	MaxExpression = 4000
	// MaxConfigBytes bounds the config of one step as JSON.
	MaxConfigBytes = 64 << 10
	// MaxCount bounds repeat.count, and MaxIterations repeat.max_iterations.
	MaxCount      = 10_000
	MaxIterations = 100_000
	// MaxWait bounds the time limits of waits; a delay has no bound but a year.
	MaxWait  = 30 * 24 * time.Hour
	MaxDelay = 366 * 24 * time.Hour
)

// Definition is the compiled form of an automation. Its JSON is stored with each revision, beside the author's text.
// Members that the author left out have their defaults.
type Definition struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Triggers    []Trigger   `json:"triggers"`
	Conditions  []Condition `json:"conditions,omitempty"`
	Actions     []Step      `json:"actions"`
	// OnFailure runs when the run has failed, before the undo steps.
	OnFailure []Step `json:"onFailure,omitempty"`
	Mode      Mode   `json:"mode"`
	// MaxRuns bounds the runs of mode parallel, and the waiting ones of mode queued: 1 to 1000, 10 by default.
	MaxRuns int `json:"max_runs"`
	// ConcurrencyScope says whether Mode counts all runs of the automation or those of one context, such as one incident.
	ConcurrencyScope Scope `json:"concurrency_scope"`
	// UsesState are the systems whose health expressions read beside that of the trigger; at most 50.
	UsesState          []uuid.UUID `json:"uses_state,omitempty"`
	StateWindowMinutes int         `json:"state_window_minutes"`
	Group              string      `json:"group,omitempty"`
	Limits             Limits      `json:"limits"`
	// AllowSelf lets the automation be triggered by what its own runs did.
	AllowSelf bool `json:"allowSelf,omitempty"`
}

// Limits bound one run. A run that reaches one fails with its name.
type Limits struct {
	// Steps counts step executions (1000 by default, at most 100,000), Minutes the whole run with its waits (60 days by
	// default), Effects the executed actions with an effect (200 by default, at most 10,000).
	Steps   int `json:"steps"`
	Minutes int `json:"minutes"`
	Effects int `json:"effects"`
}

// Mode says what happens to a trigger while a run of the same scope has not ended.
type Mode string

// The modes: skip it, run beside it, wait in line, or cancel the running one.
const (
	Single   Mode = "single"
	Parallel Mode = "parallel"
	Queued   Mode = "queued"
	Restart  Mode = "restart"
)

// Scope is what Mode counts.
type Scope string

// The scopes.
const (
	PerAutomation Scope = "automation"
	PerContext    Scope = "context"
)

// CatchUp says which slots of a schedule run that fell into a time in which nothing could run.
type CatchUp string

// The choices; CatchNone is the default.
const (
	CatchNone CatchUp = "none"
	CatchLast CatchUp = "last"
	CatchAll  CatchUp = "all"
)

// Built-in triggers.
const (
	TriggerCron     = "automation.cron"
	TriggerInterval = "automation.interval"
	TriggerWebhook  = "automation.webhook"
	TriggerNumeric  = "automation.numeric_state"
	TriggerManual   = "automation.manual"
)

// Trigger starts runs: an event of the platform, or one of the built-in triggers.
type Trigger struct {
	// ID is a slug that is unique in the definition; "t1", "t2"... by default.
	ID string `json:"id"`
	// Event is the id of an event type or of a built-in trigger.
	Event string `json:"event"`
	// Filter is a bare expression over the root trigger; "" for none.
	Filter string `json:"filter,omitempty"`
	// Config is that of a built-in trigger, as its type in this package, and null for events.
	Config json.RawMessage `json:"config,omitempty"`
	// For is how long the state that the event announces has to last; 0 for none.
	For Duration `json:"for,omitempty"`
	// Window limits the trigger to times of day.
	Window  *TimeCondition `json:"window,omitempty"`
	CatchUp CatchUp        `json:"catchUp,omitempty"`
	Enabled bool           `json:"enabled"`
}

// CronConfig configures TriggerCron. The zone is required unless the installation has a default one, which is then stored.
type CronConfig struct {
	CronPattern string `json:"cronPattern" jsonschema:"maxLength=200,description=Five fields: minute hour day month weekday."`
	Timezone    string `json:"timezone,omitempty" jsonschema:"maxLength=64" jsonschema_description:"IANA time zone, such as Europe/Berlin."`
}

// IntervalConfig configures TriggerInterval.
type IntervalConfig struct {
	IntervalSeconds int `json:"intervalSeconds" jsonschema:"minimum=1,maximum=31536000"`
}

// NumericConfig configures TriggerNumeric: a run starts when the value of a field crosses a bound, not while it stays beyond.
type NumericConfig struct {
	SystemID uuid.UUID `json:"systemId"`
	// CheckID limits the trigger to one health check.
	CheckID *uuid.UUID `json:"checkId,omitempty"`
	Field   string     `json:"field" jsonschema:"maxLength=200" jsonschema_description:"A field of the results, such as latencyMs."`
	Above   *float64   `json:"above,omitempty"`
	Below   *float64   `json:"below,omitempty"`
	// Results is the number of results in a row that have to lie beyond the bound; 1 by default.
	Results int `json:"results,omitempty" jsonschema:"minimum=1,maximum=1000"`
}

// Condition is a tree; exactly one member is set.
type Condition struct {
	// Expression is bare, and true lets the run pass.
	Expression string            `json:"expression,omitempty"`
	And        []Condition       `json:"and,omitempty"`
	Or         []Condition       `json:"or,omitempty"`
	Not        *Condition        `json:"not,omitempty"`
	Numeric    *NumericCondition `json:"numeric_state,omitempty"`
	Time       *TimeCondition    `json:"time,omitempty"`
	State      *StateCondition   `json:"state,omitempty"`
}

// NumericCondition holds while the value of an expression lies strictly between the bounds. Without a number it does not hold.
type NumericCondition struct {
	Value string   `json:"value"`
	Above *float64 `json:"above,omitempty"`
	Below *float64 `json:"below,omitempty"`
}

// TimeCondition holds from After until Before, both HH:mm, over midnight where After is later, on Weekday (0 is Sunday).
type TimeCondition struct {
	After    string `json:"after,omitempty"`
	Before   string `json:"before,omitempty"`
	Weekday  []int  `json:"weekday,omitempty"`
	Timezone string `json:"timezone"`
}

// StateCondition holds while a system has the status, for the given time at least.
type StateCondition struct {
	// Entity is the id of a system, or an expression in {{ }} that gives one.
	Entity string   `json:"entity"`
	Status string   `json:"status"`
	For    Duration `json:"for,omitempty"`
}

// OnUnknown says what a step does whose effect may or may not have happened.
type OnUnknown string

// The choices; UnknownFails is the default. UnknownContinues goes on as after a success.
const (
	UnknownFails     OnUnknown = "fail"
	UnknownContinues OnUnknown = "continue"
)

// Retry repeats a failed action. An effect that may have happened is never repeated.
type Retry struct {
	// Attempts counts all of them, 1 to 10; Seconds is the wait before the second, doubled before each further one, up to
	// an hour.
	Attempts int `json:"attempts"`
	Seconds  int `json:"seconds"`
}

// Step is one of the actions; exactly one of the members after Undo is set. Kind names it.
type Step struct {
	// ID is an identifier, unique in the definition; "" unless given, or needed for an artifact.
	ID              string `json:"id,omitempty"`
	Description     string `json:"description,omitempty"`
	Enabled         bool   `json:"enabled"`
	ContinueOnError bool   `json:"continue_on_error,omitempty"`
	// Timeout bounds one attempt of an action, 1 s to 24 h; 0 is the action's default.
	Timeout   Duration  `json:"timeout,omitempty"`
	Retry     *Retry    `json:"retry,omitempty"`
	OnUnknown OnUnknown `json:"onUnknown,omitempty"`
	// Undo runs, in reverse order of the done steps, when the run fails or is cancelled later.
	Undo []Step `json:"undo,omitempty"`

	// Action is the id of an action, and Config its config, in which {{ }} are templates.
	Action string          `json:"action,omitempty"`
	Config json.RawMessage `json:"config,omitempty"`

	Choose []Branch `json:"choose,omitempty"`
	Else   []Step   `json:"else,omitempty"`

	Parallel *ParallelStep `json:"parallel,omitempty"`
	Sequence []Step        `json:"sequence,omitempty"`
	Delay    *DelayStep    `json:"delay,omitempty"`
	Repeat   *RepeatStep   `json:"repeat,omitempty"`
	// Variables are set to values; strings in them are templates.
	Variables json.RawMessage `json:"variables,omitempty"`
	Condition *Condition      `json:"condition,omitempty"`
	Stop      *StopStep       `json:"stop,omitempty"`
	WaitFor   *WaitForStep    `json:"wait_for_trigger,omitempty"`
	WaitUntil *WaitUntilStep  `json:"wait_until,omitempty"`
}

// Kind is the kind of a step.
type Kind string

// The kinds, by the member of Step.
const (
	KindAction    Kind = "action"
	KindChoose    Kind = "choose"
	KindParallel  Kind = "parallel"
	KindSequence  Kind = "sequence"
	KindDelay     Kind = "delay"
	KindRepeat    Kind = "repeat"
	KindVariables Kind = "variables"
	KindCondition Kind = "condition"
	KindStop      Kind = "stop"
	KindWaitFor   Kind = "wait_for_trigger"
	KindWaitUntil Kind = "wait_until"
)

// Kind returns the kind of the step.
func (s *Step) Kind() Kind {
	switch {
	case s.Choose != nil:
		return KindChoose
	case s.Parallel != nil:
		return KindParallel
	case s.Sequence != nil:
		return KindSequence
	case s.Delay != nil:
		return KindDelay
	case s.Repeat != nil:
		return KindRepeat
	case s.Variables != nil:
		return KindVariables
	case s.Condition != nil:
		return KindCondition
	case s.Stop != nil:
		return KindStop
	case s.WaitFor != nil:
		return KindWaitFor
	case s.WaitUntil != nil:
		return KindWaitUntil
	default:
		return KindAction
	}
}

// Branch is the first whose When is true that runs.
type Branch struct {
	When     Condition `json:"when"`
	Sequence []Step    `json:"sequence"`
}

// ParallelStep runs its branches side by side and ends when all have ended.
type ParallelStep struct {
	Branches []Step `json:"branches"`
	// OnFailure says whether the other branches go on (wait, the default) or are cancelled (cancel).
	OnFailure string `json:"onFailure"`
}

// DelayStep waits. Exactly one member is set.
type DelayStep struct {
	For Duration `json:"for,omitempty"`
	// Template gives a number of seconds or a duration such as 5m.
	Template string `json:"template,omitempty"`
}

// RepeatStep runs Sequence again and again. Exactly one of Count, ForEach, While and Until is set.
type RepeatStep struct {
	Count int `json:"count,omitempty"`
	// ForEach is an expression that gives a list.
	ForEach       string     `json:"for_each,omitempty"`
	While         *Condition `json:"while,omitempty"`
	Until         *Condition `json:"until,omitempty"`
	MaxIterations int        `json:"max_iterations"`
	Sequence      []Step     `json:"sequence"`
}

// StopStep ends the run, as a failure where Error is set.
type StopStep struct {
	// Reason is a template.
	Reason string `json:"reason"`
	Error  bool   `json:"error,omitempty"`
}

// WaitForStep waits for an event.
type WaitForStep struct {
	Event string `json:"event"`
	// Filter is a bare expression over the roots event, and those of the run.
	Filter  string   `json:"filter,omitempty"`
	Timeout Duration `json:"timeout"`
	// ContextKey limits the wait to events of one subject; a template. "" takes all.
	ContextKey        string `json:"context_key,omitempty"`
	ContinueOnTimeout bool   `json:"continue_on_timeout"`
}

// WaitUntilStep waits until a condition holds.
type WaitUntilStep struct {
	Condition         Condition `json:"condition"`
	Timeout           Duration  `json:"timeout"`
	ContinueOnTimeout bool      `json:"continue_on_timeout"`
}

// Duration is stored as nanoseconds. In YAML it is a number of seconds, a text such as 5m or 1h30m or 2d, or an object
// with seconds, minutes, hours or days.
type Duration time.Duration
