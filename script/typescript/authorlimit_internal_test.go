package typescript

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// One author has one slot, whoever waits for what it does; others are not kept waiting.
func TestOneAuthorHasOneSlot(t *testing.T) {
	t.Parallel()
	var l authorLimiter
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	leave, err := l.acquire(t.Context(), t.Context(), "ada")
	require.NoError(t, err)
	for range 20 {
		_, err = l.acquire(gone, t.Context(), "ada")
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err = l.acquire(t.Context(), gone, "ada")
	require.ErrorIs(t, err, errClosed)
	for _, other := range []string{"bob", "", ""} {
		done, err := l.acquire(t.Context(), t.Context(), other)
		require.NoError(t, err)
		defer done()
	}
	next := make(chan func())
	go func() {
		done, err := l.acquire(t.Context(), t.Context(), "ada")
		if err != nil {
			close(next)
			return
		}
		next <- done
	}()
	leave()
	done, ok := <-next
	require.True(t, ok, "the next one of the author")
	done()
	require.Len(t, l.byAuthor, 1, "nobody is left in a authorLimit but who has it")
}
