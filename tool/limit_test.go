package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

// forEver ends when it is given up, and then as a call that was cut off does.
func forEver[Out any](ctx context.Context) (out Out, err error) {
	<-ctx.Done()
	return out, errors.New("connection closed")
}

func TestReadsAndDryRunsAreGivenUpAfterTheirTime(t *testing.T) {
	t.Parallel()
	read := kit.NewRead(tool.Definition{Name: "shelf.getBox", Effect: tool.Read, Timeout: time.Second},
		func(ctx context.Context, _ tool.Caller, _ struct{}) (struct{}, error) { return forEver[struct{}](ctx) })
	write := kit.NewWriteFunc(tool.Definition{Name: "shelf.putBox", Effect: tool.Mutate},
		func(ctx context.Context, _ tool.Caller, _ struct{}) (kit.Preview[struct{}], error) {
			return forEver[kit.Preview[struct{}]](ctx)
		},
		func(ctx context.Context, _ tool.Caller, _ struct{}) (bool, error) {
			_, limited := ctx.Deadline()
			return limited, nil
		})
	input := json.RawMessage(`{}`)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := read.Run(t.Context(), tool.Caller{}, input)
		require.Equal(t, problem.Unavailable, problem.CodeOf(err))
		require.ErrorContains(t, err, "longer than 1s")
		require.Equal(t, time.Second, time.Since(began))

		began = time.Now()
		_, err = write.DryRun(t.Context(), tool.Caller{}, input)
		require.ErrorContains(t, err, "longer than 30s")
		require.Equal(t, tool.DefaultTimeout, time.Since(began))

		// An apply that is given up could have had its effect.
		limited, err := write.Run(t.Context(), tool.Caller{}, input)
		require.NoError(t, err)
		require.Equal(t, false, limited)

		// Whoever gave the call up before knows why.
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = read.Run(gone, tool.Caller{}, input)
		require.Error(t, err)
		require.Zero(t, problem.As(err).Issues)
	})
}
