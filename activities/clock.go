package activities

import (
	"context"
	"errors"
	"time"

	"countersign/model"
	"countersign/tool/spend"
)

// stopwatch measures one model call for people who look at its turn.
type stopwatch struct{ begun, first time.Time }

func startClock() *stopwatch { return &stopwatch{begun: time.Now()} }

// heard notes when the first piece of an answer comes.
func (w *stopwatch) heard(delta func(model.Delta)) func(model.Delta) {
	return func(d model.Delta) {
		if w.first.IsZero() && !d.Restart {
			w.first = time.Now()
		}
		delta(d)
	}
}

func (w *stopwatch) timing(ctx context.Context, err error) spend.Timing {
	t := spend.Timing{Took: time.Since(w.begun), Failure: sortOfFailure(ctx, err)}
	if !w.first.IsZero() {
		t.First = w.first.Sub(w.begun)
	}
	return t
}

// Failures of calls that are no model's.
const (
	failureCanceled = "canceled"
	failureTimeout  = "timeout"
	failureHost     = "host"
)

// sortOfFailure is the sort of a failure, without a word of the provider.
func sortOfFailure(ctx context.Context, err error) string {
	failure, ok := errors.AsType[*model.Error](err)
	switch {
	case err == nil:
		return ""
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failureTimeout
	case ctx.Err() != nil:
		return failureCanceled
	case ok:
		return string(failure.Class)
	default:
		return failureHost
	}
}
