// Package telemetry traces requests, workflows and calls with OpenTelemetry.
//
// A trace begins with a request or with a workflow task of Temporal. Start takes the tracer from the parent span in the context,
// so callers need no tracing configuration; without a parent, or when tracing is off, a span costs one context lookup.
//
// Spans say what was done, how long it took and how it ended. They hold ids, names, counts and codes, and never what
// people, models or tools wrote: no text, no arguments, no results, no SQL, no error messages. Such attributes of libraries
// are removed before export.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/problem"
)

// Scope is the name of the product's tracer.
const Scope = "countersign"

// Span is work that is being done.
type Span struct{ span trace.Span }

// Start starts a child span of the span in ctx, in the returned context; End it.
func Start(ctx context.Context, kind trace.SpanKind, name string, attributes ...attribute.KeyValue) (context.Context, Span) {
	return StartAt(ctx, time.Time{}, kind, name, attributes...)
}

// StartAt is Start for work that began earlier.
func StartAt(
	ctx context.Context,
	at time.Time,
	kind trace.SpanKind,
	name string,
	attributes ...attribute.KeyValue,
) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.SpanContext().IsValid() {
		return ctx, Span{}
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(kind), trace.WithAttributes(attributes...)}
	if !at.IsZero() {
		options = append(options, trace.WithTimestamp(at))
	}
	ctx, span := parent.TracerProvider().Tracer(Scope).Start(ctx, name, options...) //nolint:spancheck // the caller ends it
	return ctx, Span{span}                                                          //nolint:spancheck // the caller ends it
}

// Recording reports whether the span is recorded.
func (s Span) Recording() bool { return s.span != nil && s.span.IsRecording() }

// Add says more about the work.
func (s Span) Add(attributes ...attribute.KeyValue) {
	if s.Recording() {
		s.span.SetAttributes(attributes...)
	}
}

// End ends the span, with the kind of its failure if err is one.
func (s Span) End(err error) {
	if s.span == nil {
		return
	}
	if err != nil {
		Fail(trace.ContextWithSpan(context.Background(), s.span), err)
	}
	s.span.End()
}

// Fail sets the error status of the span of ctx.
func Fail(ctx context.Context, err error) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(ErrorType.String(errorType(err)))
	span.SetStatus(codes.Error, "")
}

// errorType names a failure without its words.
func errorType(err error) string {
	if e, ok := errors.AsType[interface {
		error
		ErrorType() string
	}](err); ok {
		return e.ErrorType()
	}
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline_exceeded"
	}
	if e, ok := errors.AsType[*problem.Error](err); ok {
		return string(e.Code)
	}
	return fmt.Sprintf("%T", err)
}

// Continue returns ctx with the span of another context, for work that continues beside its parent.
func Continue(ctx, from context.Context) context.Context {
	span := trace.SpanFromContext(from)
	if !span.SpanContext().IsValid() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, span)
}
