package check_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/secret"
)

// two is a strategy whose two collectors do what a test says, and that counts how often it is opened and closed.
type two struct {
	open                  error
	first, second         func(ctx context.Context) (*answer, error)
	opened, closed, after atomic.Int64
}

func (w *two) prepare(t *testing.T, config string, assertions ...check.Assertion) *check.Prepared {
	t.Helper()
	collect := func(does *func(context.Context) (*answer, error)) collect {
		return func(ctx context.Context, _ check.Run, _ *session, _ *requestConfig) (*answer, error) {
			if w.closed.Load() > 0 {
				w.after.Add(1)
			}
			return (*does)(ctx)
		}
	}
	open := func(_ context.Context, _ check.Run, c *pageConfig) (*session, error) {
		w.opened.Add(1)
		return &session{c}, w.open
	}
	r, err := check.NewRegistry(
		check.NewStrategy(check.Kind{ID: "two.two", Name: "Two", Description: "Two."}, open, func(*session) { w.closed.Add(1) },
			check.NewCollector(check.Kind{ID: "two.first", Name: "First", Description: "First."}, collect(&w.first)),
			check.NewCollector(check.Kind{ID: "two.second", Name: "Second", Description: "Second."}, collect(&w.second))),
	)
	require.NoError(t, err)
	p, err := r.Prepare(check.Configuration{Strategy: "two.two", Config: json.RawMessage(config), Collectors: []check.Collected{
		{ID: one, CollectorID: "two.first", Assertions: assertions},
		{ID: uuid.MustParse("0199aa00-0000-7000-8000-000000000002"), CollectorID: "two.second", Assertions: assertions},
	}}, scope(), nil)
	require.NoError(t, err)
	return p
}

func (w *two) run(t *testing.T, p *check.Prepared) check.Outcome {
	t.Helper()
	out := p.Run(t.Context(), &check.Host{}, 1, time.UnixMilli(0))
	require.Equal(t, int64(1), w.opened.Load())
	require.Eventually(t, func() bool { return w.closed.Load() == 1 || w.open != nil }, time.Minute, time.Millisecond)
	require.Zero(t, w.after.Load(), "a session is closed after its last collector")
	return out
}

func gives(code int) func(context.Context) (*answer, error) {
	return func(context.Context) (*answer, error) { return &answer{StatusCode: code}, nil }
}

func fails(cause check.Cause, message string) func(context.Context) (*answer, error) {
	return func(context.Context) (*answer, error) { return nil, check.Fail(cause, message) }
}

func TestCollectorsRunSideBySide(t *testing.T) {
	t.Parallel()
	meet := make(chan struct{})
	w := &two{
		first:  func(context.Context) (*answer, error) { meet <- struct{}{}; return &answer{StatusCode: 200}, nil },
		second: func(context.Context) (*answer, error) { <-meet; return &answer{StatusCode: 404}, nil },
	}
	out := w.run(t, w.prepare(t, `{"host":"a"}`, assert("statusCode", "equals", "200"), assert("responseTimeMs", "lessThan", "1")))
	require.Equal(t, check.Failed, out.Verdict)
	require.Equal(t, uint64(0b1011), out.Held, "a bit each, in the order of the configuration")
	require.Equal(t, int16(200), out.Code, "of the first collector")
	require.Equal(t, []float32{200, 0, 404, 0}, out.Kept)
	report := out.Report()
	require.Equal(t, "Expected statusCode = 200, got 404.", report.Message)
	require.Len(t, report.Collectors, 2)
	require.True(t, report.Collectors[0].Assertions[0].Held)
	require.False(t, report.Collectors[1].Assertions[0].Held)
}

func TestWhatSaysSomethingAboutTheTargetCountsFirst(t *testing.T) {
	t.Parallel()
	wrong := gives(500)
	for _, c := range []struct {
		name          string
		first, second func(context.Context) (*answer, error)
		verdict       check.Verdict
		cause         check.Cause
		says          string
	}{
		{"both answer", gives(200), gives(200), check.Passed, check.None, ""},
		{"one fails", gives(200), fails(check.Refused, "Refused."), check.Failed, check.Refused, "Refused."},
		{"the first failure", fails(check.TimedOut, "Slow."), fails(check.Refused, "Refused."), check.Failed, check.TimedOut, "Slow."},
		{"one could not be made", gives(200), fails(check.Overloaded, "Shed."), check.Errored, check.Overloaded, "Shed."},
		{"one could not be made and one fails", fails(check.Overloaded, "Shed."), fails(check.Refused, "Refused."), check.Failed, check.Refused, "Refused."},
		{
			"one could not be made and one answers what it should not", fails(check.Overloaded, "Shed."), wrong, check.Failed, check.AssertionFailed,
			"Expected statusCode = 200, got 500.",
		},
		{"a failure tells more than an assertion", wrong, fails(check.Refused, "Refused."), check.Failed, check.Refused, "Refused."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := &two{first: c.first, second: c.second}
			out := w.run(t, w.prepare(t, `{"host":"a"}`, assert("statusCode", "equals", "200")))
			require.Equal(t, c.verdict, out.Verdict)
			require.Equal(t, c.cause, out.Cause)
			require.Equal(t, c.says, out.Report().Message)
		})
	}
}

func TestOneThatHangsDoesNotTakeTheOtherAlong(t *testing.T) {
	t.Parallel()
	w := &two{first: gives(200), second: func(ctx context.Context) (*answer, error) {
		<-ctx.Done()
		return nil, check.Classify(ctx, "read the page", ctx.Err())
	}}
	out := w.run(t, w.prepare(t, `{"host":"a","timeout":100}`, assert("statusCode", "equals", "200")))
	require.Equal(t, check.TimedOut, out.Cause)
	require.Equal(t, uint64(0b01), out.Held)
	report := out.Report()
	require.Equal(t, "Could not read the page: it took too long.", report.Message, "who heeds the deadline says what was going on")
	require.Contains(t, string(report.Collectors[0].Result), "200")
	require.Empty(t, report.Collectors[1].Result)
	require.True(t, math.IsNaN(float64(out.Kept[2])))
}

func TestAStrategyThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	w := &two{open: check.Fail(check.NameNotFound, "There is no a."), first: gives(200), second: gives(200)}
	out := w.run(t, w.prepare(t, `{"host":"a"}`))
	require.Equal(t, check.Failed, out.Verdict)
	require.Equal(t, check.NameNotFound, out.Cause)
	require.Equal(t, "There is no a.", out.Report().Message)
	require.Zero(t, w.closed.Load())
}

func TestARunThatIsBrokenOffSaysNothingAboutTheTarget(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	w := &two{first: gives(200), second: func(context.Context) (*answer, error) { cancel(); <-release; return nil, nil }}
	out := w.prepare(t, `{"host":"a"}`).Run(ctx, &check.Host{}, 1, time.UnixMilli(0))
	require.Equal(t, check.Errored, out.Verdict)
	require.Equal(t, check.HostFailed, out.Cause)
	require.Equal(t, "The check was broken off before it had ended.", out.Report().Message)
}

func TestAnAbandonedRunChangesNothingAfterwards(t *testing.T) {
	t.Parallel()
	release, done := make(chan struct{}), make(chan struct{})
	w := &two{first: gives(200), second: func(context.Context) (*answer, error) {
		defer close(done)
		<-release
		return &answer{StatusCode: 200}, nil
	}}
	out := w.prepare(
		t,
		`{"host":"a","timeout":100}`,
		assert("statusCode", "equals", "200"),
	).Run(
		t.Context(),
		&check.Host{},
		1,
		time.UnixMilli(0),
	)
	before, err := json.Marshal(out.Report())
	require.NoError(t, err)
	close(release)
	<-done
	after, err := json.Marshal(out.Report())
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(after))
}

func TestARunIsAFewAllocations(t *testing.T) {
	r := registry(t, answering(answer{StatusCode: 200}))
	p, err := r.Prepare(configuration(`{"host":"a"}`, `{}`, assert("statusCode", "equals", "200")), scope(), nil)
	require.NoError(t, err)
	host := &check.Host{}
	require.LessOrEqual(t, testing.AllocsPerRun(200, func() { p.Run(t.Context(), host, 1, time.UnixMilli(0)) }), 18.0)
}

// 300,000 targets are to fit beside everything else.
func TestWhatATargetTakesOfMemory(t *testing.T) {
	r := registry(t, answering(answer{}))
	const n = 5_000
	measure := func(makes func(i int) any) int {
		kept := make([]any, n)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range kept {
			kept[i] = makes(i)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(kept)
		return int(after.HeapAlloc-before.HeapAlloc) / n
	}
	target := func(c *check.Compiled, i int) any {
		s := scope()
		s.System.Name = fmt.Sprintf("system-%d", i)
		p, err := c.For(s, map[string]secret.Value{"A": secret.NewValue("a value")})
		require.NoError(t, err)
		return p
	}
	three := []check.Assertion{
		assert("statusCode", "equals", "200"),
		assert("responseTimeMs", "lessThan", "500"),
		assert("success", "isTrue", ""),
	}
	own, issues := r.Compile(configuration(`{"host":"{{ system.name }}"}`, `{}`, three...))
	require.Empty(t, issues)
	shared, issues := r.Compile(configuration(`{"host":"a","password":"${{ secrets.A }}"}`, `{}`, three...))
	require.Empty(t, issues)
	for name, c := range map[string]struct{ most, bytes int }{
		"a target of a shared check":    {100, measure(func(i int) any { return target(shared, i) })},
		"a target of a templated check": {1_500, measure(func(i int) any { return target(own, i) })},
		"a check": {6_000, measure(func(i int) any {
			c, _ := r.Compile(configuration(fmt.Sprintf(`{"host":"host-%d"}`, i), `{}`, three...))
			return target(c, i)
		})},
	} {
		t.Logf("%s: %d bytes", name, c.bytes)
		require.Less(t, c.bytes, c.most, name)
	}
}
