package strategy_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/internal/calendar"
)

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration, failed bool, message string) check.Heartbeat {
		return check.Heartbeat{At: now.Add(-d), Failed: failed, Message: message, DurationMS: 1500}
	}
	for name, c := range map[string]struct {
		heard check.Heartbeat
		err   error
		about object
		cause check.Cause
		says  string
	}{
		"in time":             {ago(30*time.Second, false, "done"), nil, nil, check.None, ""},
		"within the grace":    {ago(110*time.Second, false, ""), nil, nil, check.None, ""},
		"late":                {ago(121*time.Second, false, ""), nil, nil, check.Silent, "The job has not called in for 2 min; it is to call in every 60 s, and may be 60 s late."},
		"no grace":            {ago(61*time.Second, false, ""), nil, object{"graceSeconds": 0}, check.Silent, "The job has not called in for 61 s; it is to call in every 60 s, and may be 0 s late."},
		"nightly":             {ago(24*time.Hour, false, ""), nil, object{"everySeconds": 86_400, "graceSeconds": 3600}, check.None, ""},
		"nightly, late":       {ago(50*time.Hour, false, ""), nil, object{"everySeconds": 86_400, "graceSeconds": 3600}, check.Silent, "The job has not called in for 2 days; it is to call in every 24 h, and may be 60 min late."},
		"never":               {check.Heartbeat{}, nil, nil, check.Silent, "The job has never called in."},
		"not yet":             {check.Heartbeat{Awaited: now.Add(-119 * time.Second)}, nil, nil, check.NotRunnable, "The job has not called in yet, and is not late."},
		"never for long":      {check.Heartbeat{Awaited: now.Add(-121 * time.Second)}, nil, nil, check.Silent, "The job has never called in."},
		"failed":              {ago(5*time.Second, true, "disk full\nmore"), nil, nil, check.WrongAnswer, "The job reported a failure: disk full."},
		"failed, no words":    {ago(5*time.Second, true, ""), nil, nil, check.WrongAnswer, "The job reported a failure."},
		"failed, then silent": {ago(time.Hour, true, "x"), nil, nil, check.Silent, "The job has not called in for 60 min;"},
		"by a clock ahead":    {ago(-5*time.Second, false, ""), nil, nil, check.None, ""},
		"not known":           {check.Heartbeat{}, errors.New("database away"), nil, check.HostFailed, "because of a fault on our side."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := probe{
				strategy: "healthcheck-heartbeat.heartbeat", collector: "healthcheck-heartbeat.beat", config: object{}, about: c.about,
				scope: check.Scope{Check: check.CheckScope{IntervalSeconds: 60}},
				host: &check.Host{
					Now: func() time.Time { return now },
					LastHeartbeat: func(_ context.Context, target int32) (check.Heartbeat, error) {
						if target != 1 {
							return check.Heartbeat{}, errors.New("another target")
						}
						return c.heard, c.err
					},
				},
			}
			if c.cause != check.None {
				p.fails(t, c.cause, c.says)
				return
			}
			var found struct {
				SecondsSince float64
				DurationMs   *float64
				Message, At  string
			}
			p.passes(t, &found)
			require.InDelta(t, max(now.Sub(c.heard.At).Seconds(), 0), found.SecondsSince, 0.001)
			require.InDelta(t, 1500, *found.DurationMs, 0)
			require.Equal(t, c.heard.Message, found.Message)
		})
	}
	p := probe{
		strategy:  "healthcheck-heartbeat.heartbeat",
		collector: "healthcheck-heartbeat.beat",
		config:    object{},
		host:      &check.Host{Now: time.Now},
	}
	p.fails(t, check.NotRunnable, "Heartbeats are heard for saved checks only")
}

// due is a heartbeat check of a cron schedule at some time.
func due(cron, zone string, now time.Time, heard check.Heartbeat) probe {
	return probe{
		strategy: "healthcheck-heartbeat.heartbeat", collector: "healthcheck-heartbeat.beat", config: object{},
		about: object{"cron": cron, "timeZone": zone, "graceSeconds": 1800},
		scope: check.Scope{Check: check.CheckScope{IntervalSeconds: 60}},
		host: &check.Host{
			Now:           func() time.Time { return now },
			LastHeartbeat: func(context.Context, int32) (check.Heartbeat, error) { return heard, nil },
		},
	}
}

func TestAHeartbeatThatIsDueByCron(t *testing.T) {
	t.Parallel()
	// It is due at 01:30 UTC in winter, and may be half an hour late.
	at := func(clock string) time.Time {
		when, err := time.Parse("2006-01-02 15:04:05", "2026-11-"+clock)
		require.NoError(t, err)
		return when
	}
	beat := func(clock string) check.Heartbeat { return check.Heartbeat{At: at(clock), Awaited: at("01 00:00:00")} }
	for name, c := range map[string]struct {
		now   string
		heard check.Heartbeat
		cause check.Cause
		says  string
	}{
		"in time":                    {"24 12:00:00", beat("24 01:40:00"), check.None, ""},
		"before it is due":           {"24 01:29:00", beat("23 01:40:00"), check.None, ""},
		"due, within the grace":      {"24 02:00:00", beat("23 01:40:00"), check.None, ""},
		"late":                       {"24 02:00:01", beat("23 01:40:00"), check.Silent, "The job was due at 2026-11-24 02:30 (Europe/Berlin), could be 30 min late, and has not called in since."},
		"early":                      {"24 12:00:00", beat("24 01:05:00"), check.None, ""},
		"too early":                  {"24 12:00:00", beat("24 00:59:00"), check.Silent, "has not called in since"},
		"early counts once":          {"25 02:01:00", beat("24 01:05:00"), check.Silent, "was due at 2026-11-25 02:30"},
		"twice counts once":          {"25 02:01:00", beat("24 01:59:00"), check.Silent, "was due at 2026-11-25 02:30"},
		"over a weekend":             {"30 01:00:00", beat("27 01:40:00"), check.None, ""},
		"very late is good again":    {"24 12:00:00", beat("24 11:00:00"), check.None, ""},
		"never":                      {"24 12:00:00", check.Heartbeat{Awaited: at("23 00:00:00")}, check.Silent, "The job has never called in. It was due at 2026-11-24 02:30 (Europe/Berlin)."},
		"new, not yet due":           {"24 12:00:00", check.Heartbeat{Awaited: at("24 11:00:00")}, check.NotRunnable, "The job has not called in yet, and is not late: it is due at 2026-11-25 02:30 (Europe/Berlin)."},
		"new, in the grace":          {"25 01:45:00", check.Heartbeat{Awaited: at("24 11:00:00")}, check.NotRunnable, "it is due at 2026-11-25 02:30"},
		"resumed after a long pause": {"24 12:00:00", check.Heartbeat{At: at("10 01:40:00"), Awaited: at("24 11:00:00")}, check.NotRunnable, "not late"},
	} {
		p := due("30 2 * * 1-5", "Europe/Berlin", at(c.now), c.heard)
		if c.cause != check.None {
			p.fails(t, c.cause, c.says)
			continue
		}
		var found struct{ DueAt, NextDueAt string }
		p.passes(t, &found)
		require.NotEmpty(t, found.DueAt, name)
		require.NotEmpty(t, found.NextDueAt, name)
	}
}

// A job that calls in at each due time is never late, on either day of a daylight-saving change. When it misses one it is
// late from the end of the grace to its next heartbeat.
func TestAHeartbeatOverDaylightSavingChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone    string
		changes []string
	}{
		{"Europe/Berlin", []string{"2026-03-29", "2026-10-25"}},
		{"America/Sao_Paulo", []string{"2018-02-18", "2018-11-04"}},
		{"Australia/Lord_Howe", []string{"2026-04-05", "2026-10-04"}},
	} {
		zone, err := calendar.Zone(c.zone)
		require.NoError(t, err)
		for _, text := range []string{"30 2 * * *", "0 0 * * *", "0 */2 * * *"} {
			cron, err := calendar.ParseCron(text, zone)
			require.NoError(t, err)
			for _, day := range c.changes {
				change, err := time.Parse("2006-01-02", day)
				require.NoError(t, err)
				from := change.AddDate(0, 0, -2)
				slots := calendar.Between(cron, from, from.AddDate(0, 0, 4), 100)
				missed := len(slots) / 2
				var heard check.Heartbeat
				heard.Awaited = from.AddDate(0, 0, -1)
				next := 0
				for now := slots[0].Add(5 * time.Minute); now.Before(slots[len(slots)-1]); now = now.Add(10 * time.Minute) {
					for next < len(slots) && !now.Before(slots[next].Add(5*time.Minute)) {
						if next != missed {
							heard.At = slots[next].Add(5 * time.Minute)
						}
						next++
					}
					p := due(text, c.zone, now, heard)
					if now.After(slots[missed].Add(30*time.Minute)) && now.Before(slots[missed+1].Add(5*time.Minute)) {
						p.fails(t, check.Silent, "The job was due at")
					} else {
						p.passes(t, &struct{}{})
					}
				}
			}
		}
	}
}

func TestAWrongCronScheduleIsRefused(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for about, says := range map[string]string{
		`{"cron": "30 2 * * *"}`:                                                     "collectors[0].config.timeZone: must name a time zone",
		`{"cron": "30 2 * *", "timeZone": "Europe/Berlin"}`:                          "collectors[0].config.cron: must have five fields",
		`{"cron": "0 0 30 2 *", "timeZone": "Europe/Berlin"}`:                        "collectors[0].config.cron: never happens",
		`{"timeZone": "Europe/Berlin"}`:                                              "collectors[0].config.timeZone: is for a cron schedule",
		`{"cron": "30 2 * * *", "timeZone": "Europe/Berlin", "everySeconds": 86400}`: "collectors[0].config.everySeconds: does not go with cron",
	} {
		issues := registry.Validate(t.Context(), check.Configuration{
			Strategy: "healthcheck-heartbeat.heartbeat",
			Collectors: []check.Collected{{
				ID: uuid.New(), CollectorID: "healthcheck-heartbeat.beat", Config: check.Config(about),
			}},
		})
		require.NotEmpty(t, issues, about)
		require.Contains(t, issues[0].String(), says)
	}
}
