package engine

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"countersign/check"
	"countersign/telemetry"
)

// What spans say of checks. Ids of checks and targets are in them, names and messages are not.
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
	// slowFlush is from which duration on a flush has a span.
	slowFlush = 100 * time.Millisecond
	// spansEach is how many runs of a second have one: those that did not pass or were slow, which can be very many at once.
	spansEach = 10
)

// traces makes spans afterwards, of what was out of the ordinary: a run that passed at once costs nothing.
type traces struct {
	tracer trace.Tracer
	second atomic.Int64
	count  atomic.Int64
}

// record makes a span of work that has ended.
func (t *traces) record(name string, began time.Time, err error, attributes ...attribute.KeyValue) {
	ctx, span := t.tracer.Start(context.Background(), name, trace.WithTimestamp(began), trace.WithAttributes(attributes...))
	if err != nil {
		telemetry.Fail(ctx, err)
	}
	span.End()
}

// run traces a run that did not pass, or was slow, or that somebody asked for.
func (t *traces) run(j *job, target int32, asked bool, o check.Outcome) {
	if t.tracer == nil || o.Verdict == check.Passed && o.Took < slow && !asked || !t.room() {
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

// room reports whether this second has room for another span.
func (t *traces) room() bool {
	now := time.Now().Unix()
	if t.second.Swap(now) != now {
		t.count.Store(0)
	}
	return t.count.Add(1) <= spansEach
}

// flush traces a flush that took long or failed.
func (t *traces) flush(began time.Time, results int, err error) {
	if t.tracer == nil || err == nil && time.Since(began) < slowFlush {
		return
	}
	t.record("checks.flush", began, err, spanResults.Int(results))
}

// take traces that a shard was taken.
func (t *traces) take(began time.Time, shard int16, targets int, err error) {
	if t.tracer == nil {
		return
	}
	t.record("checks.take", began, err, spanShard.Int(int(shard)), spanTargets.Int(targets))
}
