package turn_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/turn"
)

func TestAValueIsComputedOnce(t *testing.T) {
	t.Parallel()
	var slot turn.SharedValue[int]
	calls := 0
	for want := range 3 {
		v, err := slot.GetOrCompute(func() (int, error) {
			calls++
			if calls == 1 {
				return 0, context.DeadlineExceeded
			}
			return 42, nil
		})
		if want == 0 {
			require.Error(t, err, "failures are not kept")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 42, v)
	}
	require.Equal(t, 2, calls)
}

func TestAValueIsTakenOnce(t *testing.T) {
	t.Parallel()
	var slot turn.SharedValue[string]
	_, ok := slot.Get()
	require.False(t, ok)
	slot.Put("kept")
	for _, look := range []func() (string, bool){slot.Get, slot.Get, slot.Take} {
		v, ok := look()
		require.True(t, ok)
		require.Equal(t, "kept", v)
	}
	_, ok = slot.Take()
	require.False(t, ok)
}

// What steps leave for each other lives as long as their process has the turn.
func TestAMemoIsThatOfOneTurnInOneProcess(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	p, other := newProcess(t, db), newProcess(t, db)
	id := accept(t, p, newConversation(t, db), "m1", "Hello").ID
	first, err := p.sessions.Open(t.Context(), id)
	require.NoError(t, err)
	first.Memo = "noted"
	again, err := p.sessions.Open(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "noted", again.Memo)
	taken, err := other.sessions.Open(t.Context(), id)
	require.NoError(t, err)
	require.Empty(t, taken.Memo)
	require.Empty(t, newTurnIn(t, p).Memo)
}

func newTurnIn(t *testing.T, p *process) *turn.ClaimedSession[string] {
	t.Helper()
	s, err := p.sessions.Open(t.Context(), accept(t, p, newConversation(t, p.db), "m2", "Hello").ID)
	require.NoError(t, err)
	return s
}
