package tool

import (
	"context"
	"encoding/json"

	"countersign/problem"
	"countersign/text"
)

type readsOnlyKey struct{}

// RunAsRead runs a call that was decided about as a read: one of a read, or one of an EffectByInput tool whose dry run
// says that it only reads. It may be another call by the time it is made, so the operation of such a tool calls
// RefuseChange before it acts.
func (t Tool) RunAsRead(ctx context.Context, c Caller, input json.RawMessage) (any, error) {
	if t.Impact.EffectByInput {
		ctx = OnlyReading(ctx, t.Name)
	}
	return t.Run(ctx, c, input)
}

// OnlyReading marks what is done with ctx as a call of the tool that was let through because it only reads.
func OnlyReading(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, readsOnlyKey{}, name)
}

// ReadsOnly reports whether what is done with ctx is a call of the tool that was let through because it only reads. The
// mark is a value inside of the process: no request from outside can have it.
func ReadsOnly(ctx context.Context, name string) bool {
	marked, _ := ctx.Value(readsOnlyKey{}).(string)
	return marked == name
}

// RefuseChange is an error where ctx is that of a call of the tool that was let through because it only reads.
func RefuseChange(ctx context.Context, name string) error {
	if !ReadsOnly(ctx, name) {
		return nil
	}
	return problem.Errorf(problem.Precondition, "This call of %s was let through because it only read, and would "+
		"change something now. So nothing was done. Ask for it again.", name)
}

// AsLeaving is what is proposed of a call that only reads and could carry out what its caller has read, as why says.
func (p Proposed) AsLeaving(why string) Proposed {
	p.Effect, p.WhyEffect = Mutate, text.Shown(why, maxSummary)
	return p
}
