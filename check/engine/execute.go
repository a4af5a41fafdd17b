package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"countersign/check"
	"countersign/check/engine/enginedb"
	"countersign/check/engine/schedule"
	"countersign/check/health"
)

// workerIdleTimeout is how long a goroutine waits for the next run. Reusing it saves growing a new stack.
const workerIdleTimeout = 5 * time.Second

// dispatch passes a run to a goroutine. The schedule is locked meanwhile.
func (e *Engine) dispatch(r *schedule.Run) {
	select {
	case e.work <- r:
	default:
		go e.runWorker(r)
	}
}

func (e *Engine) runWorker(r *schedule.Run) {
	wait := time.NewTimer(workerIdleTimeout)
	defer wait.Stop()
	for {
		e.runTarget(r)
		wait.Reset(workerIdleTimeout)
		select {
		case r = <-e.work:
		case <-wait.C:
			return
		case <-e.base.Done():
			return
		}
	}
}

// runTarget makes one run and records its result.
func (e *Engine) runTarget(r *schedule.Run) {
	j := jobOf(r.Target)
	began := e.clock.Now()
	if !r.Requested {
		e.metrics.late.Observe(float64(began-r.Slot) / 1000)
	}
	e.startRun(r, j, func(o check.Outcome) {
		if !r.TryFinish() {
			return // it was abandoned
		}
		defer e.recoverPanic(r, j, func(o check.Outcome) { e.recordResult(r, j, began, o) })
		e.recordResult(r, j, began, o)
	})
}

// startRun prepares the target if necessary and starts its run; a panic becomes its outcome.
func (e *Engine) startRun(r *schedule.Run, j *job, done func(check.Outcome)) {
	defer e.recoverPanic(r, j, done)
	if generation := e.o.Runner.Generation(); j.prepared == nil || j.generation != generation {
		prepared, err := e.o.Runner.Prepare(e.base, j.definition, j.scope)
		if err != nil {
			done(errorOutcome(err))
			return
		}
		j.prepared, j.generation = prepared, generation
	}
	r.Limit.Store((j.prepared.Timeout() + runGrace).Milliseconds())
	j.prepared.Start(e.base, r.Target.ID, time.UnixMilli(r.Slot).UTC(), done)
}

// recoverPanic turns a panic into an errored outcome.
func (e *Engine) recoverPanic(r *schedule.Run, j *job, done func(check.Outcome)) {
	if v := recover(); v != nil {
		e.o.Log.Error(
			"Check panicked",
			"check",
			j.definition.CheckID,
			"target",
			r.Target.ID,
			"panic",
			fmt.Sprint(v),
			"stack",
			string(debug.Stack()),
		)
		done(errorOutcome(check.Fail(check.HostFailed, "The check could not be run because of a fault in the server.")))
	}
}

// errorOutcome is the outcome of a run that could not be made.
func errorOutcome(err error) check.Outcome {
	failure, known := errors.AsType[*check.Failure](err)
	if !known {
		failure = check.Fail(check.HostFailed, "The check could not be prepared because of a fault in the server.")
	}
	return check.Outcome{Verdict: check.Errored, Cause: failure.Cause, Report: func() check.Report {
		return check.Report{Message: failure.Message, Collectors: []check.CollectorReport{}}
	}}
}

// abandonOverdue ends runs that exceed their timeout. Their goroutines go on, and their results are ignored.
func (e *Engine) abandonOverdue(now int64) {
	for _, r := range e.schedule.Overdue(now) {
		if !r.TryFinish() {
			continue
		}
		j := jobOf(r.Target)
		e.o.Log.Error("Run abandoned after its deadline", "check", j.definition.CheckID, "target", r.Target.ID)
		e.metrics.abandoned.Inc()
		took := time.Duration(r.Limit.Load()) * time.Millisecond
		e.recordResult(
			r,
			j,
			now-took.Milliseconds(),
			check.Outcome{Verdict: check.Failed, Cause: check.TimedOut, Took: took, Report: func() check.Report {
				return check.Report{Message: fmt.Sprintf("It took more than %s and was abandoned.", took), Collectors: []check.CollectorReport{}}
			}},
		)
	}
}

// recordResult evaluates the health after a run and adds the result to the next flush. A run that timed out stands for the slots
// that it covered: each of them has failed. After any other run they were skipped.
func (e *Engine) recordResult(r *schedule.Run, j *job, began int64, o check.Outcome) {
	f := finding{target: r.Target.ID, shard: r.Shard, requested: r.Requested, row: enginedb.AddResultParams{
		Target: r.Target.ID, Slot: r.Slot, LateMs: clamp(began - r.Slot), TookUs: clamp(o.Took.Microseconds()), Held: int64(o.Held),
		Verdict: int16(o.Verdict), Cause: int16(o.Cause), Code: o.Code, Kept: o.Kept,
	}}
	if o.Report != nil && (o.Verdict != check.Passed || o.Retried || j.transited || r.Requested || r.Slot-j.reported >= reportInterval) {
		f.report = encodeReport(o.Report())
		j.reported, j.transited = r.Slot, false
	}
	j.judge(&f, o)
	e.addFindings(f)
	e.metrics.run(o.Verdict)
	j.definition.took.Observe(o.Took.Seconds())
	e.traces.run(j, r.Target.ID, r.Requested, o)
	var host string
	if j.prepared != nil {
		host = j.prepared.Lane()
	}
	slow := o.Cause == check.TimedOut || o.Took >= slowThreshold
	recorded := 0
	for covered := e.schedule.Finish(r, 0, host, slow); len(covered) > 0; covered = e.schedule.Finish(r, recorded, host, slow) {
		findings := make([]finding, len(covered))
		for i, s := range covered {
			findings[i] = skipped(s)
			if o.Verdict == check.Failed && o.Cause == check.TimedOut && !s.Requested {
				findings[i].row.Verdict, findings[i].row.Cause = int16(check.Failed), int16(check.TimedOut)
				findings[i].report = encodeReport(coveredReport(r.Slot))
				j.judge(&findings[i], o)
			}
		}
		e.addFindings(findings...)
		recorded += len(covered)
	}
}

// coveredReport is the report of a slot that a run which timed out stands for.
func coveredReport(slot int64) check.Report {
	return check.Report{
		Message:    fmt.Sprintf("The run of %s still waited, and timed out.", time.UnixMilli(slot).UTC().Format(time.TimeOnly)),
		Collectors: []check.CollectorReport{},
	}
}

// judge evaluates the health after the outcome of a slot, and notes its change.
func (j *job) judge(f *finding, o check.Outcome) {
	state, effect := health.Judge(j.state, j.thresholds, o, time.UnixMilli(f.row.Slot).UTC())
	j.state = state
	if effect.Changed {
		f.change = j.change(effect, state, f.row.Slot, o)
	}
}

// encodeReport encodes a report; empty when that is not possible.
func encodeReport(report check.Report) string {
	raw, err := json.Marshal(report)
	if err != nil {
		return ""
	}
	return string(withoutNUL(raw))
}

func (e *Engine) addFindings(findings ...finding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range findings {
		e.findings.add(f)
	}
}

// change applies what a run has changed to the job, and returns it for the flush.
func (j *job) change(effect health.Effect, state health.State, slot int64, o check.Outcome) *change {
	c := &change{status: state.Status(), cause: o.Cause, counts: state.Encode(), system: j.system, located: j.located, lasting: effect.Lasting}
	if o.Verdict == check.Passed {
		c.cause = check.None // of its first try
	}
	if reason := sanitizeText(effect.Reason); reason != "" && reason != j.reason {
		j.reason = reason
		// The reason of a system quotes that of an unknown target.
		c.explained = c.status == health.Unknown
	}
	if effect.Transition != nil {
		j.since, j.transited = slot, o.Verdict != check.Passed
		c.before, c.transited, c.began = effect.Transition.Before, true, effect.Transition.Began.UnixMilli()
	}
	c.failing, c.erring = state.Streaks()
	c.since, c.reason = j.since, j.reason
	return c
}

// clamp fits a number of milliseconds or microseconds into its column.
func clamp(n int64) int32 { return int32(max(-1<<31, min(n, 1<<31-1))) }

// sanitizeText removes what PostgreSQL rejects from the text of a target.
func sanitizeText(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\ufffd")
}

// withoutNUL removes NUL from JSON, which PostgreSQL rejects.
func withoutNUL(raw []byte) []byte {
	const nul = `\u0000`
	out := raw[:0:0]
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			out = append(out, raw[i])
			continue
		}
		if i+len(nul) <= len(raw) && string(raw[i:i+len(nul)]) == nul {
			i += len(nul) - 1
			continue
		}
		out = append(out, raw[i], raw[i+1])
		i++
	}
	return out
}
