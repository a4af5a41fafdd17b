package tool

import (
	"context"
	"encoding/json"

	"countersign/internal/problem"
	"countersign/internal/text"
)

type readsOnlyKey struct{}

// RunAsRead runs a call that was decided as a read: a read, or an EffectByInput tool whose dry run reports that it only
// reads. The input may act differently by the time it runs, so the operation of such a tool calls RefuseChange before
// it acts.
func (t Tool) RunAsRead(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
	if t.Impact.EffectByInput {
		ctx = OnlyReading(ctx, t.Name)
	}
	return t.Run(ctx, c, input)
}

// OnlyReading marks ctx as a call of the tool that was allowed because it only reads.
func OnlyReading(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, readsOnlyKey{}, name)
}

// ReadsOnly reports whether ctx is a call of the tool that was allowed because it only reads. The mark is a context
// value, so no request can set it.
func ReadsOnly(ctx context.Context, name string) bool {
	marked, _ := ctx.Value(readsOnlyKey{}).(string)
	return marked == name
}

// RefuseChange returns an error where ctx is a call of the tool that was allowed because it only reads.
func RefuseChange(ctx context.Context, name string) error {
	if !ReadsOnly(ctx, name) {
		return nil
	}
	return problem.Errorf(problem.Precondition, "This call of %s was let through because it only read, and would "+
		"change something now. So nothing was done. Ask for it again.", name)
}

// AsLeaving makes the proposal of a read that could exfiltrate what its caller has read, as why says.
func (p Proposed) AsLeaving(why string) Proposed {
	p.Effect, p.WhyEffect = Mutate, text.Shown(why, MaxSummary)
	return p
}
