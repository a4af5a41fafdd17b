package strategy

import (
	"context"
	"fmt"
	"time"

	"countersign/check"
)

// heartbeatConfig is empty: the monitored job sends the requests.
type heartbeatConfig struct {
	check.Deadline
}

// heartbeatBeatConfig configures when a missing report is a failure.
type heartbeatBeatConfig struct {
	EverySeconds int  `json:"everySeconds,omitempty" jsonschema:"minimum=1,maximum=31536000" jsonschema_description:"How often the job calls in, in seconds: 86400 for a nightly one. The interval of the check when left out; a shorter interval notices silence sooner." check:"unit=s,label=Every"`
	GraceSeconds *int `json:"graceSeconds,omitempty" jsonschema:"minimum=0,maximum=604800,default=60" jsonschema_description:"How much later than that it may call in, in seconds" check:"unit=s,label=Grace"`
}

// heartbeatBeatResult is the last report of the job.
type heartbeatBeatResult struct {
	SecondsSince float64  `json:"secondsSince" jsonschema_description:"How many seconds ago the job called in last" check:"chart=line,unit=s,label=Since the last heartbeat,keep"`
	At           string   `json:"at" jsonschema_description:"When that was" check:"label=Last heartbeat"`
	Failed       bool     `json:"failed" jsonschema_description:"Whether the job reported a failure" check:"label=Failed"`
	Message      string   `json:"message" jsonschema_description:"What it said" check:"label=Message"`
	DurationMs   *float64 `json:"durationMs,omitempty" jsonschema_description:"How long its work took, if it said so" check:"chart=line,unit=ms,label=Duration,keep"`
}

type heartbeatSession struct{}

func heartbeatStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-heartbeat.heartbeat", Name: "Heartbeat", Category: "Jobs", Scoped: true,
			Description: "A job calls in when it has done its work. When it reports a failure, or does not call in, the check fails.",
		},
		func(context.Context, check.Run, *heartbeatConfig) (heartbeatSession, error) {
			return heartbeatSession{}, nil
		}, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-heartbeat.beat", Name: "Last heartbeat", Category: "Jobs", Scoped: true,
			Description: "When the job called in last, and with what.",
		}, heartbeatBeat),
	)
}

func heartbeatBeat(ctx context.Context, run check.Run, _ heartbeatSession, c *heartbeatBeatConfig) (*heartbeatBeatResult, error) {
	if run.LastHeartbeat == nil {
		return nil, check.Fail(check.NotRunnable, "Heartbeats are heard for saved checks only: save the check and give its address to the job.")
	}
	beat, err := run.LastHeartbeat(ctx, run.Target)
	if err != nil {
		return nil, fmt.Errorf("read the last heartbeat: %w", err)
	}
	every := time.Duration(otherwise(c.EverySeconds, run.Scope.Check.IntervalSeconds)) * time.Second
	grace := 60 * time.Second
	if c.GraceSeconds != nil {
		grace = time.Duration(*c.GraceSeconds) * time.Second
	}
	if beat.At.IsZero() {
		if !beat.Awaited.IsZero() && run.Now().Sub(beat.Awaited) <= every+grace {
			return nil, check.Fail(check.NotRunnable, "The job has not called in yet, and is not late.")
		}
		return nil, check.Fail(check.Silent, "The job has never called in.")
	}
	since := max(run.Now().Sub(beat.At), 0)
	r := &heartbeatBeatResult{
		SecondsSince: since.Round(
			time.Millisecond,
		).Seconds(),
		At:      beat.At.UTC().Format(time.RFC3339),
		Failed:  beat.Failed,
		Message: clip(beat.Message, 2000),
	}
	if beat.DurationMS > 0 {
		took := float64(beat.DurationMS)
		r.DurationMs = &took
	}
	switch {
	case since > every+grace:
		return r, check.Fail(
			check.Silent,
			"The job has not called in for "+spell(since)+"; it is to call in every "+spell(every)+", and may be "+spell(grace)+" late.",
		)
	case beat.Failed && r.Message != "":
		return r, check.Fail(check.WrongAnswer, "The job reported a failure: "+brief(r.Message)+".")
	case beat.Failed:
		return r, check.Fail(check.WrongAnswer, "The job reported a failure.")
	}
	return r, nil
}

// spell formats a duration in its largest sufficient unit, such as 90 s, 5 min, 3 h or 2 days.
func spell(d time.Duration) string {
	switch seconds := int(d.Seconds()); {
	case seconds < 120:
		return itoa(seconds) + " s"
	case seconds < 2*3600:
		return itoa(seconds/60) + " min"
	case seconds < 48*3600:
		return itoa(seconds/3600) + " h"
	default:
		return itoa(seconds/86400) + " days"
	}
}

// Sends implements check.Sender: it receives reports and sends nothing.
func (*heartbeatConfig) Sends() check.Sending { return check.Sending{Reads: true} }

// Sends implements check.Sender.
func (*heartbeatBeatConfig) Sends() check.Sending { return check.Sending{Reads: true} }
