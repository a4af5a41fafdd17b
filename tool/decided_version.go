package tool

import (
	"context"

	"countersign/internal/problem"
)

type decidedVersionKey struct{}

// decidedVersion is the version of a tool by which the disposition of a call was decided.
type decidedVersion struct{ name, version string }

// WithDecidedVersion marks ctx as a call of the tool of this version, whose effect and policy decided about the call. A
// tool without a version cannot change meanwhile. The mark stays in the process: no request from outside can have it.
func WithDecidedVersion(ctx context.Context, name, version string) context.Context {
	if version == "" {
		return ctx
	}
	return context.WithValue(ctx, decidedVersionKey{}, decidedVersion{name, version})
}

// CheckDecidedVersion returns a problem.Precondition when the tool has another version than the one by which the call of
// ctx was decided: a call that was allowed as a read must not change anything. Calls without a decision pass.
func CheckDecidedVersion(ctx context.Context, name, version string) error {
	j, ok := ctx.Value(decidedVersionKey{}).(decidedVersion)
	if !ok || j.name != name || j.version == version {
		return nil
	}
	return problem.Errorf(
		problem.Precondition,
		"The tool %s was changed while this call was on its way: another revision of its agent is live, or its server or "+
			"an administrator has changed it. So nothing was called. Ask for it again, as the tool is now.",
		name,
	)
}
