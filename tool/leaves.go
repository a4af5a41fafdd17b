package tool

import (
	"context"
	"encoding/json"
)

// Leaving describes how a call could exfiltrate what its caller has read.
type Leaving struct {
	// Why is a sentence for the person who decides; "" for a call that cannot.
	Why func(ctx context.Context, c Caller, input json.RawMessage) (string, error)
	// Summary describes the read in the imperative. Writes have their dry run.
	Summary func(input json.RawMessage) string
	// OnlyLoaded marks an operation without side effects at its destination: in any mode it needs a decision only
	// while the conversation holds something that could be exfiltrated.
	OnlyLoaded bool
	// Always reports that Why is never "", because every call sends the caller's words out.
	Always bool
}

// LeavesWhen makes a call need a decision while it could exfiltrate what the caller has read. Such a read is proposed
// like a change, and applying it runs it. A write keeps its dry run, and is not applied automatically.
func (t Tool) LeavesWhen(l Leaving) Tool {
	t.leaves = &l
	if t.Effect != Read {
		return t
	}
	t.code.DryRun = func(ctx context.Context, c Caller, input json.RawMessage) (Proposed, error) {
		reason, err := l.Why(ctx, c, input)
		if err != nil {
			return Proposed{}, err
		}
		payload, err := Canonical(input)
		return Proposed{
			Summary:   l.Summary(input),
			Payload:   payload,
			Revision:  t.Identity.Version,
			Effect:    Mutate,
			WhyEffect: reason,
		}, err
	}
	return t
}

// MayLeave reports whether the tool is a read, or has inputs with which it only reads, that may need a decision.
func (t Tool) MayLeave() bool { return t.leaves != nil && (t.Effect == Read || t.Impact.EffectByInput) }

// AlwaysLeaves reports whether each call of the tool could exfiltrate what its caller has read.
func (t Tool) AlwaysLeaves() bool { return t.MayLeave() && t.leaves.Always }

// Leaves explains how a call could exfiltrate what the caller has read; "" when it cannot. loaded reports whether the
// caller has read anything worth it.
func (t Tool) Leaves(ctx context.Context, c Caller, input json.RawMessage, loaded bool) (why string, err error) {
	if t.leaves == nil || t.leaves.OnlyLoaded && !loaded {
		return "", nil
	}
	return t.leaves.Why(ctx, c, input)
}
