package history

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

func FuzzAddDetail(f *testing.F) {
	var s Sum
	for us := int32(1); us > 0 && us < 1<<30; us *= 3 {
		s.Add(&Result{TookUS: us})
	}
	s.Add(&Result{Verdict: check.Failed, Cause: check.Refused})
	s.Add(&Result{Verdict: check.Errored, Cause: check.HostFailed})
	f.Add(s.detail())
	f.Add([]byte{blockVersion, 0, 0})
	f.Fuzz(func(t *testing.T, detail []byte) {
		var read Sum
		if read.addDetail(detail) != nil {
			return
		}
		require.LessOrEqual(t, len(read.Took.counts), buckets)
		// What is a detail can be packed again, and says the same.
		var again Sum
		require.NoError(t, again.addDetail(read.detail()))
		require.Equal(t, read.Took.n, again.Took.n)
		require.Equal(t, read.Took.counts, again.Took.counts)
		require.Equal(t, read.Causes, again.Causes)
	})
}

// No bucket is wider than a 64th of what it holds, and they follow each other without a hole.
func TestBucketsCoverAllDurations(t *testing.T) {
	t.Parallel()
	last := 0
	for us := uint64(0); us < 1<<32; us += 1 + us/300 {
		b := bucketOf(uint32(us))
		require.GreaterOrEqual(t, b, last)
		require.LessOrEqual(t, b-last, 1)
		require.InDelta(t, float64(us), middleOf(b), float64(us)/127)
		last = b
	}
	require.Equal(t, buckets-1, bucketOf(1<<32-1))
}

// A run that passed on a retry has the cause of its first try, and is none that did not pass.
func TestCausesAreOfRunsThatDidNotPass(t *testing.T) {
	t.Parallel()
	var s Sum
	s.Add(&Result{Verdict: check.Passed, Cause: check.Refused})
	s.Add(&Result{Verdict: check.Failed, Cause: check.TimedOut})
	require.Equal(t, map[check.Cause]int64{check.TimedOut: 1}, s.Causes)
	require.Equal(t, int64(1), s.Passed)
}
