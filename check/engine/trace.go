package engine

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"countersign/check"
	"countersign/internal/telemetry"
)

// Attributes of spans. They contain ids of checks and targets, but no names and messages.
const (
	spanStrategy = attribute.Key("countersign.check.strategy")
	spanCheck    = attribute.Key("countersign.check.id")
	spanTarget   = attribute.Key("countersign.check.target")
	spanVerdict  = attribute.Key("countersign.check.verdict")
	spanCause    = attribute.Key("countersign.check.cause")
	spanShard    = attribute.Key("countersign.check.shard")
	spanResults  = attribute.Key("countersign.check.results")
	spanTargets  = attribute.Key("countersign.check.targets")
)

const (
	// slowFlush is the duration from which a flush gets a span.
	slowFlush = 100 * time.Millisecond
	// maxSpansPerSecond bounds the spans of runs that failed or were slow, which can be very many at once.
	maxSpansPerSecond = 10
)

// traces records spans of slow and failed work after it has ended: a fast passed run costs nothing.
type traces struct {
	tracer trace.Tracer
	second atomic.Int64
	count  atomic.Int64
}

// record makes a span of ended work.
func (t *traces) record(name string, began time.Time, err error, attributes ...attribute.KeyValue) {
	ctx, span := t.tracer.Start(context.Background(), name, trace.WithTimestamp(began), trace.WithAttributes(attributes...))
	if err != nil {
		telemetry.Fail(ctx, err)
	}
	span.End()
}

// run traces a run that did not pass, was slow, or was requested.
func (t *traces) run(j *job, target int32, asked bool, o check.Outcome) {
	if t.tracer == nil || o.Verdict == check.Passed && o.Took < slowThreshold && !asked || !t.allow() {
		return
	}
	t.record(
		"check.run",
		time.Now().Add(-o.Took),
		nil,
		spanStrategy.String(j.definition.Strategy),
		spanCheck.String(j.definition.CheckID.String()),
		spanTarget.Int(int(target)),
		spanVerdict.Int(int(o.Verdict)),
		spanCause.Int(int(o.Cause)),
	)
}

// allow reports whether the rate limit of spans permits another one.
func (t *traces) allow() bool {
	now := time.Now().Unix()
	if t.second.Swap(now) != now {
		t.count.Store(0)
	}
	return t.count.Add(1) <= maxSpansPerSecond
}

// flush traces a slow or failed flush.
func (t *traces) flush(began time.Time, results int, err error) {
	if t.tracer == nil || err == nil && time.Since(began) < slowFlush {
		return
	}
	t.record("checks.flush", began, err, spanResults.Int(results))
}

// acquireShard traces the acquisition of a shard.
func (t *traces) acquireShard(began time.Time, shard int16, targets int, err error) {
	if t.tracer == nil {
		return
	}
	t.record("checks.take", began, err, spanShard.Int(int(shard)), spanTargets.Int(targets))
}
