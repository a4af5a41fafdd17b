package worker

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// answering is a server that answers heartbeats one after the other, and then always with nothing.
type answering struct {
	client.Client

	answers []error
	beats   atomic.Int64
}

func (a *answering) RecordActivityHeartbeat(context.Context, []byte, ...any) error {
	n := int(a.beats.Add(1))
	if n > len(a.answers) {
		return nil
	}
	return a.answers[n-1]
}

// Who holds a shard goes on while the server is away, and ends when it says that somebody else is to go on.
func TestAHoldOutlivesAServerThatIsAway(t *testing.T) {
	t.Parallel()
	away := serviceerror.NewUnavailable("connection refused")
	for name, last := range map[string]error{
		"another one got it": serviceerror.NewNotFound("no such activity"),
		"it was cancelled":   temporal.NewCanceledError(),
		"it was paused":      activity.ErrActivityPaused,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &answering{answers: []error{nil, away, context.DeadlineExceeded, away, nil, away, last}}
			h := &shardHeartbeats{client: server, log: slog.New(slog.DiscardHandler)}
			ctx, end := context.WithCancelCause(t.Context())
			h.beat(ctx, nil, time.Millisecond, end)
			require.Equal(t, int64(len(server.answers)), server.beats.Load())
			require.ErrorIs(t, context.Cause(ctx), last)
		})
	}
}
