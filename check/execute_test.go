package check_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
)

func TestAnAnswerThatSaysNoPassesWithoutAnAssertion(t *testing.T) {
	t.Parallel()
	r := registry(t, answering(answer{StatusCode: 500, TimeMS: 12.5}))
	out := run(t, r, configuration(`{"host":"a"}`, `{}`))
	require.Equal(t, check.Passed, out.Verdict)
	require.Equal(t, int16(500), out.Code)
	require.Equal(t, []float32{500, 12.5}, out.Kept)
	require.Empty(t, out.Report().Message)

	out = run(t, r, configuration(`{"host":"a"}`, `{}`, assert("responseTimeMs", "lessThan", "100"), assert("statusCode", "equals", "200")))
	require.Equal(t, check.Failed, out.Verdict)
	require.Equal(t, check.AssertionFailed, out.Cause)
	require.Equal(t, uint64(1), out.Held, "the first one held")
	require.Equal(t, "Expected statusCode = 200, got 500.", out.Report().Message)
}

func TestWhatDoesNotHeedItsContextIsGivenUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := registry(t, func(context.Context, check.Run, *session, *requestConfig) (*answer, error) {
		<-release
		return &answer{}, nil
	})
	out := run(t, r, configuration(`{"host":"a","timeout":100}`, `{}`))
	require.Equal(t, check.Failed, out.Verdict)
	require.Equal(t, check.TimedOut, out.Cause)
	require.Equal(t, "It took more than 100 ms.", out.Report().Message)
	require.Less(t, out.Took, time.Minute)
	require.Equal(t, int64(1), r.Running(), "it still runs")
	close(release)
	require.Eventually(t, func() bool { return r.Running() == 0 }, time.Minute, time.Millisecond)
}

func TestAPanicIsOurOwnFault(t *testing.T) {
	t.Parallel()
	r := registry(t, func(context.Context, check.Run, *session, *requestConfig) (*answer, error) {
		panic("index out of range")
	})
	out := run(t, r, configuration(`{"host":"a"}`, `{}`))
	require.Equal(t, check.Errored, out.Verdict)
	require.Equal(t, check.HostFailed, out.Cause)
	require.NotContains(t, out.Report().Message, "index")
}

func TestAFailureSaysWhetherItIsAboutTheTarget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		verdict check.Verdict
		cause   check.Cause
	}{
		"the target":        {check.Fail(check.Refused, "It was refused."), check.Failed, check.Refused},
		"the operator":      {check.Fail(check.EgressRefused, "It may not be reached."), check.Errored, check.EgressRefused},
		"something unknown": {errors.New("sandbox: pool is closed"), check.Errored, check.HostFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := registry(t, func(context.Context, check.Run, *session, *requestConfig) (*answer, error) { return nil, c.err })
			out := run(t, r, configuration(`{"host":"a"}`, `{}`, assert("statusCode", "equals", "200")))
			require.Equal(t, c.verdict, out.Verdict)
			require.Equal(t, c.cause, out.Cause)
			require.Zero(t, out.Held)
			require.Equal(t, "there is no result", out.Report().Collectors[0].Assertions[0].Problem)
			require.NotContains(t, out.Report().Message, "sandbox")
		})
	}
}

// cpu reports the processor time of an operation, which says more than the time of day where others compute too.
func cpu(b *testing.B, does func()) {
	b.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	b.ReportAllocs()
	before := used()
	for b.Loop() {
		does()
	}
	b.ReportMetric(float64(used()-before)/float64(b.N), "cpu-ns/op")
}

// deep is a collector that needs a stack as a request over the network does.
//
//go:noinline
func deep(n int) int {
	var frame [512]byte
	frame[n] = 1
	if n == 0 {
		return int(frame[1])
	}
	return deep(n-1) + int(frame[n+1])
}

func BenchmarkRun(b *testing.B) {
	r := registry(b, func(context.Context, check.Run, *session, *requestConfig) (*answer, error) {
		return &answer{StatusCode: 200, TimeMS: 12.5, Success: deep(16) == 0}, nil
	})
	p, err := r.Prepare(
		configuration(
			`{"host":"a"}`,
			`{}`,
			assert("statusCode", "equals", "200"),
			assert("responseTimeMs", "lessThan", "500"),
			assert("success", "isTrue", ""),
		),
		scope(),
		nil,
	)
	require.NoError(b, err)
	host := &check.Host{}
	slot := time.UnixMilli(60_000)
	cpu(b, func() {
		if p.Run(b.Context(), host, 1, slot).Verdict != check.Passed {
			b.Fatal("it did not pass")
		}
	})
}

// BenchmarkStart is what the engine pays.
func BenchmarkStart(b *testing.B) {
	r := registry(b, func(context.Context, check.Run, *session, *requestConfig) (*answer, error) {
		return &answer{StatusCode: 200, TimeMS: 12.5, Success: deep(16) == 0}, nil
	})
	p, err := r.Prepare(
		configuration(
			`{"host":"a"}`,
			`{}`,
			assert("statusCode", "equals", "200"),
			assert("responseTimeMs", "lessThan", "500"),
			assert("success", "isTrue", ""),
		),
		scope(),
		nil,
	)
	require.NoError(b, err)
	host := &check.Host{}
	slot := time.UnixMilli(60_000)
	cpu(b, func() {
		p.Start(b.Context(), host, 1, slot, func(o check.Outcome) {
			if o.Verdict != check.Passed {
				b.Error("it did not pass")
			}
		})
	})
}

// BenchmarkRunFloor is the same collector under a deadline in a goroutine, and nothing else.
func BenchmarkRunFloor(b *testing.B) {
	cpu(b, func() {
		ctx, cancel := context.WithTimeout(b.Context(), time.Second)
		done := make(chan *answer, 1)
		go func() { done <- &answer{StatusCode: 200, TimeMS: 12.5, Success: deep(16) == 0} }()
		select {
		case a := <-done:
			if !a.Success {
				b.Fatal("it did not pass")
			}
		case <-ctx.Done():
		}
		cancel()
	})
}
