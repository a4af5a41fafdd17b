package agent

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// All who have used much of the compiler share one place, and leave the others to everybody else.
func TestThoseWhoUseMuchShareOnePlace(t *testing.T) {
	t.Parallel()
	l := newCompileQueue()
	for n := range 3 {
		l.addUse(fmt.Sprint("hard", n), 11*time.Second)
	}
	leave, err := l.enter(t.Context(), "hard0", false)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, who := range []string{"hard0", "hard1", "hard2"} {
		_, err = l.enter(ctx, who, false)
		require.ErrorIs(t, err, context.Canceled, "the place is taken")
	}
	for n := range 1_000 {
		l.addUse("easy", 40*time.Millisecond)
		easy, err := l.enter(t.Context(), fmt.Sprint("easy", n), false)
		require.NoError(t, err)
		easy()
	}
	easy, err := l.enter(t.Context(), "easy", false)
	require.NoError(t, err, "many that are quick are not much")
	easy()
	leave()
	leave, err = l.enter(t.Context(), "hard1", false)
	require.NoError(t, err)
	leave()
	require.Empty(t, l.queues, "nobody is left in a line")
	require.Zero(t, l.connections)
}

// What was used is forgotten with time.
func TestUseIsForgotten(t *testing.T) {
	t.Parallel()
	u := compilerUse{15 * time.Second, time.Now()}
	require.Greater(t, u.decayed(u.at.Add(time.Minute)), heavyUse)
	require.Less(t, u.decayed(u.at.Add(2*time.Minute)), heavyUse)
	require.Less(t, u.decayed(u.at.Add(11*time.Minute)), time.Millisecond)
}
