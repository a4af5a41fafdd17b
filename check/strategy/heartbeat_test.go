package strategy_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
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
