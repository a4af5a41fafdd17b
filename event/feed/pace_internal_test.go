package feed

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLooksBecomeSeldomWhereAllTakeLongAndNotAfterOne(t *testing.T) {
	t.Parallel()
	const usual, quick, slow = 250 * time.Millisecond, time.Millisecond, 200 * time.Millisecond
	p := pace{usual: usual}
	for _, took := range []time.Duration{slow, quick, slow, slow, quick} {
		require.Equal(t, usual, p.after(took))
	}
	require.Equal(t, usual, p.after(slow))
	require.Equal(t, usual, p.after(slow))
	require.Equal(t, 10*slow, p.after(slow))
	require.Equal(t, 10*slow, p.after(time.Hour))
	p.after(time.Hour)
	require.Equal(t, longestPace, p.after(time.Hour))
	require.Equal(t, usual, p.after(quick), "what was in the way is gone")
}
