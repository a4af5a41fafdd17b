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

	"countersign/event"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// returnGrace is how much longer than its timeout an activity gets to return by itself.
const returnGrace = time.Second

// steps is an interceptor that ends every activity at its deadline, marks errors that a retry cannot mend as
// non-retryable, and notes a workflow that an event led to as the cause of what its activities do.
//
// A regular activity runs in a goroutine beside the one that occupies its slot: at its deadline it is abandoned, and a
// later result is dropped. The SDK abandons local activities in the same way. A suspension abandons both earlier.
type steps struct {
	interceptor.WorkerInterceptorBase
	log *slog.Logger
	// suspension abandons running steps; nil abandons none.
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
	ctx = event.ForWorkflow(ctx, info.WorkflowExecution.ID)
	deadline, limited := ctx.Deadline()
	if (info.IsLocalActivity || !limited) && s.suspension == nil {
		result, err := s.Next.ExecuteActivity(ctx, in)
		return result, withRetryHints(err)
	}
	suspended := s.suspension.Suspended()
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
		timer := time.NewTimer(time.Until(deadline) + returnGrace)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case o := <-done:
		select {
		case <-suspended:
			if o.err != nil {
				// It failed by the cause of the suspension.
				return nil, abandoned(info.IsLocalActivity)
			}
		default:
		}
		return o.result, retrySoonInOutage(info, withRetryHints(o.err))
	case <-suspended:
		// Its code may ignore its canceled context; later records of it are fenced off, as another process has the turn.
		err := abandoned(info.IsLocalActivity)
		cancel(err)
		return nil, err
	case <-over:
		s.log.Error(
			"Activity abandoned at its deadline",
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

// outageRetryDelay is the backoff of a local activity at the beginning of a database outage: a longer one would outlast
// the few seconds after which the process is suspended, and so keep its turn from other processes. An outage after which
// the process still works, such as a full disk, takes longer, with the backoff of the step.
const (
	outageRetryDelay   = time.Second
	firstOutageAttempt = 3
	lastOutageAttempt  = 9
)

func retrySoonInOutage(info activity.Info, err error) error {
	if _, decided := errors.AsType[*temporal.ApplicationError](err); decided || !info.IsLocalActivity ||
		!store.Unavailable(err) || info.Attempt < firstOutageAttempt || info.Attempt > lastOutageAttempt {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), "Away",
		temporal.ApplicationErrorOptions{NextRetryDelay: outageRetryDelay, Cause: err})
}

// withRetryHints passes to Temporal whether an error is retryable, and after what delay.
func withRetryHints(err error) error {
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
