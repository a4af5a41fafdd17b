package worker

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
)

// shardHeartbeats sends the heartbeats of activities that hold shards. The SDK's own heartbeats end an activity when
// the server does not answer for a moment; checks continue as long as their leases in the database hold.
type shardHeartbeats struct {
	interceptor.WorkerInterceptorBase

	client client.Client
	log    *slog.Logger
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (h *shardHeartbeats) InterceptActivity(
	_ context.Context,
	next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	i := &shardHolding{shardHeartbeats: h}
	i.Next = next
	return i
}

// heartbeatEvery is how soon the holder of a shard learns that it has to stop.
const heartbeatEvery = 20 * time.Second

type shardHolding struct {
	interceptor.ActivityInboundInterceptorBase

	*shardHeartbeats
}

// ExecuteActivity ends the activity when the server says so in the answer to a heartbeat.
func (h *shardHolding) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if info.HeartbeatTimeout <= 0 {
		return h.Next.ExecuteActivity(ctx, in)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stopped := make(chan struct{})
	defer func() { <-stopped }()
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer close(stopped)
		h.beat(beating, info.TaskToken, min(info.HeartbeatTimeout/4, heartbeatEvery), end)
	}()
	return h.Next.ExecuteActivity(ctx, in)
}

func (h *shardHeartbeats) beat(ctx context.Context, token []byte, every time.Duration, end context.CancelCauseFunc) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		limited, cancel := context.WithTimeout(ctx, every)
		err := h.client.RecordActivityHeartbeat(limited, token)
		cancel()
		if mustStop(err) {
			end(err)
			return
		}
		if err != nil && !away && ctx.Err() == nil {
			h.log.Warn("Temporal does not answer; checks go on", "error", err)
		}
		away = err != nil
	}
}

// mustStop reports whether the answer to a heartbeat ends the activity.
func mustStop(err error) bool {
	if err == nil {
		return false
	}
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return true
	}
	return temporal.IsCanceledError(err) || errors.Is(err, activity.ErrActivityPaused) || errors.Is(err, activity.ErrActivityReset)
}
