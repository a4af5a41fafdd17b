package sse

import (
	"context"
	"time"

	"countersign/internal/problem"
)

// ErrDraining ends a stream, or a waiting request, on graceful shutdown.
var ErrDraining error = problem.Errorf(
	problem.Unavailable,
	"This server is about to be restarted. Retry: nothing is lost, and another server takes over, or this one in a moment.",
).After(
	time.Second,
)

type drainKey struct{}

// Drained returns ctx for the requests of a server whose streams end when drain does, while its other requests
// complete.
func Drained(ctx, drain context.Context) context.Context {
	return context.WithValue(ctx, drainKey{}, drain)
}

// Open returns ctx for a stream, or for a request that may wait for minutes: it also ends with the streams of the
// server, with the cause ErrDraining. The function releases its resources.
func Open(ctx context.Context) (context.Context, context.CancelFunc) {
	open, end := context.WithCancelCause(ctx)
	drain, ok := ctx.Value(drainKey{}).(context.Context)
	if !ok {
		return open, func() { end(nil) }
	}
	stop := context.AfterFunc(drain, func() { end(ErrDraining) })
	return open, func() {
		stop()
		end(nil)
	}
}
