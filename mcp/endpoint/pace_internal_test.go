package endpoint

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/problem"
)

func TestListsAreAnsweredAtTheirPace(t *testing.T) {
	t.Parallel()
	a := pace{atOnce: 120}
	now := time.Now()
	for i := range a.atOnce {
		require.NoError(t, a.admit("user:a", now), i)
	}
	err := a.admit("user:a", now)
	require.True(t, problem.Is(err, problem.Throttled), "%v", err)
	require.NotEmpty(t, problem.As(err).GetHeaders().Get("Retry-After"))
	require.NoError(t, a.admit("user:b", now), "each for itself")
	require.NoError(t, a.admit("user:a", now.Add(listsEvery)))
	require.Error(t, a.admit("user:a", now.Add(listsEvery)))

	// Those who ask for nothing are forgotten, and nobody who is still made to wait.
	for i := range mostPaced {
		_ = a.admit(fmt.Sprint("user:", i), now.Add(listsEvery))
	}
	require.LessOrEqual(t, len(a.paced), mostPaced+2)
	require.NoError(t, a.admit("user:new", now.Add(2*listsEvery)))
	require.LessOrEqual(t, len(a.paced), 3, "%d", len(a.paced))
	require.NotNil(t, a.paced["user:a"])
}
