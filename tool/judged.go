package tool

import (
	"context"

	"countersign/problem"
)

type judgedKey struct{}

// judged is the version of a tool that was looked at when it was decided what becomes of a call.
type judged struct{ name, version string }

// Judge marks what is done with ctx as a call of the tool of this version: what becomes of the call was decided by its effect and its
// policy. A tool without a version cannot change meanwhile. The mark is a value inside of the process: no request from outside can have it.
func Judge(ctx context.Context, name, version string) context.Context {
	if version == "" {
		return ctx
	}
	return context.WithValue(ctx, judgedKey{}, judged{name, version})
}

// StillJudged is a problem.Precondition when the tool has another version by now than the one by which it was decided what becomes of
// the call of ctx: what was let through as a read must not change anything. A call about which nothing was decided is as it is.
func StillJudged(ctx context.Context, name, version string) error {
	j, ok := ctx.Value(judgedKey{}).(judged)
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
