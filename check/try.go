package check

import (
	"context"
	"fmt"
	"time"

	"countersign/internal/text"
)

// TimeOfTry returns the time for the next of the tries that are left, when they share a time with the delays between them.
func TimeOfTry(left time.Duration, retries int, delay time.Duration) time.Duration {
	return (left - time.Duration(retries)*delay) / time.Duration(retries+1)
}

// try makes a run of several tries: it ends with the first one that does not fail, or with the last. A run that could not be
// made is not retried, as that says nothing about the target. The tries share the timeout, so that one that hangs leaves time
// for another.
func (p *Prepared) try(parent context.Context, host *Host, target int32, slot time.Time) Outcome {
	began := time.Now()
	var earlier []Outcome
	for left := p.retries; ; left-- {
		// Shares that the rules of a saved check refuse are shortened: an old one may have them.
		o := p.once(parent, host, target, slot, max(TimeOfTry(p.timeout-time.Since(began), left, p.delay), MinTimeout/2))
		if o.Verdict != Failed || left == 0 || time.Since(began)+p.delay >= p.timeout || !pause(parent, p.delay) {
			return retried(o, earlier, time.Since(began))
		}
		earlier = append(earlier, o)
	}
}

// pause waits; it reports false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// retried is the outcome of a run with failed tries before the last one.
func retried(last Outcome, earlier []Outcome, took time.Duration) Outcome {
	if len(earlier) == 0 {
		return last
	}
	out := last
	out.Took, out.Retried = took, true
	if out.Verdict == Passed {
		out.Cause = earlier[0].Cause
	}
	out.Report = func() Report {
		r := last.Report()
		for _, o := range earlier {
			r.Earlier = append(r.Earlier, Try{
				Cause: o.Cause, Message: o.Report().Message, TookMs: float64(o.Took.Microseconds()) / 1000,
			})
		}
		r.Message = triesMessage(last.Verdict, r.Message, r.Earlier)
		return r
	}
	return out
}

var ordinals = []string{"first", "second", "third"}

// triesMessage tells how the tries of a run ended.
func triesMessage(verdict Verdict, message string, earlier []Try) string {
	n := len(earlier)
	said := ""
	if verdict == Passed {
		message = "Passed on the " + ordinals[n] + " try."
	}
	same := verdict == Failed
	for i, t := range earlier {
		said += fmt.Sprintf(" The %s try failed: %s", ordinals[i], t.Message)
		same = same && t.Message == message
	}
	if same {
		said = fmt.Sprintf(" All %d tries failed like that.", n+1)
	}
	return text.Clip(message+said, maxMessage)
}
