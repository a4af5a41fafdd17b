package typescript

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// One author has one slot, whoever waits for what it does; others are not kept waiting.
func TestOneAuthorHasOneSlot(t *testing.T) {
	t.Parallel()
	var l lanes
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	leave, err := l.enter(t.Context(), t.Context(), "ada")
	require.NoError(t, err)
	for range 20 {
		_, err = l.enter(gone, t.Context(), "ada")
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err = l.enter(t.Context(), gone, "ada")
	require.ErrorIs(t, err, errClosed)
	for _, other := range []string{"bob", "", ""} {
		done, err := l.enter(t.Context(), t.Context(), other)
		require.NoError(t, err)
		defer done()
	}
	next := make(chan func())
	go func() {
		done, err := l.enter(t.Context(), t.Context(), "ada")
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
	require.Len(t, l.open, 1, "nobody is left in a lane but who has it")
}
