package strategy

import (
	"context"
	"fmt"
	"time"

	"countersign/check"
	"countersign/internal/calendar"
	"countersign/internal/problem"
)

// heartbeatConfig says how the monitored job reports; the job sends the requests.
type heartbeatConfig struct {
	check.Deadline
	AcceptGet bool `json:"acceptGet,omitempty" jsonschema_description:"Whether a GET counts as a heartbeat too, for devices that cannot send a POST. Whatever opens the address then reports for the job, such as a link preview." check:"label=Accept GET"`
}

// heartbeatBeatConfig configures when a missing report is a failure.
type heartbeatBeatConfig struct {
	Cron         string `json:"cron,omitempty" jsonschema:"maxLength=256" jsonschema_description:"When the job is due, in the five fields of cron: 30 2 * * 1-5 for 02:30 on weekdays. Instead of everySeconds, and with timeZone." check:"label=Due (cron)"`
	TimeZone     string `json:"timeZone,omitempty" jsonschema:"maxLength=64" jsonschema_description:"The IANA time zone of the cron schedule, such as Europe/Berlin" check:"label=Time zone"`
	EverySeconds int    `json:"everySeconds,omitempty" jsonschema:"minimum=1,maximum=31536000" jsonschema_description:"How often the job calls in, in seconds: 86400 for a nightly one. The interval of the check when left out; a shorter interval notices silence sooner." check:"unit=s,label=Every"`
	GraceSeconds *int   `json:"graceSeconds,omitempty" jsonschema:"minimum=0,maximum=604800,default=60" jsonschema_description:"How much later than that it may call in, in seconds" check:"unit=s,label=Grace"`
}

// Check implements check.Checker.
func (c *heartbeatBeatConfig) Check() []problem.Issue {
	var issues []problem.Issue
	report := func(path string, err error) {
		if err != nil {
			issues = append(issues, calendar.Issue(path, err))
		}
	}
	switch {
	case c.Cron == "" && c.TimeZone != "":
		return []problem.Issue{{Path: "timeZone", Message: "is for a cron schedule: fill in cron, or leave it out"}}
	case c.Cron == "":
		return nil
	case c.EverySeconds != 0:
		issues = append(issues, problem.Issue{Path: "everySeconds", Message: "does not go with cron: leave one of them out"})
	}
	zone, err := calendar.Zone(c.TimeZone)
	report("timeZone", err)
	_, err = calendar.ParseCron(c.Cron, zone)
	report("cron", err)
	return issues
}

// schedule parses the cron schedule; nil without one.
func (c *heartbeatBeatConfig) schedule() (*calendar.Cron, error) {
	if c.Cron == "" {
		return nil, nil
	}
	zone, err := calendar.Zone(c.TimeZone)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The time zone "+brief(c.TimeZone)+" "+calendar.Issue("", err).Message+".")
	}
	cron, err := calendar.ParseCron(c.Cron, zone)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The cron schedule "+calendar.Issue("", err).Message+".")
	}
	return cron, nil
}

// heartbeatBeatResult is the last report of the job.
type heartbeatBeatResult struct {
	SecondsSince float64  `json:"secondsSince" jsonschema_description:"How many seconds ago the job called in last" check:"chart=line,unit=s,label=Since the last heartbeat,keep"`
	At           string   `json:"at" jsonschema_description:"When that was" check:"label=Last heartbeat"`
	Failed       bool     `json:"failed" jsonschema_description:"Whether the job reported a failure" check:"label=Failed"`
	Message      string   `json:"message" jsonschema_description:"What it said" check:"label=Message"`
	DurationMs   *float64 `json:"durationMs,omitempty" jsonschema_description:"How long its work took, if it said so" check:"chart=line,unit=ms,label=Duration,keep"`
	DueAt        string   `json:"dueAt,omitempty" jsonschema_description:"The due time that the job has had to call in for, with a cron schedule" check:"label=Was due"`
	NextDueAt    string   `json:"nextDueAt,omitempty" jsonschema_description:"When it is due next, with a cron schedule" check:"label=Next due"`
	cutFields
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
	grace := 60 * time.Second
	if c.GraceSeconds != nil {
		grace = time.Duration(*c.GraceSeconds) * time.Second
	}
	cron, err := c.schedule()
	if err != nil {
		return nil, err
	}
	var late *check.Failure
	r := &heartbeatBeatResult{Failed: beat.Failed}
	r.Message = r.clip("message", beat.Message, 2000)
	if cron != nil {
		late = heartbeatDue(r, cron, grace, run.Now(), beat)
	} else {
		late = heartbeatEvery(time.Duration(otherwise(c.EverySeconds, run.Scope.Check.IntervalSeconds))*time.Second, grace, run.Now(), beat)
	}
	if beat.At.IsZero() {
		return nil, late
	}
	r.SecondsSince = max(run.Now().Sub(beat.At), 0).Round(time.Millisecond).Seconds()
	r.At = beat.At.UTC().Format(time.RFC3339)
	if beat.DurationMS > 0 {
		took := float64(beat.DurationMS)
		r.DurationMs = &took
	}
	switch {
	case late != nil:
		return r, late
	case beat.Failed && r.Message != "":
		return r, check.Fail(check.WrongAnswer, "The job reported a failure: "+brief(r.Message)+".")
	case beat.Failed:
		return r, check.Fail(check.WrongAnswer, "The job reported a failure.")
	}
	return r, nil
}

// heartbeatEvery is the failure of a job that has to call in at an interval; nil when it is in time.
func heartbeatEvery(every, grace time.Duration, now time.Time, beat check.Heartbeat) *check.Failure {
	since := max(now.Sub(beat.At), 0)
	switch {
	case beat.At.IsZero() && !beat.Awaited.IsZero() && now.Sub(beat.Awaited) <= every+grace:
		return check.Fail(check.NotRunnable, "The job has not called in yet, and is not late.")
	case beat.At.IsZero():
		return check.Fail(check.Silent, "The job has never called in.")
	case since > every+grace:
		return check.Fail(
			check.Silent,
			"The job has not called in for "+spell(since)+"; it is to call in every "+spell(every)+", and may be "+spell(grace)+" late.",
		)
	}
	return nil
}

// minEarly is how much earlier than due a job may call in at least: its clock and ours differ.
const minEarly = time.Minute

// heartbeatDue is the failure of a job that has to call in for each due time; nil when it has. The due time that counts is
// the last one whose grace is over. A heartbeat counts for it from shortly before it on: as long as the grace, but no
// more than half of the time since the due time before, so that one heartbeat is never early for two.
func heartbeatDue(r *heartbeatBeatResult, cron *calendar.Cron, grace time.Duration, now time.Time, beat check.Heartbeat) *check.Failure {
	local := func(t time.Time) string {
		return t.In(cron.Zone()).Format("2006-01-02 15:04") + " (" + cron.Zone().String() + ")"
	}
	if next, ok := cron.Next(now); ok {
		r.NextDueAt = next.UTC().Format(time.RFC3339)
	}
	due, ok := cron.Last(now.Add(-grace))
	if ok {
		r.DueAt = due.UTC().Format(time.RFC3339)
		early := max(grace, minEarly)
		if before, ok := cron.Last(due); ok {
			early = min(early, due.Sub(before)/2)
		}
		if !beat.At.IsZero() && !beat.At.Before(due.Add(-early)) {
			return nil
		}
	}
	// A due time before the check began, was resumed or got its schedule is not held against the job.
	if !ok || due.Before(beat.Awaited) {
		next, _ := cron.Next(now.Add(-grace))
		return check.Fail(check.NotRunnable, "The job has not called in yet, and is not late: it is due at "+local(next)+".")
	}
	says := "The job was due at " + local(due) + ", could be " + spell(grace) + " late, and has not called in since."
	if beat.At.IsZero() {
		says = "The job has never called in. It was due at " + local(due) + "."
	}
	return check.Fail(check.Silent, says)
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
