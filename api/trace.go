package api

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/telemetry"
)

// traced begins the span of a request to the API or to the MCP path. A network request continues the trace of its
// traceparent header; an in-process request of a tool is part of the tool's span. Files and probes are not traced.
func traced(tracer trace.Tracer, mcp string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != mcp {
			next.ServeHTTP(w, r)
			return
		}
		if parent := trace.SpanFromContext(r.Context()); parent.SpanContext().IsValid() {
			serveTraced(parent.TracerProvider().Tracer(telemetry.Scope), trace.SpanKindInternal, next, w, r)
			return
		}
		if tracer == nil {
			next.ServeHTTP(w, r)
			return
		}
		ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		serveTraced(tracer, trace.SpanKindServer, next, w, r.WithContext(ctx))
	})
}

func serveTraced(tracer trace.Tracer, kind trace.SpanKind, next http.Handler, w http.ResponseWriter, r *http.Request) {
	ctx, span := tracer.Start(r.Context(), r.Method, trace.WithSpanKind(kind))
	if !span.IsRecording() {
		next.ServeHTTP(w, r.WithContext(ctx))
		return
	}
	span.SetAttributes(telemetry.HTTPMethod.String(method(r.Method)), telemetry.InProcess.Bool(kind == trace.SpanKindInternal))
	answer := &statusWriter{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		span.SetAttributes(telemetry.HTTPStatus.Int(answer.status))
		if answer.status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}()
	next.ServeHTTP(answer, r.WithContext(ctx))
}

// method returns a known HTTP method, or a placeholder: made-up methods would inflate the cardinality of metrics.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "_OTHER"
}

// nameSpan names the span of a request by its route, which holds no ids.
func nameSpan(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if span := trace.SpanFromContext(c.Request().Context()); span.IsRecording() && c.Path() != "" {
			span.SetName(method(c.Request().Method) + " " + c.Path())
			span.SetAttributes(telemetry.HTTPRoute.String(c.Path()))
		}
		return next(c)
	}
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter

	status int
	wrote  bool
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK {
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController access to the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
