package check_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

type (
	triesConfig struct {
		check.Deadline
		check.Tries
	}
	triesResult struct {
		N int `json:"n" check:"label=Try"`
	}
)

// tried is a kind of check whose tries do one thing each; the last one is repeated.
func tried(t testing.TB, config string, collectors int, does ...func(ctx context.Context, n int) error) (*check.Prepared, *atomic.Int32) {
	t.Helper()
	var opened atomic.Int32
	open := func(context.Context, check.Run, *triesConfig) (int, error) { return int(opened.Add(1)), nil }
	collect := func(ctx context.Context, _ check.Run, n int, _ *struct{}) (*triesResult, error) {
		return &triesResult{N: n}, does[min(n, len(does))-1](ctx, n)
	}
	r, err := check.NewRegistry(check.NewStrategy(
		check.Kind{ID: "tries.tries", Name: "Tries", Description: "Is tried."}, open, nil,
		check.NewCollector(check.Kind{ID: "tries.try", Name: "Try", Description: "Tries."}, collect),
	))
	require.NoError(t, err)
	c := check.Configuration{Strategy: "tries.tries", Config: json.RawMessage(config)}
	for i := range collectors {
		c.Collectors = append(c.Collectors, check.Collected{ID: [16]byte{byte(i + 1)}, CollectorID: "tries.try"})
	}
	p, err := r.Prepare(c, scope(), nil)
	require.NoError(t, err)
	return p, &opened
}

func failing(text string) func(context.Context, int) error {
	return func(context.Context, int) error { return check.Fail(check.Refused, text) }
}

func well(context.Context, int) error { return nil }

func hangs(ctx context.Context, _ int) error {
	<-ctx.Done()
	return check.Classify(ctx, "ask", ctx.Err())
}

func TestARunThatPassesOnARetryShowsTheFirstFailure(t *testing.T) {
	t.Parallel()
	for _, collectors := range []int{1, 2} {
		p, opened := tried(t, `{"retries":2,"retryDelayMs":0}`, collectors, failing("It was away."), failing("It was closed."), well)
		done := make(chan check.Outcome, 1)
		p.Start(t.Context(), &check.Host{}, 1, time.UnixMilli(0), func(o check.Outcome) { done <- o })
		out := <-done
		require.Equal(t, check.Passed, out.Verdict)
		require.True(t, out.Retried)
		require.Equal(t, check.Refused, out.Cause, "the cause of the first try")
		require.Equal(t, int32(3), opened.Load())
		report := out.Report()
		require.Equal(t, "Passed on the third try. The first try failed: It was away. The second try failed: It was closed.", report.Message)
		require.Len(t, report.Earlier, 2)
		require.Equal(t, check.Refused, report.Earlier[1].Cause)
		require.Equal(t, "It was closed.", report.Earlier[1].Message)
		require.JSONEq(t, `{"n":3}`, string(report.Collectors[0].Result))
	}
}

func TestARunIsTriedNoMoreOftenThanItsRetries(t *testing.T) {
	t.Parallel()
	for retries, want := range []string{
		"It was away.", "It was away. All 2 tries failed like that.", "It was away. All 3 tries failed like that.",
	} {
		p, opened := tried(t, fmt.Sprintf(`{"retries":%d,"retryDelayMs":0}`, retries), 1, failing("It was away."))
		out := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0))
		require.Equal(t, check.Failed, out.Verdict)
		require.Equal(t, want, out.Report().Message)
		require.Equal(t, int32(retries+1), opened.Load())
		require.Equal(t, retries > 0, out.Retried)
	}
	p, _ := tried(t, `{"retries":1,"retryDelayMs":0}`, 1, failing("It was away."), failing("It was closed."))
	require.Equal(t, "It was closed. The first try failed: It was away.",
		p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0)).Report().Message)
}

func TestARunThatPassesOrCouldNotBeMadeIsNotRetried(t *testing.T) {
	t.Parallel()
	broken := func(context.Context, int) error { return check.Fail(check.HostFailed, "It could not be made.") }
	for verdict, does := range map[check.Verdict]func(context.Context, int) error{check.Passed: well, check.Errored: broken} {
		p, opened := tried(t, `{"retries":2,"retryDelayMs":0}`, 1, does)
		out := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0))
		require.Equal(t, verdict, out.Verdict)
		require.False(t, out.Retried)
		require.Empty(t, out.Report().Earlier)
		require.Equal(t, int32(1), opened.Load())
	}
}

func TestTriesShareTheTimeout(t *testing.T) {
	t.Parallel()
	p, _ := tried(t, `{"timeout":1000,"retries":1,"retryDelayMs":100}`, 1, hangs, well)
	out := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0))
	require.Equal(t, check.Passed, out.Verdict, "a try that hangs leaves time for another")
	require.GreaterOrEqual(t, out.Took, 550*time.Millisecond)
	require.Equal(t, "Passed on the second try. The first try failed: Could not ask: it took too long.", out.Report().Message)

	p, _ = tried(t, `{"timeout":600,"retries":2,"retryDelayMs":50}`, 1, hangs)
	began := time.Now()
	out = p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0))
	require.Equal(t, check.TimedOut, out.Cause)
	require.GreaterOrEqual(t, time.Since(began), 500*time.Millisecond)
	require.Less(t, out.Took, time.Minute)

	ctx, cancel := context.WithCancel(t.Context())
	p, opened := tried(t, `{"timeout":30000,"retries":2,"retryDelayMs":9000}`, 1, func(context.Context, int) error {
		cancel()
		return check.Fail(check.Refused, "It was away.")
	})
	out = p.Run(ctx, &check.Host{}, 1, time.UnixMilli(0))
	require.Equal(t, check.Failed, out.Verdict)
	require.Equal(t, int32(1), opened.Load(), "a run that was broken off is not retried")
}

func TestTriesThatLeaveNoTimeAreRefused(t *testing.T) {
	t.Parallel()
	r, err := check.NewRegistry(check.NewStrategy(
		check.Kind{ID: "tries.tries", Name: "Tries", Description: "Is tried."}, openNothing[triesConfig], nil,
		check.NewCollector(check.Kind{ID: "tries.try", Name: "Try", Description: "Tries."}, collectNothing[struct{}, triesResult]),
	))
	require.NoError(t, err)
	for config, refused := range map[string]bool{
		`{"timeout":1000,"retries":1}`: false, `{"timeout":1000,"retries":2}`: true, `{"timeout":250,"retries":2,"retryDelayMs":0}`: true,
		`{"timeout":100}`: false, `{"timeout":300,"retries":2,"retryDelayMs":0}`: false,
	} {
		issues := r.Validate(t.Context(), check.Configuration{
			Strategy: "tries.tries", Config: json.RawMessage(config),
			Collectors: []check.Collected{{ID: one, CollectorID: "tries.try"}},
		})
		if !refused {
			require.Empty(t, issues, config)
			continue
		}
		require.Len(t, issues, 1, config)
		require.Equal(t, "config.retries", issues[0].Path)
		require.Contains(t, issues[0].Message, "less than 100 ms")
	}
}
