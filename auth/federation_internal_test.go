package auth

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The moments are those of the database: what the clock of either process says is no part of it.
func TestAnAttemptIsGoodForItsTimeInEveryProcess(t *testing.T) {
	t.Parallel()
	begun := time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)
	k := attempts{key: []byte("key")}
	text, err := k.seal(Attempt{State: "s", Next: "/"}, begun)
	require.NoError(t, err)
	kept, ok := k.open(text, begun.Add(attemptLifetime-time.Second))
	require.True(t, ok)
	require.Equal(t, Attempt{State: "s", Next: "/"}, kept)
	_, ok = k.open(text, begun.Add(attemptLifetime))
	require.False(t, ok)
	_, ok = attempts{key: []byte("other")}.open(text, begun)
	require.False(t, ok)
}
