package endpoint

import (
	"context"
	"regexp"

	"go.opentelemetry.io/otel/trace"
)

// metaTraceparent is the _meta member with the client's trace.
const metaTraceparent = "traceparent"

// traceparents matches version 00 of W3C Trace Context, the only supported one.
var traceparents = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// linkTrace links the span of the request to the client's span. It is a link only: untrusted clients choose neither
// trace ids nor sampling. An invalid value is ignored.
func linkTrace(ctx context.Context, meta map[string]any) {
	text, ok := meta[metaTraceparent].(string)
	if !ok {
		return
	}
	if remote, ok := parseTraceparent(text); ok {
		trace.SpanFromContext(ctx).AddLink(trace.Link{SpanContext: remote})
	}
}

func parseTraceparent(text string) (trace.SpanContext, bool) {
	parts := traceparents.FindStringSubmatch(text)
	if parts == nil {
		return trace.SpanContext{}, false
	}
	traceID, traceErr := trace.TraceIDFromHex(parts[1])
	spanID, spanErr := trace.SpanIDFromHex(parts[2])
	named := trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, Remote: true})
	return named, traceErr == nil && spanErr == nil && named.IsValid()
}
