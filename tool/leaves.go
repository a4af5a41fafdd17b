package tool

import (
	"context"
	"encoding/json"
)

// LeavesWhen makes a read ask for a decision while why says how it could carry out what the caller has read. It is proposed
// then, under the summary, as a change would be, and applying it runs it.
func (t Tool) LeavesWhen(summary string, why func(ctx context.Context, c Caller) (string, error)) Tool {
	t.leaves = func(ctx context.Context, c Caller, _ json.RawMessage) (string, error) { return why(ctx, c) }
	t.dryRun = func(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
		reason, err := why(ctx, c)
		if err != nil {
			return Proposed{}, err
		}
		payload, err := Canonical(input)
		return Proposed{Summary: summary, Payload: payload, Effect: Mutate, WhyEffect: reason}, err
	}
	return t
}

// MayLeave reports whether the tool is a read that may have to be decided about.
func (t Tool) MayLeave() bool { return t.Effect == Read && t.leaves != nil }

// Leaves says how a call could carry out what the caller has read; "" when it cannot.
func (t Tool) Leaves(ctx context.Context, c Caller, input json.RawMessage) (why string, err error) {
	if t.leaves == nil {
		return "", nil
	}
	return t.leaves(ctx, c, input)
}
