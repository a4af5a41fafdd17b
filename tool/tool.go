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
	"io/fs"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
	"countersign/telemetry"
	"countersign/text"
)

// Effect says what calling a tool can change. It is declared, never guessed from a name.
type Effect string

// Read changes nothing, Mutate creates or changes, Destructive removes and always needs a person's decision.
const (
	Read        Effect = "read"
	Mutate      Effect = "mutate"
	Destructive Effect = "destructive"
)

// Definition is what a tool declares about itself.
type Definition struct {
	// Name is dotted: "<module>.<verbNoun>". On provider wires the dot becomes an underscore.
	Name string
	// Title is what people call a tool that stands for an administrative operation; "" for all others.
	Title string
	// Description is the text the model reads; Define finds it.
	Description string
	Effect      Effect
	// Rules are the access rules the caller must hold, all of them. Grants may stand in for some.
	Rules  []string
	Grants []Grant
	// Along says what goes with what a change removes; see Alone and WithOthers.
	Along Along
	// Own marks a write that is about whoever acts alone, such as what they want to be remembered: its proposals are seen and
	// decided by their proposers, and by nobody else.
	Own bool
	// Targets are the records that a proposal with a payload is about; see Targeted, from which the constructors take it.
	Targets func(payload json.RawMessage) ([]Target, error)
	// Untrusted marks results that hold content from outside; after one, auto mode asks in the conversation.
	Untrusted bool
	// Trusted marks results that hold nothing but texts of the product itself. All others are shown to a model as data.
	Trusted bool
	// ToldBy are the rules, beside Rules, without which one result would have been another. It is for a read that tells of its module
	// nothing else; nil is for all others, which may have told whatever their caller could read there.
	ToldBy func(output json.RawMessage) []string
	// Timeout is how long a call may take: DefaultTimeout when zero, MaxTimeout at most.
	Timeout time.Duration
	// Question marks a read whose result is a question for the person: the turn ends with it, shown as a card.
	Question bool
	// ChatOnly tools make sense in a conversation only; they are not offered elsewhere.
	ChatOnly bool
	// Operation is the write of the REST API that the tool makes. NewWrite finds it by itself.
	Operation Operation
	// Also are operations that do a part of what the tool does and cannot be proposed: where its policy asks for
	// somebody's decision, they are refused to whoever cannot make it. Those of a read are refused while it is off.
	Also []Operation
	// Looks are operations that say what the tool would do, and do nothing: its dry run is made of them. They are refused while it is off.
	Looks []Operation
	// Hidden tools exist for the policies of their operation only: they are proposed by whoever makes that request and are
	// offered to nobody, least of all to a model.
	Hidden bool
	// Rehearsed tools make changes of which only their operation knows who may make them: rules and levels of their targets
	// do not tell. Whoever wants to decide about a proposal makes the change in a transaction that is taken back first.
	Rehearsed bool
	// ByHand marks a change that only a person in a session makes: no application, delegated program or tool call.
	ByHand bool
	// PersonDecides marks a write whose every change needs a person's decision, whatever the policy of the tool is.
	PersonDecides bool
	// Outward marks a write whose operation does something outside of the database. It is not rehearsed where a policy asks for
	// somebody's decision: the dry run stands for it.
	Outward bool
	// EffectByInput marks an Outward write of which some inputs only read. Its dry run says Read for those, and they
	// run at once; what is not known to read is a change. See RunAsRead.
	EffectByInput bool
	// Version is what the revision of a proposal must be for it to be applied, and what the tool must still be when a call of it is made,
	// for a tool that can change meanwhile; "" for all others.
	Version string
	// Maker is the record in which people have written the tool; zero for the tools of the product.
	Maker Maker
	// Sealed are members of the payload that hold a secret which the dry run has sealed.
	Sealed []string
	// Inverse says which call takes a change back; nil where none takes back the whole of it.
	Inverse Inverse
	// Untold are members of the input that models are not told of: what only an undo fills. They are valid all the same.
	Untold []string
	// Pare fits the input that the inverse makes to how things are by then; nil leaves it as it is.
	Pare Pare
	// Covers are other tools whose policies hold for every change too, because it has their effect among its own: what
	// deletes a group takes its systems out of it. Under are those for which that depends on the input. nil is none.
	Covers []string
	Under  func(input json.RawMessage) []string
	// NeedsSecond reports that a change needs a second person whatever the policy of the tool is, because one person could
	// undo by it what policies ask for. asking are the tools whose policies ask for one. nil is never.
	NeedsSecond func(input json.RawMessage, asking []string) bool
	// NeedsPerson reports that a change needs a person's decision whatever the policy of the tool is, because a program could
	// undo by it what policies ask for. kept are the tools that are switched off or ask for a person. nil is never.
	NeedsPerson func(input json.RawMessage, kept []string) bool
	// Loosens finds the policies of other tools that a change loosens; nil is none.
	Loosens rest.Loosens

	// texts is where the description was looked for, flaw why it was not found there.
	texts fs.FS
	flaw  error
}

// Tainted is implemented by an output that knows whether it holds content from outside. It adds to
// Definition.Untrusted: a tool whose results always do declares that.
type Tainted interface {
	Tainted() bool
}

// Originated is implemented by an output that can name where its content comes from: an author, a title.
type Originated interface {
	Origin() string
}

// Taints reports whether an output of the tool holds content from outside.
func (d Definition) Taints(output any) bool {
	known, ok := output.(Tainted)
	return d.Untrusted || ok && known.Tainted()
}

// Origin names what a call has read: what its output says, else the URL it was about.
func (d Definition) Origin(input json.RawMessage, output any) string {
	if known, ok := output.(Originated); ok {
		return known.Origin()
	}
	var about struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(input, &about) != nil {
		return ""
	}
	return about.URL
}

// Caller is on whose behalf a tool runs.
type Caller struct {
	Principal principal.Principal
	Client    *Client
	// Words are the messages that the person has written in the conversation, as far as they are part of its history.
	Words []string
	// Room is what the model that calls has left for the result.
	Room Room
}

// Preview is what a write tool would do, shown to the person who decides.
type Preview[In any] struct {
	// Summary is one sentence in the imperative: "Create the system Payments API, owned by Platform".
	Summary string
	// Payload is the complete, validated input that Apply will get; usually the input itself.
	Payload In
	// Diff lists what an update changes; empty for a create.
	Diff []Change
	// Revision is the ETag of what would be changed. Apply sends it as If-Match, so a target that has changed since is
	// not overwritten. Empty for a create.
	Revision string
	// Labels name what Payload and Diff refer to by id: {id: name}. They are for the eyes of the person only.
	Labels map[string]string
	// Effects are what happens beside the change itself, one sentence each: "Its 3 contacts go with it." They are counted
	// by what the caller sees.
	Effects []string
	// Effect is worse than that of the tool when this change takes access or things away, and WhyEffect says what, as a
	// sentence. What Diff shows to be lost is found without it, see Lost. It is Read for an input of an EffectByInput
	// tool that changes nothing anywhere.
	Effect    Effect
	WhyEffect string
	// Before is what a deletion keeps of what it deletes: the input of the tool that makes it again, see Restorer. It is shown to
	// nobody before that is proposed, so it may hold no more than the caller sees; of more than MaxBefore bytes, and of what holds a
	// credential, nothing is kept. nil for nothing.
	Before any
}

// Tool is a registered capability. Make one with NewRead, NewWrite or NewWriteFunc.
type Tool struct {
	Definition
	Input  *Schema
	Output *Schema

	run    func(ctx context.Context, c Caller, input json.RawMessage) (any, error)
	dryRun func(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error)
	// leaves is set for a read that may be a way out; see LeavesWhen.
	leaves *Leaving

	inputOf   func(values []string, body []byte) (json.RawMessage, error)
	requestOf func(input json.RawMessage) (Request, error)

	// hung counts the calls that run, given up or not.
	hung *atomic.Int32
	// made is set for a tool of a source.
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
	// Effect is that of the tool, or the worse one of this change, for the reason WhyEffect.
	Effect    Effect
	WhyEffect string
	// Before is what is kept of what goes; nil for nothing.
	Before json.RawMessage
}

// proposed is a preview of a tool with an effect, as it is stored.
func (p Preview[In]) proposed(d Definition) (Proposed, error) {
	payload, err := Canonical(p.Payload)
	if err != nil {
		return Proposed{}, err
	}
	before, err := kept(p.Before)
	effects := shownEffects(p.Effects)
	if p.Before != nil && before == nil {
		effects = append(effects, notKept)
	}
	effect, why := raised(d.Effect, p.Effect, p.WhyEffect, p.Diff)
	if d.EffectByInput && p.Effect == Read && effect == Mutate {
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

// What a person decides by is bounded, whatever it was made of.
const (
	maxSummary = 600
	maxLabel   = 200
)

// shownLabels are labels as a person may see them.
func shownLabels(labels map[string]string) map[string]string {
	for id, name := range labels {
		labels[id] = text.Shown(name, maxLabel)
	}
	return labels
}

// maxEffects is how many effects a person is shown.
const maxEffects = 20

// shownEffects are effects as a person may see them.
func shownEffects(effects []string) []string {
	shown := make([]string, 0, len(effects))
	for _, effect := range effects[:min(len(effects), maxEffects)] {
		shown = append(shown, text.Shown(effect, maxSummary))
	}
	return shown
}

// NewRead makes a tool that runs when it is called.
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

// NewWriteFunc makes a tool that is proposed when it is called and applied when it is countersigned. apply must make
// exactly one write through its Client: that call carries the idempotency key and the revision of the proposal. It is for
// the odd tool whose output its Request and the answer do not tell; NewWrite is for all others.
func NewWriteFunc[In, Out any](
	d Definition,
	dryRun func(ctx context.Context, c Caller, in In) (Preview[In], error),
	apply func(ctx context.Context, c Caller, in In) (Out, error),
) Tool {
	if d.Targets == nil {
		d.Targets = targetsOf[In]()
	}
	return Tool{
		Definition: d, Input: inputSchema[In](d.Untold), Output: SchemaOf[Out](), hung: new(atomic.Int32),
		inputOf: func(values []string, body []byte) (json.RawMessage, error) {
			return inputOf[In](d.Operation, values, body)
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

// Run validates the input and runs a read tool within its time, or applies a write tool with a stored payload.
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

// begin begins the span of a call.
func (t Tool) begin(ctx context.Context, phase string) (context.Context, telemetry.Span) {
	return telemetry.Start(ctx, trace.SpanKindInternal, "execute_tool "+t.Name,
		telemetry.GenAIOperation.String("execute_tool"), telemetry.GenAITool.String(t.Name), telemetry.ToolPhase.String(phase))
}

func (t Tool) validateAndRun(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
	if err := t.current(ctx, c); err != nil {
		return nil, err
	}
	ctx = Judge(ctx, t.Name, t.Version)
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

// DryRun validates the input and says within the tool's time what a write tool would do, changing nothing.
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
	case t.flaw != nil:
		return fmt.Errorf("tool %s: %w", t.Name, t.flaw)
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
	case t.Own && t.Effect == Read:
		return fmt.Errorf("tool %s: only a write can be its caller's own", t.Name)
	case t.EffectByInput && (t.Effect != Mutate || !t.Outward):
		return fmt.Errorf("tool %s: only an outward change can have an effect that depends on its input", t.Name)
	case t.Question && t.Effect != Read:
		return fmt.Errorf("tool %s: only a read can be a question", t.Name)
	case t.run == nil:
		return fmt.Errorf("tool %s: make it with NewRead, NewWrite or NewWriteFunc", t.Name)
	}
	return nil
}
