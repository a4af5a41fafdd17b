package tool

import "context"

type progressKey struct{}

// WithProgress lets a call tell how far it is: report is called with a short text for people, such as "Running", from
// any goroutine. It must not block. What the call tells goes on through its Client, as requests in process keep the
// context.
func WithProgress(ctx context.Context, report func(stage string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Report tells whoever wants to know how far the call in ctx is; nobody may.
func Report(ctx context.Context, stage string) {
	if report, ok := ctx.Value(progressKey{}).(func(string)); ok {
		report(stage)
	}
}
