package activities

import (
	"context"
	"errors"
	"time"

	"countersign/model"
	"countersign/tool/spend"
)

// stopwatch measures one model call for the turn details.
type stopwatch struct{ begun, first time.Time }

func startStopwatch() *stopwatch { return &stopwatch{begun: time.Now()} }

// onFirst records when the first piece of an answer arrives.
func (w *stopwatch) onFirst(delta func(model.Delta)) func(model.Delta) {
	return func(d model.Delta) {
		if w.first.IsZero() && !d.Restart {
			w.first = time.Now()
		}
		delta(d)
	}
}

func (w *stopwatch) timing(ctx context.Context, err error) spend.Timing {
	t := spend.Timing{Took: time.Since(w.begun), Failure: failureClass(ctx, err)}
	if !w.first.IsZero() {
		t.First = w.first.Sub(w.begun)
	}
	return t
}

// Failure classes of calls that did not fail at the model.
const (
	failureCanceled = "canceled"
	failureTimeout  = "timeout"
	failureHost     = "host"
)

// failureClass is the class of a failure, without text of the provider.
func failureClass(ctx context.Context, err error) string {
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
