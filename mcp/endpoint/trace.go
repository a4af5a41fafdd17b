package endpoint

import (
	"context"
	"regexp"

	"go.opentelemetry.io/otel/trace"
)

// metaTraceparent is where a client says which trace its call belongs to.
const metaTraceparent = "traceparent"

// traceparents are those of version 00 of the W3C's Trace Context. Others are read by nobody here.
var traceparents = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// linkTrace links the span of the request to the one that a client names in the _meta of its call. It is a link and no more: what a
// client writes there does not become the id of a trace or a span of ours, nor does it decide whether they are kept. One that cannot be
// read counts as none.
func linkTrace(ctx context.Context, meta map[string]any) {
	text, ok := meta[metaTraceparent].(string)
	if !ok {
		return
	}
	if remote, ok := spanNamed(text); ok {
		trace.SpanFromContext(ctx).AddLink(trace.Link{SpanContext: remote})
	}
}

func spanNamed(text string) (trace.SpanContext, bool) {
	parts := traceparents.FindStringSubmatch(text)
	if parts == nil {
		return trace.SpanContext{}, false
	}
	traceID, traceErr := trace.TraceIDFromHex(parts[1])
	spanID, spanErr := trace.SpanIDFromHex(parts[2])
	named := trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, Remote: true})
	return named, traceErr == nil && spanErr == nil && named.IsValid()
}
