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

// idle is how long a goroutine waits for another run. One that has run a check has the stack for it.
const idle = 5 * time.Second

// start hands a run over to a goroutine. The schedule is locked meanwhile.
func (e *Engine) start(r *schedule.Run) {
	select {
	case e.work <- r:
	default:
		go e.runner(r)
	}
}

func (e *Engine) runner(r *schedule.Run) {
	wait := time.NewTimer(idle)
	defer wait.Stop()
	for {
		e.run(r)
		wait.Reset(idle)
		select {
		case r = <-e.work:
		case <-wait.C:
			return
		case <-e.base.Done():
			return
		}
	}
}

// run makes one run and keeps what it found.
func (e *Engine) run(r *schedule.Run) {
	j := jobOf(r.Target)
	began := e.clock.Now()
	if !r.Asked {
		e.metrics.late.Observe(float64(began-r.Slot) / 1000)
	}
	e.attempt(r, j, func(o check.Outcome) {
		if !r.Claim() {
			return // it was given up
		}
		defer e.recovered(r, j, func(o check.Outcome) { e.finish(r, j, began, o) })
		e.finish(r, j, began, o)
	})
}

// attempt runs the target, whatever its code does.
func (e *Engine) attempt(r *schedule.Run, j *job, done func(check.Outcome)) {
	defer e.recovered(r, j, done)
	if generation := e.o.Runner.Generation(); j.prepared == nil || j.generation != generation {
		prepared, err := e.o.Runner.Prepare(e.base, j.definition, j.scope)
		if err != nil {
			done(errored(err))
			return
		}
		j.prepared, j.generation = prepared, generation
	}
	r.Limit.Store((j.prepared.Timeout() + grace).Milliseconds())
	j.prepared.Start(e.base, r.Target.ID, time.UnixMilli(r.Slot).UTC(), done)
}

// recovered ends a panic and says that the run could not be made.
func (e *Engine) recovered(r *schedule.Run, j *job, done func(check.Outcome)) {
	if v := recover(); v != nil {
		e.o.Log.Error(
			"A check panicked",
			"check",
			j.definition.CheckID,
			"target",
			r.Target.ID,
			"panic",
			fmt.Sprint(v),
			"stack",
			string(debug.Stack()),
		)
		done(errored(check.Fail(check.HostFailed, "The check could not be run because of a fault in the server.")))
	}
}

// errored is the outcome of a run that could not be made.
func errored(err error) check.Outcome {
	failure, known := errors.AsType[*check.Failure](err)
	if !known {
		failure = check.Fail(check.HostFailed, "The check could not be prepared because of a fault in the server.")
	}
	return check.Outcome{Verdict: check.Errored, Cause: failure.Cause, Report: func() check.Report {
		return check.Report{Message: failure.Message, Collectors: []check.CollectorReport{}}
	}}
}

// giveUp ends runs that do not heed their timeout. Their goroutines go on, and nobody listens to them.
func (e *Engine) giveUp(now int64) {
	for _, r := range e.schedule.Overdue(now) {
		if !r.Claim() {
			continue
		}
		j := jobOf(r.Target)
		e.o.Log.Error("A run was given up: it has not ended at its deadline", "check", j.definition.CheckID, "target", r.Target.ID)
		e.metrics.abandoned.Inc()
		took := time.Duration(r.Limit.Load()) * time.Millisecond
		e.finish(
			r,
			j,
			now-took.Milliseconds(),
			check.Outcome{Verdict: check.Failed, Cause: check.TimedOut, Took: took, Report: func() check.Report {
				return check.Report{Message: fmt.Sprintf("It took more than %s and was given up.", took), Collectors: []check.CollectorReport{}}
			}},
		)
	}
}

// finish judges what a run found and keeps it for the next flush.
func (e *Engine) finish(r *schedule.Run, j *job, began int64, o check.Outcome) {
	before := j.state
	state, changed, transition := health.Judge(before, j.thresholds, o, time.UnixMilli(r.Slot).UTC())
	j.state = state
	f := finding{target: r.Target.ID, shard: r.Shard, asked: r.Asked, row: enginedb.AddResultParams{
		Target: r.Target.ID, Slot: r.Slot, LateMs: clamp(began - r.Slot), TookUs: clamp(o.Took.Microseconds()), Held: int64(o.Held),
		Verdict: int16(o.Verdict), Cause: int16(o.Cause), Code: o.Code, Kept: o.Kept,
	}}
	var report *check.Report
	if o.Report != nil && (o.Verdict != check.Passed || j.transited || r.Asked || r.Slot-j.reported >= hourly) {
		made := o.Report()
		report = &made
		j.reported, j.transited = r.Slot, false
	}
	if changed {
		f.change = &change{status: state.Status(), since: j.since, cause: o.Cause, counts: state.Encode()}
	}
	if transition != nil {
		j.since, j.transited = r.Slot, o.Verdict != check.Passed
		j.reason = storable(transition.Reason)
		f.change.since, f.change.reason, f.change.transited = r.Slot, j.reason, true
		f.change.before, f.change.system = transition.Before, j.system
	} else if changed {
		f.change.reason = j.reason
	}
	if report != nil {
		if raw, err := json.Marshal(report); err == nil {
			f.report = string(withoutNUL(raw))
		}
	}
	e.mu.Lock()
	e.found.add(f)
	e.mu.Unlock()
	e.metrics.run(o.Verdict)
	j.definition.took.Observe(o.Took.Seconds())
	e.traces.run(j, r.Target.ID, r.Asked, o)
	var host string
	if j.prepared != nil {
		host = j.prepared.Lane()
	}
	e.schedule.Finish(r, host, o.Cause == check.TimedOut || o.Took >= slow)
}

// clamp fits a number of milliseconds or microseconds into its column.
func clamp(n int64) int32 { return int32(max(-1<<31, min(n, 1<<31-1))) }

// storable is a text without what the database refuses: a target says what it likes.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\ufffd")
}

// withoutNUL takes the character out of JSON that the database refuses.
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
