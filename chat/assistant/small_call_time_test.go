package assistant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

// The time for a small call is long enough for a slow server to read it, and bounded.
func TestTheTimeForASmallCallFollowsThePace(t *testing.T) {
	t.Parallel()
	var unknown assistant.Measures
	slow, fast := assistant.Measures{Pace: 100}, assistant.Measures{Pace: 10_000}
	for _, c := range []struct {
		name   string
		known  assistant.Measures
		sent   int
		time   assistant.SmallCallTime
		thinks bool
		limit  time.Duration
	}{
		{"a summary of an unknown model", unknown, 10_000, assistant.SummaryTime, false, 30 * time.Second},
		{"one that thinks", unknown, 10_000, assistant.SummaryTime, true, time.Minute},
		{"a slow server", slow, 6_000, assistant.SummaryTime, false, 210 * time.Second},
		{"a long summary of a slow server", slow, 10_000, assistant.SummaryTime, false, 5 * time.Minute},
		{"a fast one", fast, 10_000, assistant.SummaryTime, false, 33 * time.Second},
		{"a verdict", unknown, 500, assistant.VerdictTime, false, 2 * time.Second},
		{"a verdict of a slow server", slow, 500, assistant.VerdictTime, false, 17 * time.Second},
		{"a verdict about a long message", slow, 5_000, assistant.VerdictTime, true, 30 * time.Second},
		{"a title", slow, 1_000, assistant.TitleTime, false, 50 * time.Second},
		{"a title of a long message", slow, 9_000, assistant.TitleTime, true, 2 * time.Minute},
		{"a task", slow, 4_000, assistant.TaskTime, false, 150 * time.Second},
		{"what the connection says", assistant.Measures{Pace: 100, SmallCall: time.Second}, 9_000, assistant.SummaryTime, true, time.Second},
	} {
		require.Equal(t, c.limit, c.known.SmallCallLimit(c.sent, c.time, c.thinks), c.name)
	}
}

// A summary is of no more than the model can read in time.
func TestASmallCallIsReadWithinItsLimit(t *testing.T) {
	t.Parallel()
	input := func(known assistant.Measures) int { return known.SmallCallInput(6_000, assistant.SummaryTime, false) }
	require.Equal(t, 6_000, input(assistant.Measures{}), "unknown")
	require.Equal(t, 6_000, input(assistant.Measures{Pace: 100}))
	require.Equal(t, 1_800, input(assistant.Measures{Pace: 20}))
	require.Equal(t, 900, input(assistant.Measures{Pace: 20, Calibration: 2}))
	require.Equal(t, 256, input(assistant.Measures{Pace: 0.1}))
	require.Equal(t, 6_000, input(assistant.Measures{Pace: 20, SmallCall: time.Minute}), "the connection sets the time")
}
