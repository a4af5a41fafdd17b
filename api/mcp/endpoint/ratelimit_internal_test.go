package endpoint

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/problem"
)

func TestListsAreAnsweredAtTheirPace(t *testing.T) {
	t.Parallel()
	a := rateLimiter{burst: 120}
	now := time.Now()
	for i := range a.burst {
		require.NoError(t, a.allow("user:a", now), i)
	}
	err := a.allow("user:a", now)
	require.True(t, problem.Is(err, problem.Throttled), "%v", err)
	require.NotEmpty(t, problem.As(err).GetHeaders().Get("Retry-After"))
	require.NoError(t, a.allow("user:b", now), "each for itself")
	require.NoError(t, a.allow("user:a", now.Add(refillInterval)))
	require.Error(t, a.allow("user:a", now.Add(refillInterval)))

	// Those who ask for nothing are forgotten, and nobody who is still made to wait.
	for i := range maxLimiters {
		_ = a.allow(fmt.Sprint("user:", i), now.Add(refillInterval))
	}
	require.LessOrEqual(t, len(a.limiters), maxLimiters+2)
	require.NoError(t, a.allow("user:new", now.Add(2*refillInterval)))
	require.LessOrEqual(t, len(a.limiters), 3, "%d", len(a.limiters))
	require.NotNil(t, a.limiters["user:a"])
}
