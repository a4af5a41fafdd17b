package model

import (
	"context"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"countersign/internal/telemetry"
)

// tracedCall is the span of a model call: model, tokens and outcome, without content.
type tracedCall struct {
	telemetry.Span

	began, first time.Time
}

// startSpan starts the span of a call. While the span is recorded, onDelta also records the time of the first piece.
func (c *Client) startSpan(ctx context.Context, req Request, onDelta *func(Delta)) (context.Context, *tracedCall) {
	ctx, span := telemetry.Start(ctx, trace.SpanKindClient, "chat "+req.Model,
		telemetry.GenAIOperation.String("chat"), telemetry.GenAIProvider.String("openai"), telemetry.GenAIRequestModel.String(req.Model),
		telemetry.ServerAddress.String(c.host),
	)
	call := &tracedCall{Span: span}
	if next := *onDelta; next != nil && span.Recording() {
		call.began = time.Now()
		*onDelta = func(d Delta) {
			if call.first.IsZero() {
				call.first = time.Now()
			}
			next(d)
		}
	}
	return ctx, call
}

func (t *tracedCall) end(r Response, err error) {
	if t.Recording() {
		if r.FinishReason != "" {
			t.Add(telemetry.GenAIFinish.StringSlice([]string{knownReason(r.FinishReason)}))
		}
		if r.Usage.Reported {
			t.Add(telemetry.GenAIInput.Int(r.Usage.InputTokens), telemetry.GenAIOutput.Int(r.Usage.OutputTokens))
		}
		if !t.first.IsZero() {
			t.Add(telemetry.GenAIFirstChunk.Float64(t.first.Sub(t.began).Seconds()))
		}
	}
	t.End(err)
}

// knownReason keeps values invented by providers out of traces.
func knownReason(reason string) string {
	if slices.Contains([]string{FinishStop, FinishLength, FinishToolCalls, "content_filter", "function_call"}, reason) {
		return reason
	}
	return "_OTHER"
}

// ErrorType names the failure in traces.
func (e *Error) ErrorType() string { return string(e.Class) }
