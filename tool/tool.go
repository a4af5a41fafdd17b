// Package tool is the contract between those who write tools, with tool/kit, and those who call and govern them: the
// registry, the gate, the chat, the REST API and MCP clients.
//
// A Tool has a name, a text for the model, closed JSON schemas of its input and output, the access rules it needs, and
// an effect. A read tool runs. A write tool never runs when it is called: DryRun validates the input and
// says what would change, the result is stored as a proposal, and Apply is reached only when an authorised person
// countersigns (package tool/proposal). Both act through the caller's own Client, which re-enters the live REST API as
// that person; a tool holds no other way to the system.
//
// A failure that the model or a person should see is a *problem.Error; any other error is a host failure and is retried.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/trace"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/telemetry"
	"countersign/internal/text"
)

// Caller is the principal on whose behalf a tool runs.
type Caller struct {
	Principal principal.Principal
	Client    *Client
	// Words are the person's messages in the conversation's history.
	Words []string
	// Room bounds the result.
	Room Room
}

// Tool is a registered capability, made by the constructors of tool/kit.
type Tool struct {
	Definition
	Input  Schema
	Output Schema

	code Implementation
	// leaves is set for a read that may exfiltrate data; see LeavesWhen.
	leaves *Leaving

	// hung counts the running calls, abandoned ones included.
	hung *atomic.Int32
	// made marks a custom tool.
	made bool
}

// Implementation is the code of a tool, on valid inputs. Validation, time limits and texts for display are the Tool's.
type Implementation struct {
	Input, Output Schema
	// Run runs a read, or applies a write.
	Run func(ctx context.Context, c Caller, input json.RawMessage) (any, error)
	// DryRun previews a write; nil for a read.
	DryRun func(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error)
	// InputOf converts a request to the tool's operation, and RequestOf an input to that request; nil where there is none.
	InputOf   func(parameters []string, body []byte) (json.RawMessage, error)
	RequestOf func(input json.RawMessage) (Request, error)
}

// Schema describes and checks the inputs or the outputs of a tool.
type Schema interface {
	// JSON returns the schema as sent to models and clients.
	JSON() json.RawMessage
	// Validate checks an input. The *problem.Error has every issue with its path.
	Validate(ctx context.Context, input json.RawMessage) error
	// Normalize returns a valid input in the form that the code reads.
	Normalize(input json.RawMessage) (json.RawMessage, error)
	// Declares reports whether the schema names this member of an input.
	Declares(member string) bool
}

// New makes a tool of the product from its code. Tools are written with tool/kit, whose constructors call it.
func New(d Definition, code Implementation) Tool {
	return Tool{Definition: d, Input: code.Input, Output: code.Output, code: code, hung: new(atomic.Int32)}
}

// Proposed is the result of a dry run, ready to be stored. Payload is canonical JSON.
type Proposed struct {
	Summary  string
	Payload  json.RawMessage
	Diff     []Change
	Revision string
	Labels   map[string]string
	Effects  []string
	// Effect is that of the tool, or a worse one of this change, for the reason WhyEffect.
	Effect    Effect
	WhyEffect string
	// Before is kept for an undo; nil for nothing.
	Before json.RawMessage
}

// shown cleans the texts of a dry run for display.
func (p Proposed) shown() Proposed {
	p.Summary, p.WhyEffect = text.Shown(p.Summary, MaxSummary), text.Shown(p.WhyEffect, MaxSummary)
	p.Effects = slices.Clone(p.Effects)
	for i, effect := range p.Effects {
		p.Effects[i] = text.Shown(effect, MaxSummary)
	}
	for id, name := range p.Labels {
		p.Labels[id] = text.Shown(name, maxLabel)
	}
	return p
}

// Texts of a proposal are truncated to these lengths.
const (
	MaxSummary = 600
	maxLabel   = 200
)

// Run validates the input and runs a read tool within its time limit, or applies a write tool with a stored payload.
func (t Tool) Run(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
	phase := "run"
	if t.Effect != Read && !ReadsOnly(ctx, t.Name) {
		phase = "apply"
	}
	ctx, span := t.begin(ctx, phase)
	output, err := t.validateAndRun(ctx, c, input)
	span.End(err)
	return output, err
}

// begin starts the span of a call.
func (t Tool) begin(ctx context.Context, phase string) (context.Context, telemetry.Span) {
	return telemetry.Start(ctx, trace.SpanKindInternal, "execute_tool "+t.Name,
		telemetry.GenAIOperation.String("execute_tool"), telemetry.GenAITool.String(t.Name), telemetry.ToolPhase.String(phase))
}

func (t Tool) validateAndRun(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
	if err := t.current(ctx, c); err != nil {
		return nil, err
	}
	ctx = WithDecidedVersion(ctx, t.Name, t.Identity.Version)
	if err := t.Input.Validate(ctx, input); err != nil {
		return nil, err
	}
	input, err := t.Input.Normalize(input)
	if err != nil {
		return nil, err
	}
	if t.Effect != Read && !ReadsOnly(ctx, t.Name) {
		return guarded(t.Name, func() (any, error) { return t.code.Run(ctx, c, input) })
	}
	return within(ctx, t, func(ctx context.Context) (any, error) { return t.code.Run(ctx, c, input) })
}

// DryRun validates the input and previews the effect of a write tool within its time limit, changing nothing.
func (t Tool) DryRun(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
	ctx, span := t.begin(ctx, "dry_run")
	proposed, err := t.validateAndDryRun(ctx, c, input)
	span.End(err)
	return proposed, err
}

func (t Tool) validateAndDryRun(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
	if t.code.DryRun == nil || t.Effect == Read && t.leaves == nil {
		return Proposed{}, problem.Errorf(problem.Invalid, "%s only reads: call it instead of proposing it.", t.Name)
	}
	if err := t.Input.Validate(ctx, input); err != nil {
		return Proposed{}, err
	}
	input, err := t.Input.Normalize(input)
	if err != nil {
		return Proposed{}, err
	}
	var read names
	c.Client = c.Client.noting(&read)
	proposed, err := within(ctx, t, func(ctx context.Context) (Proposed, error) { return t.code.DryRun(ctx, c, input) })
	if err != nil {
		return Proposed{}, err
	}
	if !t.made {
		proposed.Labels = read.label(proposed.Labels, proposed.Payload, proposed.Diff)
	}
	return proposed.shown(), nil
}

var namePattern = regexp.MustCompile(`^[a-z][a-zA-Z]{1,30}\.[a-z][a-zA-Z]{1,40}$`)

func (t Tool) check() error {
	switch {
	case !namePattern.MatchString(t.Name):
		return fmt.Errorf("tool %q: the name must look like module.verbNoun", t.Name)
	case t.Text.Missing != nil:
		return fmt.Errorf("tool %s: %w", t.Name, t.Text.Missing)
	case strings.TrimSpace(t.Description) == "":
		return fmt.Errorf("tool %s: the description is empty", t.Name)
	case len(t.Rules) == 0:
		return fmt.Errorf("tool %s: at least one access rule is required", t.Name)
	case t.Effect == Read && t.code.DryRun != nil && t.leaves == nil, t.Effect != Read && t.code.DryRun == nil:
		return fmt.Errorf("tool %s: effect %q does not fit its constructor", t.Name, t.Effect)
	case t.Effect != Read && t.Effect != Mutate && t.Effect != Destructive:
		return fmt.Errorf("tool %s: unknown effect %q", t.Name, t.Effect)
	case t.Timeout < 0 || t.Timeout > MaxTimeout:
		return fmt.Errorf("tool %s: a call may take %s at most", t.Name, MaxTimeout)
	case t.Access.Personal && t.Effect == Read:
		return fmt.Errorf("tool %s: only a write can be its caller's own", t.Name)
	case t.Impact.EffectByInput && (t.Effect != Mutate || !t.Impact.External):
		return fmt.Errorf("tool %s: only an external change can have an effect that depends on its input", t.Name)
	case t.Result.Question && t.Effect != Read:
		return fmt.Errorf("tool %s: only a read can be a question", t.Name)
	case t.code.Run == nil:
		return fmt.Errorf("tool %s: make it with a constructor of tool/kit", t.Name)
	}
	return nil
}
