// Package kit is what tools are written with: constructors of reads and writes over typed inputs, schemas of their
// structs, and the parts of dry runs: records of the REST API, diffs, effects and undos. Code that calls tools needs the
// contract alone, package tool.
package kit

import (
	"context"
	"encoding/json"
	"slices"

	"countersign/tool"
)

// Preview is the dry run of a write, shown to the decider.
type Preview[In any] struct {
	// Summary is one sentence in the imperative: "Create the system Payments API, owned by Platform".
	Summary string
	// Payload is the complete, validated input of Apply; usually the input itself.
	Payload In
	// Diff lists what an update changes; empty for a create.
	Diff []tool.Change
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
	Effect    tool.Effect
	WhyEffect string
	// Before is what an undo needs of a deleted record: the input of the tool that creates it again, see Restorer. It
	// may hold only what the caller sees, as a later proposal shows it. It is not stored if it exceeds MaxBefore bytes
	// or holds a credential; nil for nothing.
	Before any
}

// proposed converts a preview to its stored form.
func (p Preview[In]) proposed(d tool.Definition) (tool.Proposed, error) {
	payload, err := tool.Canonical(p.Payload)
	if err != nil {
		return tool.Proposed{}, err
	}
	before, err := keptRecord(p.Before)
	effects := slices.Clone(p.Effects[:min(len(p.Effects), maxEffects)])
	if p.Before != nil && before == nil {
		effects = append(effects, notKept)
	}
	effect, why := effectOfDiff(d.Effect, p.Effect, p.WhyEffect, p.Diff)
	if d.Impact.EffectByInput && p.Effect == tool.Read && effect == tool.Mutate {
		effect = tool.Read
	}
	return tool.Proposed{
		Summary:   p.Summary,
		Payload:   payload,
		Diff:      p.Diff,
		Revision:  p.Revision,
		Labels:    p.Labels,
		Effects:   effects,
		Effect:    effect,
		WhyEffect: why,
		Before:    before,
	}, err
}

// NewRead makes a tool that runs when called.
func NewRead[In, Out any](d tool.Definition, run func(ctx context.Context, c tool.Caller, in In) (Out, error)) tool.Tool {
	return tool.New(d, tool.Implementation{
		Input: SchemaOf[In](), Output: SchemaOf[Out](),
		Run: func(ctx context.Context, c tool.Caller, input json.RawMessage) (any, error) {
			in, err := decode[In](input)
			if err != nil {
				return nil, err
			}
			return run(ctx, c, in)
		},
	})
}

// NewWriteFunc makes a tool that is proposed when called and applied when countersigned. apply must make exactly one
// write through its Client: that call carries the idempotency key and the revision of the proposal. It is for tools
// whose output does not follow from request and answer; others use NewWrite.
func NewWriteFunc[In, Out any](
	d tool.Definition,
	dryRun func(ctx context.Context, c tool.Caller, in In) (Preview[In], error),
	apply func(ctx context.Context, c tool.Caller, in In) (Out, error),
) tool.Tool {
	d = prepared[In](d)
	return tool.New(d, writing(d, dryRun, apply))
}

// writing is the code of a write over typed inputs.
func writing[In, Out any](
	d tool.Definition,
	dryRun func(ctx context.Context, c tool.Caller, in In) (Preview[In], error),
	apply func(ctx context.Context, c tool.Caller, in In) (Out, error),
) tool.Implementation {
	return tool.Implementation{
		Input: inputSchema[In](d.Schema.HiddenInput), Output: SchemaOf[Out](),
		InputOf: func(values []string, body []byte) (json.RawMessage, error) {
			return inputOf[In](d.Operations.Write, values, body)
		},
		Run: func(ctx context.Context, c tool.Caller, input json.RawMessage) (any, error) {
			in, err := decode[In](input)
			if err != nil {
				return nil, err
			}
			return apply(ctx, c, in)
		},
		DryRun: func(ctx context.Context, c tool.Caller, input json.RawMessage) (tool.Proposed, error) {
			in, err := decode[In](input)
			if err != nil {
				return tool.Proposed{}, err
			}
			p, err := dryRun(ctx, c, in)
			if err != nil {
				return tool.Proposed{}, err
			}
			return p.proposed(d)
		},
	}
}

// prepared completes a definition from the input of a write.
func prepared[In any](d tool.Definition) tool.Definition {
	if d.Access.Targets == nil {
		d.Access.Targets = targetsOf[In]()
	}
	return d
}
