package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"countersign/check"
	"countersign/check/engine"
)

// Only what is out of the ordinary is traced, not very much of it, and without words of targets.
func TestWhatIsOutOfTheOrdinaryIsTraced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.targets(100, 250*time.Millisecond)
	broken := one[int32](w, `SELECT min(id) + 50 FROM check_targets`)
	r := &runner{run: func(_ context.Context, target int32, _ time.Time) check.Outcome {
		if target > broken {
			return failed("Could not connect to the vault of Mrs Miller.")
		}
		return passed()
	}}
	recorder := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder))
	began := time.Now()
	p := w.start(engine.Options{Runner: r, Tracer: provider.Tracer("test")})
	p.hold(0)
	w.results(1000)
	p.leave()
	seconds := int(time.Since(began).Seconds()) + 2
	names := map[string]int{}
	for _, s := range recorder.Ended() {
		names[s.Name()]++
		for _, a := range s.Attributes() {
			require.NotContains(t, a.Value.String(), "Miller")
			if strings.HasSuffix(string(a.Key), "check.target") {
				require.Greater(t, a.Value.AsInt64(), int64(broken), "runs that passed at once have no span")
			}
		}
	}
	require.Equal(t, 1, names["checks.take"])
	require.Positive(t, names["check.run"])
	require.LessOrEqual(t, names["check.run"], 10*seconds)
}
