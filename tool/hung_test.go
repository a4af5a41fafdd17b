package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// deaf makes a read and a write whose code heeds no context: only release ends it.
func deaf(t *testing.T, limit time.Duration) (read, write tool.Tool) {
	t.Helper()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	read = kit.NewRead(tool.Definition{Name: "shelf.getBox", Effect: tool.Read, Timeout: limit},
		func(context.Context, tool.Caller, struct{}) (string, error) {
			<-release
			return "much too late", nil
		})
	write = kit.NewWriteFunc(tool.Definition{Name: "shelf.putBox", Effect: tool.Mutate, Timeout: limit},
		func(context.Context, tool.Caller, struct{}) (kit.Preview[struct{}], error) {
			<-release
			return kit.Preview[struct{}]{Summary: "Much too late"}, nil
		},
		func(context.Context, tool.Caller, struct{}) (string, error) { panic("a fault in the code") })
	return read, write
}

var nothing = json.RawMessage(`{}`)

func TestAToolThatHeedsNoContextIsGivenUpAllTheSame(t *testing.T) {
	t.Parallel()
	read, write := deaf(t, 10*time.Millisecond)
	out, err := read.Run(t.Context(), tool.Caller{}, nothing)
	require.Equal(t, problem.Unavailable, problem.CodeOf(err))
	require.ErrorContains(t, err, "longer than 10ms")
	require.Nil(t, out)
	proposed, err := write.DryRun(t.Context(), tool.Caller{}, nothing)
	require.Equal(t, problem.Unavailable, problem.CodeOf(err))
	require.Empty(t, proposed.Summary)
}

// A person who stops does not wait for the time of the tool.
func TestAStopEndsAToolThatHeedsNoContext(t *testing.T) {
	t.Parallel()
	read, _ := deaf(t, 45*time.Second)
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	_, err := read.Run(ctx, tool.Caller{}, nothing)
	require.ErrorIs(t, err, stopped)
}

// What is given up costs memory until its code returns, so it does not add up without end.
func TestCallsThatNeverEndDoNotAddUp(t *testing.T) {
	t.Parallel()
	read, write := deaf(t, time.Millisecond)
	refused := 0
	for range 400 {
		_, err := read.Run(t.Context(), tool.Caller{}, nothing)
		require.Equal(t, problem.Unavailable, problem.CodeOf(err))
		if problem.As(err).Detail[:8] == "Too many" {
			refused++
		}
	}
	require.Equal(t, 400-256, refused)
	_, err := write.DryRun(t.Context(), tool.Caller{}, nothing)
	require.ErrorContains(t, err, "longer than", "another tool has places of its own")
}

func TestAPanicInAToolIsAnError(t *testing.T) {
	t.Parallel()
	_, write := deaf(t, time.Second)
	read := kit.NewRead(
		tool.Definition{Name: "shelf.getBox", Effect: tool.Read},
		func(context.Context, tool.Caller, struct{}) (string, error) {
			boxes := make([]string, 0, 1)
			return boxes[cap(boxes)], nil
		},
	)
	for _, panics := range []tool.Tool{read, write} {
		_, err := panics.Run(t.Context(), tool.Caller{}, nothing)
		panicked, ok := errors.AsType[*tool.PanicError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, panics.Name, panicked.Tool)
		require.Equal(t, problem.Internal, problem.CodeOf(err), "what a person reads holds nothing of it")
		require.NotContains(t, problem.As(err).Detail, "index")
		require.Contains(t, err.Error(), "hung_test.go")
	}
}
