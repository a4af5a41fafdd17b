package endpoint

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const namedTrace, namedSpan = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

func TestACallIsLinkedToTheTraceOfItsClient(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(recorder)).Tracer("test")
	for _, meta := range []map[string]any{
		{metaTraceparent: "00-" + namedTrace + "-" + namedSpan + "-01"},
		{metaTraceparent: 7},
		{metaTraceparent: "00-" + namedTrace},
		nil,
	} {
		ctx, span := tracer.Start(context.Background(), "request") //nolint:usetesting // the span has no parent
		linkTrace(ctx, meta)
		span.End()
	}
	linkTrace(t.Context(), map[string]any{metaTraceparent: "00-" + namedTrace + "-" + namedSpan + "-01"})
	spans := recorder.Ended()
	require.Len(t, spans, 4)
	require.Len(t, spans[0].Links(), 1)
	linked := spans[0].Links()[0].SpanContext
	require.Equal(t, namedTrace, linked.TraceID().String())
	require.Equal(t, namedSpan, linked.SpanID().String())
	require.False(t, linked.IsSampled(), "the client does not decide what is kept")
	for _, span := range spans {
		require.NotEqual(t, namedTrace, span.SpanContext().TraceID().String(), "its ids are not ours")
		require.False(t, span.Parent().IsValid())
	}
	for _, span := range spans[1:] {
		require.Empty(t, span.Links())
	}
}

func FuzzTraceparent(f *testing.F) {
	good := "00-" + namedTrace + "-" + namedSpan + "-01"
	for _, seed := range []string{
		good, "", "00-" + strings.Repeat("0", 32) + "-" + namedSpan + "-00", "00-" + namedTrace + "-" + strings.Repeat("0", 16) + "-00",
		"01" + good[2:], strings.ToUpper(good), good + "-x", good + "\n", " " + good,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		named, ok := parseTraceparent(text)
		if !ok {
			return
		}
		require.True(t, named.IsValid())
		require.True(t, named.IsRemote())
		require.Len(t, text, 55)
		require.Equal(t, "00-"+named.TraceID().String()+"-"+named.SpanID().String()+"-", text[:53], "there is one spelling")
	})
}
