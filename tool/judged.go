package tool

import (
	"context"

	"countersign/problem"
)

type judgedKey struct{}

// judged is the version of a tool on which the disposition of a call was based.
type judged struct{ name, version string }

// Judge marks ctx with the version of the tool by whose effect and policy the call was decided. A tool without a
// version cannot change meanwhile. The mark is a context value, so no request can set it.
func Judge(ctx context.Context, name, version string) context.Context {
	if version == "" {
		return ctx
	}
	return context.WithValue(ctx, judgedKey{}, judged{name, version})
}

// StillJudged returns problem.Precondition when the tool has another version by now than the one that was decided
// about: a call that was allowed as a read must not change anything. An unmarked ctx passes.
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
