// Package tool is the contract between the product's modules and everybody who calls tools: the chat, the REST API and
// later MCP clients and automations.
//
// A Tool has a name, a text for the model, closed JSON schemas generated from its Go structs, the access rules it
// needs, and an effect. A read tool runs. A write tool never runs when it is called: DryRun validates the input and
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

// Preview is the dry run of a write, shown to the decider.
type Preview[In any] struct {
	// Summary is one sentence in the imperative: "Create the system Payments API, owned by Platform".
	Summary string
	// Payload is the complete, validated input of Apply; usually the input itself.
	Payload In
	// Diff lists what an update changes; empty for a create.
	Diff []Change
	// Revision is the ETag of the target. Apply sends it as If-Match, so a target that has changed since is not
	// overwritten. Empty for a create.
	Revision string
	// Labels are the names of ids in Payload and Diff: {id: name}. Only people see them.
	Labels map[string]string
	// Effects are side effects of the change, one sentence each: "Its 3 contacts go with it." They count what the
	// caller sees.
	Effects []string
	// Effect is worse than that of the tool when this change removes access or data, and WhyEffect names the loss in a
	// sentence. Losses in Diff are found without it, see Lost. It is Read for an input of an EffectByInput tool that
	// only reads.
	Effect    Effect
	WhyEffect string
	// Before is what an undo needs of a deleted record: the input of the tool that creates it again, see Restorer. It
	// may hold only what the caller sees, as a later proposal shows it. It is not stored if it exceeds MaxBefore bytes
	// or holds a credential; nil for nothing.
	Before any
}

// Tool is a registered capability, made by NewRead, NewWrite or NewWriteFunc.
type Tool struct {
	Definition
	Input  *Schema
	Output *Schema

	run    func(ctx context.Context, c Caller, input json.RawMessage) (any, error)
	dryRun func(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error)
	// leaves is set for a read that may exfiltrate data; see LeavesWhen.
	leaves *Leaving

	inputOf   func(values []string, body []byte) (json.RawMessage, error)
	requestOf func(input json.RawMessage) (Request, error)

	// hung counts the running calls, abandoned ones included.
	hung *atomic.Int32
	// made marks a custom tool.
	made bool
}

// Proposed is a Preview with its payload in canonical JSON, ready to be stored.
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

// proposed converts a preview to its stored form.
func (p Preview[In]) proposed(d Definition) (Proposed, error) {
	payload, err := Canonical(p.Payload)
	if err != nil {
		return Proposed{}, err
	}
	before, err := keptRecord(p.Before)
	effects := shownEffects(p.Effects)
	if p.Before != nil && before == nil {
		effects = append(effects, notKept)
	}
	effect, why := effectOfDiff(d.Effect, p.Effect, p.WhyEffect, p.Diff)
	if d.Impact.EffectByInput && p.Effect == Read && effect == Mutate {
		effect = Read
	}
	return Proposed{
		Summary: text.Shown(
			p.Summary,
			maxSummary,
		),
		Payload:   payload,
		Diff:      p.Diff,
		Revision:  p.Revision,
		Labels:    shownLabels(p.Labels),
		Effects:   effects,
		Effect:    effect,
		WhyEffect: text.Shown(why, maxSummary),
		Before:    before,
	}, err
}

// Texts of a preview are truncated to these lengths.
const (
	maxSummary = 600
	maxLabel   = 200
)

// shownLabels cleans labels for display.
func shownLabels(labels map[string]string) map[string]string {
	for id, name := range labels {
		labels[id] = text.Shown(name, maxLabel)
	}
	return labels
}

// maxEffects bounds the shown effects.
const maxEffects = 20

// shownEffects cleans effects for display.
func shownEffects(effects []string) []string {
	shown := make([]string, 0, len(effects))
	for _, effect := range effects[:min(len(effects), maxEffects)] {
		shown = append(shown, text.Shown(effect, maxSummary))
	}
	return shown
}

// NewRead makes a tool that runs when called.
func NewRead[In, Out any](d Definition, run func(ctx context.Context, c Caller, in In) (Out, error)) Tool {
	return Tool{
		Definition: d, Input: SchemaOf[In](), Output: SchemaOf[Out](), hung: new(atomic.Int32),
		run: func(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
			in, err := decode[In](input)
			if err != nil {
				return nil, err
			}
			return run(ctx, c, in)
		},
	}
}

// NewWriteFunc makes a tool that is proposed when called and applied when countersigned. apply must make exactly one
// write through its Client: that call carries the idempotency key and the revision of the proposal. It is for tools
// whose output does not follow from request and answer; others use NewWrite.
func NewWriteFunc[In, Out any](
	d Definition,
	dryRun func(ctx context.Context, c Caller, in In) (Preview[In], error),
	apply func(ctx context.Context, c Caller, in In) (Out, error),
) Tool {
	if d.Access.Targets == nil {
		d.Access.Targets = targetsOf[In]()
	}
	return Tool{
		Definition: d, Input: inputSchema[In](d.Schema.HiddenInput), Output: SchemaOf[Out](), hung: new(atomic.Int32),
		inputOf: func(values []string, body []byte) (json.RawMessage, error) {
			return inputOf[In](d.Operations.Write, values, body)
		},
		run: func(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
			in, err := decode[In](input)
			if err != nil {
				return nil, err
			}
			return apply(ctx, c, in)
		},
		dryRun: func(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
			in, err := decode[In](input)
			if err != nil {
				return Proposed{}, err
			}
			p, err := dryRun(ctx, c, in)
			if err != nil {
				return Proposed{}, err
			}
			return p.proposed(d)
		},
	}
}

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
	input, err := t.Input.normalize(input)
	if err != nil {
		return nil, err
	}
	if t.Effect != Read && !ReadsOnly(ctx, t.Name) {
		return guarded(t.Name, func() (any, error) { return t.run(ctx, c, input) })
	}
	return within(ctx, t, func(ctx context.Context) (any, error) { return t.run(ctx, c, input) })
}

// DryRun validates the input and previews the effect of a write tool within its time limit, changing nothing.
func (t Tool) DryRun(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
	ctx, span := t.begin(ctx, "dry_run")
	proposed, err := t.validateAndDryRun(ctx, c, input)
	span.End(err)
	return proposed, err
}

func (t Tool) validateAndDryRun(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
	if t.dryRun == nil || t.Effect == Read && t.leaves == nil {
		return Proposed{}, problem.Errorf(problem.Invalid, "%s only reads: call it instead of proposing it.", t.Name)
	}
	if err := t.Input.Validate(ctx, input); err != nil {
		return Proposed{}, err
	}
	input, err := t.Input.normalize(input)
	if err != nil {
		return Proposed{}, err
	}
	var read names
	c.Client = c.Client.noting(&read)
	proposed, err := within(ctx, t, func(ctx context.Context) (Proposed, error) { return t.dryRun(ctx, c, input) })
	if err == nil && !t.made {
		proposed.Labels = read.label(proposed.Labels, proposed.Payload, proposed.Diff)
	}
	return proposed, err
}

var namePattern = regexp.MustCompile(`^[a-z][a-zA-Z]{1,30}\.[a-z][a-zA-Z]{1,40}$`)

func (t Tool) check() error {
	switch {
	case !namePattern.MatchString(t.Name):
		return fmt.Errorf("tool %q: the name must look like module.verbNoun", t.Name)
	case t.textError != nil:
		return fmt.Errorf("tool %s: %w", t.Name, t.textError)
	case strings.TrimSpace(t.Description) == "":
		return fmt.Errorf("tool %s: the description is empty", t.Name)
	case len(t.Rules) == 0:
		return fmt.Errorf("tool %s: at least one access rule is required", t.Name)
	case t.Effect == Read && t.dryRun != nil && t.leaves == nil, t.Effect != Read && t.dryRun == nil:
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
	case t.run == nil:
		return fmt.Errorf("tool %s: make it with NewRead, NewWrite or NewWriteFunc", t.Name)
	}
	return nil
}
