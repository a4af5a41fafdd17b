package script

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrincipalsTakeTurns(t *testing.T) {
	t.Parallel()
	places := newFairQueue(1)
	require.NoError(t, places.acquire(t.Context(), "eve"))
	var served []string
	waiting := map[string]chan struct{}{}
	for _, one := range []string{"eve 1", "eve 2", "eve 3", "ada 1", "bob 1", "ada 2"} {
		waiting[one] = places.enqueue(one[:3])
	}
	gone, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() { left <- places.acquire(gone, "zoe") }()
	cancel()
	require.ErrorIs(t, <-left, context.Canceled)
	for range len(waiting) {
		places.release()
		for one, given := range waiting {
			select {
			case <-given:
				served = append(served, one)
				delete(waiting, one)
			default:
			}
		}
	}
	require.Equal(t, []string{"eve 1", "ada 1", "bob 1", "eve 2", "ada 2", "eve 3"}, served)
	places.release()
	require.NoError(t, places.acquire(t.Context(), "ada"), "the place is free again")
	require.Empty(t, places.waiters)
	require.Empty(t, places.round)
}
