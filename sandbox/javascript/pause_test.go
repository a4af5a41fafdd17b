package javascript_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
)

// A script that computes gives way while it is asked to, ends at its deadline all the same, and is not asked when it is
// short.
func TestALongScriptPauses(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	e, err := javascript.New(t.Context(), javascript.Options{Slots: 1, Pause: func() time.Duration {
		asked.Add(1)
		return 50 * time.Millisecond
	}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(context.WithoutCancel(t.Context()))) })
	const limit = 2 * time.Second
	run := func(source string) sandbox.Outcome {
		o, err := e.Run(t.Context(), sandbox.Job{Source: source, Name: "script.js", Limits: sandbox.Limits{Timeout: limit}})
		require.NoError(t, err)
		return o
	}
	o := run(`for (;;) {}`)
	require.Equal(t, sandbox.Timeout, o.Kind)
	require.GreaterOrEqual(t, o.Duration, limit)
	paused := asked.Load()
	require.Positive(t, paused)
	require.LessOrEqual(t, paused, int32(limit/(70*time.Millisecond)+2), "each pause takes its time")
	require.Equal(t, sandbox.OK, run(`export default 1`).Kind)
}
