package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"countersign/problem"
	"countersign/store"
)

// lateness is how much longer than its time an activity gets to return by itself.
const lateness = time.Second

// steps sees to it that every activity ends at its deadline, whatever its code does, and that Temporal repeats only what can
// succeed.
//
// A regular activity runs beside the goroutine that holds its place among the running ones: when its time is over it is given
// up, and what it answers later is dropped. Local activities are given up by the SDK in the same way. A suspension ends
// both before their time.
type steps struct {
	interceptor.WorkerInterceptorBase
	log *slog.Logger
	// suspension ends steps before their time; nil ends none.
	suspension *Suspension
}

func (s *steps) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &step{log: s.log, suspension: s.suspension}
	i.Next = next
	return i
}

type step struct {
	interceptor.ActivityInboundInterceptorBase
	log        *slog.Logger
	suspension *Suspension
}

type outcome struct {
	result any
	err    error
}

func (s *step) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	deadline, limited := ctx.Deadline()
	if (info.IsLocalActivity || !limited) && s.suspension == nil {
		result, err := s.Next.ExecuteActivity(ctx, in)
		return result, steered(err)
	}
	suspended := s.suspension.Begun()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				done <- outcome{err: fmt.Errorf("the activity %s panicked: %v\n%.2000s", info.ActivityType.Name, v, debug.Stack())}
			}
		}()
		result, err := s.Next.ExecuteActivity(ctx, in)
		done <- outcome{result, err}
	}()
	var over <-chan time.Time
	if limited && !info.IsLocalActivity {
		timer := time.NewTimer(time.Until(deadline) + lateness)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case o := <-done:
		select {
		case <-suspended:
			if o.err != nil {
				// It failed because of what the process is suspended for.
				return nil, abandoned(info.IsLocalActivity)
			}
		default:
		}
		return o.result, soon(info, steered(o.err))
	case <-suspended:
		// Its code may not heed the end of its context; what it records later is refused, as another process has the turn.
		err := abandoned(info.IsLocalActivity)
		cancel(err)
		return nil, err
	case <-over:
		s.log.Error(
			"Activity given up: it has not ended at its deadline",
			"activity",
			info.ActivityType.Name,
			"workflow",
			info.WorkflowExecution.ID,
			"attempt",
			info.Attempt,
		)
		return nil, context.DeadlineExceeded
	}
}

// awayRetry is how soon a local activity is repeated that could not reach the database: a longer pause would outlive
// the few seconds after which the process is suspended, and so keep its turn from others.
const awayRetry = time.Second

func soon(info activity.Info, err error) error {
	if _, decided := errors.AsType[*temporal.ApplicationError](err); decided || !info.IsLocalActivity ||
		!store.Away(err) || info.Attempt < 3 {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), "Away",
		temporal.ApplicationErrorOptions{NextRetryDelay: awayRetry, Cause: err})
}

// steered tells Temporal what the code of an error says about repeating: what cannot succeed is not repeated, and what can
// is not before its time.
func steered(err error) error {
	e, known := errors.AsType[*problem.Error](err)
	if _, decided := errors.AsType[*temporal.ApplicationError](err); !known || decided {
		return err
	}
	if e.Code.Retryable() && e.RetryAfter <= 0 {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(e.Code), temporal.ApplicationErrorOptions{
		NonRetryable: !e.Code.Retryable(), NextRetryDelay: e.RetryAfter, Cause: err,
	})
}
