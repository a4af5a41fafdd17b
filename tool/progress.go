package tool

import "context"

type progressKey struct{}

// WithProgress registers a progress callback for a call: report gets a short text for people, such as "Running", from
// any goroutine, and must not block. In-process requests keep the context, so reports pass through the Client.
func WithProgress(ctx context.Context, report func(stage string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Report reports the progress of the call in ctx to its listener, if it has one.
func Report(ctx context.Context, stage string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok {
		report(stage)
	}
}
