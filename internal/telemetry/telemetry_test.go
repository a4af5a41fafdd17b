package telemetry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/problem"
	"countersign/internal/telemetry"
)

func TestTracingIsOnWhenThereIsACollector(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, off := range []map[string]string{
		nil,
		{endpoint: ""},
		{endpoint: "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "TRUE"},
		{endpoint: "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"},
		{"OTEL_SERVICE_NAME": "x"},
	} {
		e, err := telemetry.Open(t.Context(), off, "1")
		require.NoError(t, err)
		require.False(t, e.On())
		require.Nil(t, e.Tracer())
		require.NoError(t, e.Close(t.Context()))
	}
	for _, on := range []map[string]string{
		{endpoint: "http://127.0.0.1:4318"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://collector.example/x"},
		{endpoint: "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.1"},
	} {
		e, err := telemetry.Open(t.Context(), on, "1")
		require.NoError(t, err)
		require.True(t, e.On())
		require.NoError(t, e.Close(t.Context()))
	}
	for variable, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "zipkin", "OTEL_EXPORTER_OTLP_PROTOCOL": "smoke", "OTEL_TRACES_SAMPLER": "dice", "OTEL_TRACES_SAMPLER_ARG": "2",
		"OTEL_EXPORTER_OTLP_HEADERS": "hush", endpoint: "collector",
	} {
		vars := map[string]string{endpoint: "http://127.0.0.1:4318"}
		vars[variable] = value
		_, err := telemetry.Open(t.Context(), vars, "1")
		require.ErrorContains(t, err, variable)
		require.NotContains(t, err.Error(), "hush")
	}
}

func TestASpanWithoutAParentCostsNothing(t *testing.T) { // not beside others, whose allocations would count
	ctx := t.Context()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		inner, span := telemetry.Start(ctx, trace.SpanKindInternal, "work")
		span.Add()
		span.End(nil)
		if inner != ctx {
			t.Fail()
		}
	}))
}

func TestFailuresAreNamedWithoutTheirWords(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	ctx, root := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test").Start(t.Context(), "root")
	for _, err := range []error{
		problem.Errorf(problem.Conflict, "Zebrafinch"), errors.New("Zebrafinch"), context.Canceled, context.DeadlineExceeded,
	} {
		_, span := telemetry.Start(ctx, trace.SpanKindInternal, "work")
		span.End(err)
	}
	root.End()
	var types []string
	for _, s := range recorder.Ended() {
		require.NotContains(t, s.Status().Description, "Zebrafinch")
		for _, a := range s.Attributes() {
			types = append(types, a.Value.AsString())
		}
	}
	require.Equal(t, []string{"conflict", "*errors.errorString", "canceled", "deadline_exceeded"}, types)
	require.Equal(t, trace.SpanContextFromContext(ctx), trace.SpanContextFromContext(telemetry.Continue(t.Context(), ctx)))
}
