package process_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/process"
)

func TestALoopThatNoProcessWouldRunIsRefused(t *testing.T) {
	t.Parallel()
	run := func(context.Context) {}
	require.NoError(t, process.Check(
		process.Loop{Name: "send", Role: process.Turns, Run: run}, process.Loop{Name: "listen", Role: process.API, Run: run},
	))
	for _, wrong := range []process.Loop{
		{Role: process.API, Run: run}, {Name: "send", Role: process.API}, {Name: "send", Run: run}, {Name: "send", Role: "everywhere", Run: run},
	} {
		require.Error(t, process.Check(wrong), "%+v", wrong.Role)
	}
	twice := process.Loop{Name: "send", Role: process.Exec, Run: run}
	require.ErrorContains(t, process.Check(twice, twice), "twice")
}
