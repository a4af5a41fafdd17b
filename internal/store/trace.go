package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/telemetry"
)

// slowQueries records a span for each slow statement after it has ended, so that fast ones cost next to nothing.
type slowQueries struct{ from time.Duration }

var _ pgx.QueryTracer = slowQueries{}

type queryKey struct{}

type query struct {
	began time.Time
	name  string
}

// TraceQueryStart implements pgx.QueryTracer.
func (slowQueries) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx
	}
	return context.WithValue(ctx, queryKey{}, query{time.Now(), queryName(data.SQL)})
}

// TraceQueryEnd implements pgx.QueryTracer.
func (s slowQueries) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	q, ok := ctx.Value(queryKey{}).(query)
	if !ok || time.Since(q.began) < s.from {
		return
	}
	_, span := telemetry.StartAt(ctx, q.began, trace.SpanKindClient, q.name,
		telemetry.DBSystem.String("postgresql"), telemetry.DBOperation.String(q.name))
	span.End(data.Err)
}

// queryName is the name of a statement in its .sql file. SQL text never reaches a span.
func queryName(sql string) string {
	const mark = "-- name: "
	if rest, ok := strings.CutPrefix(sql, mark); ok {
		name, _, _ := strings.Cut(rest, " ")
		return name
	}
	return "statement"
}
