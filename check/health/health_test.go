package health_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/health"
)

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// outcome is a run by a letter: p passed, f failed, e errored, s skipped.
func outcome(letter rune) check.Outcome {
	o := check.Outcome{Verdict: map[rune]check.Verdict{'p': check.Passed, 'f': check.Failed, 'e': check.Errored, 's': check.Skipped}[letter]}
	switch letter {
	case 'f':
		o.Report = func() check.Report {
			return check.Report{Message: "Expected statusCode = 200, got 503."}
		}
	case 'e':
		o.Report = func() check.Report { return check.Report{Message: "The secret PAGE is not there."} }
	}
	return o
}

// replay judges runs, one a minute, and answers the status after each by its first letter: - is unknown.
func replay(
	t *testing.T,
	s health.State,
	thresholds health.Thresholds,
	from time.Time,
	runs string,
) (health.State, string, []health.Transition) {
	t.Helper()
	var statuses strings.Builder
	var transitions []health.Transition
	for i, letter := range strings.ReplaceAll(runs, " ", "") {
		before := s
		next, effect := health.Judge(s, thresholds.WithDefaults(), outcome(letter), from.Add(time.Duration(i)*time.Minute))
		transition := effect.Transition
		require.Equal(t, next != before, effect.Changed)
		require.Equal(t, next.Status() != before.Status(), transition != nil)
		if transition != nil {
			require.Equal(t, before.Status(), transition.Before)
			require.Equal(t, next.Status(), transition.After)
			require.NotEmpty(t, transition.Reason)
			transitions = append(transitions, *transition)
		}
		decoded, err := health.Decode(next.Encode())
		require.NoError(t, err)
		require.Equal(t, next, decoded.WithStreaks(next.Streaks()))
		require.LessOrEqual(t, len(next.Encode()), health.MaxEncoded)
		s = next
		statuses.WriteByte("-hdu"[s.Status()])
	}
	return s, statuses.String(), transitions
}

func TestAStatusComesFromThresholds(t *testing.T) {
	t.Parallel()
	window := health.Thresholds{Mode: health.Window}
	calm := -1
	for _, c := range []struct {
		name       string
		thresholds health.Thresholds
		runs, want string
	}{
		{"no run yet, and too little failed to know", health.Thresholds{}, "f", "-"},
		{"healthy after one", health.Thresholds{}, "ppp", "hhh"},
		{"degraded after 2, unhealthy after 5", health.Thresholds{}, "pffffff", "hhddduu"},
		{"one failure between is nothing", health.Thresholds{FlapChanges: calm}, "pfpfpf", "hhhhhh"},
		{"unhealthy stays until it passes", health.Thresholds{}, "fffffp", "-ddduh"},
		{"healthy after three", health.Thresholds{HealthyAfter: 3}, "ppp ff pp p", "--h hd dd h"},
		{"straight to unhealthy", health.Thresholds{DegradedAfter: 2, UnhealthyAfter: 2}, "pff", "hhu"},
		{"skipped runs say nothing", health.Thresholds{}, "psfsfs", "hhhhdd"},
		{"three runs that could not be made", health.Thresholds{}, "peee p", "hhh- h"},
		{"one that could not be made", health.Thresholds{UnknownAfter: 1}, "pe p", "h- h"},
		{"five that could not be made", health.Thresholds{UnknownAfter: 5}, "peeee e p", "hhhhh - h"},
		{"with others between them they are nothing", health.Thresholds{}, "peepee", "hhhhhh"},
		{"what has failed before still counts", health.Thresholds{}, "fffff eee f", "-dddu uu- u"},
		{"a window", window, "p ff f ffff f", "h hh d dddu u"},
		{"the window forgets", window, "fff pppppppp p", "--d dddddddh h"},
		{"a window of three", health.Thresholds{Mode: health.Window, WindowSize: 3, DegradedAfter: 2, UnhealthyAfter: 3}, "pfpffpp", "hhhdddh"},
		{"a window knows nothing of one failure", window, "ff p", "-- h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, c.thresholds.Issues())
			_, got, _ := replay(t, health.State{}, c.thresholds, start, c.runs)
			require.Equal(t, strings.ReplaceAll(c.want, " ", ""), got, c.runs)
		})
	}
}

func TestATargetThatDoesNotChangeChangesNoState(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{health.Consecutive, health.Window} {
		for _, letter := range "pfe" {
			thresholds := health.Thresholds{Mode: mode}
			s, _, _ := replay(t, health.State{}, thresholds, start, strings.Repeat(string(letter), 100))
			for i := range 1_000 {
				next, effect := health.Judge(s, thresholds.WithDefaults(), outcome(letter), start.Add(time.Duration(i)*time.Hour))
				require.Zero(t, effect, "%s %c", mode, letter)
				require.Equal(t, s, next)
			}
		}
	}
}

func TestATargetThatFlapsStaysAtTheWorseStatus(t *testing.T) {
	t.Parallel()
	thresholds := health.Thresholds{DegradedAfter: 1}
	s, got, transitions := replay(t, health.State{}, thresholds, start, "pfpfp fppfff ffppppppppppppp")
	require.Equal(t, "hdhdh dddddd duuuuuuuuuuuuuu", got[:5]+" "+got[5:11]+" "+got[11:])
	require.True(t, s.Flapping())
	require.Equal(t, "The status has changed more than 4 times in 30 minutes, so it stays degraded until it is calm: "+
		"Expected statusCode = 200, got 503", transitions[5].Reason)

	// Nothing changes for half of the window.
	s, got, transitions = replay(t, s, thresholds, start.Add(26*time.Minute), "pppp")
	require.Equal(t, "uuuh", got)
	require.False(t, s.Flapping())
	require.Equal(t, "Calm for 15 minutes after many changes", transitions[0].Reason)
}

func TestChangesThatAreFarApartAreNoFlapping(t *testing.T) {
	t.Parallel()
	thresholds := health.Thresholds{DegradedAfter: 1}
	s := health.State{}
	for i := range 50 {
		var got string
		s, got, _ = replay(t, s, thresholds, start.Add(time.Duration(i)*20*time.Minute), "pf")
		require.Equal(t, "hd", got, i)
		require.False(t, s.Flapping())
	}
	off := health.Thresholds{DegradedAfter: 1, FlapChanges: -1}
	_, got, _ := replay(t, health.State{}, off, start, strings.Repeat("pf", 50))
	require.Equal(t, strings.Repeat("hd", 50), got)
}

func TestAChangeBeganWithItsStreak(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		thresholds health.Thresholds
		runs       string
		// began is the number of the run with which each change began.
		began []int
	}{
		{"a failure that stays alone is none", health.Thresholds{}, "pfpfff", []int{0, 3}},
		{"what is degraded already becomes worse then", health.Thresholds{}, "pfffff", []int{0, 1, 5}},
		{"errored runs between failures do not end a streak", health.Thresholds{}, "pfef", []int{0, 1}},
		{"unknown from the first run that could not be made", health.Thresholds{}, "peee", []int{0, 1}},
		{"failures before a time of unknown status", health.Thresholds{}, "fffff eee f", []int{0, 4, 5, 8}},
		{"healthy with the run that confirmed it", health.Thresholds{HealthyAfter: 3}, "ppp ff ppp", []int{2, 3, 7}},
		{"the last failures of a window", health.Thresholds{Mode: health.Window}, "pf pff", []int{0, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, transitions := replay(t, health.State{}, c.thresholds, start, c.runs)
			var began []int
			for _, change := range transitions {
				began = append(began, int(change.Began.Sub(start)/time.Minute))
			}
			require.Equal(t, c.began, began)
		})
	}
}

func TestWhyAStatusChanged(t *testing.T) {
	t.Parallel()
	reasons := func(thresholds health.Thresholds, runs string) (all []string) {
		_, _, transitions := replay(t, health.State{}, thresholds, start, runs)
		for _, change := range transitions {
			all = append(all, change.Reason)
		}
		return all
	}
	const said = ": Expected statusCode = 200, got 503"
	require.Equal(t, []string{"The last run passed", "2 runs in a row failed" + said, "5 runs in a row failed" + said, "The last run passed"},
		reasons(health.Thresholds{}, "pfffffp"))
	require.Equal(
		t,
		[]string{"2 runs in a row passed", "3 runs in a row could not be made: The secret PAGE is not there"},
		reasons(health.Thresholds{HealthyAfter: 2}, "ppeee"),
	)
	require.Equal(t, []string{"The last run passed", "3 of the last 4 runs failed" + said, "Only 2 runs of the last 10 failed"},
		reasons(health.Thresholds{Mode: health.Window}, "pfffppppppppp"))
}

func TestAnotherModeBeginsToCountAnew(t *testing.T) {
	t.Parallel()
	s, _, _ := replay(t, health.State{}, health.Thresholds{}, start, "pffff")
	require.Equal(t, health.Degraded, s.Status())
	_, got, _ := replay(t, s, health.Thresholds{Mode: health.Window}, start.Add(time.Hour), "ff p")
	require.Equal(t, "ddh", got)
}

func TestWhatIsWrongWithThresholds(t *testing.T) {
	t.Parallel()
	for raw, says := range map[string]string{
		``:                                 "",
		`{}`:                               "",
		`{"mode":"window","windowSize":3}`: "",
		`{"mode":"window","windowSize":100,"degradedAfter":50,"unhealthyAfter":100}`: "",
		`{"unhealthyAfter":1}`:                  "unhealthyAfter is less than degradedAfter, which is 2",
		`{"degradedAfter":7}`:                   "",
		`{"mode":"sometimes"}`:                  "mode must be consecutive or window",
		`{"mode":"window","windowSize":2}`:      "windowSize must be from 3 to 100",
		`{"mode":"window","unhealthyAfter":11}`: "unhealthyAfter must be from 1 to 10",
		`{"mode":"window","healthyAfter":2}`:    "healthyAfter is only for the mode consecutive",
		`{"windowSize":5}`:                      "windowSize is only for the mode window",
		`{"degradedAfter":-1}`:                  "degradedAfter must be from 1 to 100",
		`{"flapChanges":6}`:                     "flapChanges must be from 1 to 5",
		`{"flapMinutes":721}`:                   "flapMinutes must be from 1 to 720",
	} {
		_, err := health.ParseThresholds(json.RawMessage(raw))
		if says == "" {
			require.NoError(t, err, raw)
			continue
		}
		require.ErrorContains(t, err, "The thresholds are not valid: "+says+".", raw)
	}
	_, err := health.ParseThresholds(json.RawMessage(`{"healthy":1}`))
	require.Error(t, err)
	require.Equal(
		t,
		health.Thresholds{
			Mode:           "consecutive",
			HealthyAfter:   1,
			DegradedAfter:  2,
			UnhealthyAfter: 5,
			UnknownAfter:   3,
			FlapChanges:    4,
			FlapMinutes:    30,
		},
		health.Thresholds{}.WithDefaults(),
	)
	require.Equal(
		t,
		health.Thresholds{Mode: "window", WindowSize: 10, DegradedAfter: 3, UnhealthyAfter: 7, UnknownAfter: 3, FlapChanges: 4, FlapMinutes: 30},
		health.Thresholds{Mode: "window"}.WithDefaults(),
	)
}

func TestASystemIsAsBadAsItsWorstTarget(t *testing.T) {
	t.Parallel()
	target := func(name string, status health.Status, minutesAgo int) health.Target {
		t := health.Target{
			Name:        name,
			Environment: "production",
			Status:      status,
			Since:       start.Add(-time.Duration(minutesAgo) * time.Minute),
		}
		if status.Bad() {
			t.Reason = "5 runs in a row failed: It was refused"
		}
		return t
	}
	impossible := func(name string, minutesAgo int) health.Target {
		t := target(name, health.Unknown, minutesAgo)
		t.Reason = "3 runs in a row could not be made: The secret PAGE is not there"
		return t
	}
	for _, c := range []struct {
		since   time.Duration
		targets []health.Target
		says    string
	}{
		{0, nil, "Shop is unknown. No check runs for it."},
		{0, []health.Target{target("API", health.Unknown, 0)}, "Shop is unknown. Nothing is known of its check."},
		{90 * time.Minute, []health.Target{target("API", health.Healthy, 90), target("DB", health.Healthy, 200)}, "Shop has been healthy for 1 hour. All of its checks are healthy."},
		{
			90 * time.Minute,
			[]health.Target{target("API", health.Healthy, 90), target("DB", health.Unknown, 200)},
			"Shop has been partly unknown for 1 hour. Healthy, 1 of 2 unknown, DB in production: there is no result yet.",
		},
		{
			90 * time.Minute,
			[]health.Target{impossible("Mail", 10), target("API", health.Healthy, 90), target("DB", health.Unknown, 200), impossible("FTP", 20)},
			"Shop has been partly unknown for 1 hour. Healthy, 3 of 4 unknown, first FTP in production: " +
				"3 runs in a row could not be made: The secret PAGE is not there.",
		},
		{
			0,
			[]health.Target{impossible("DB", 10)},
			"Shop is unknown. Nothing is known of the check DB in production: 3 runs in a row could not be made: The secret PAGE is not there.",
		},
		{
			90 * time.Minute,
			[]health.Target{target("API", health.Degraded, 90), impossible("DB", 10)},
			"Shop has been degraded for 1 hour. The check API in production is degraded: 5 runs in a row failed: It was refused.",
		},
		{
			25 * time.Minute,
			[]health.Target{target("API", health.Unhealthy, 25), target("DB", health.Degraded, 200)},
			"Shop has been unhealthy for 25 minutes. The check API in production is unhealthy: 5 runs in a row failed: It was refused.",
		},
		{
			4 * 24 * time.Hour,
			[]health.Target{target("API", health.Degraded, 1), target("DB", health.Degraded, 4*24*60), target("Mail", health.Healthy, 1)},
			"Shop has been degraded for 4 days. 2 of 3 checks are degraded, first DB in production: 5 runs in a row failed: It was refused.",
		},
	} {
		var since time.Time
		if c.since > 0 {
			since = start.Add(-c.since)
		}
		require.Equal(t, c.says, health.Why("Shop", since, health.Settle(c.targets, nil), start))
	}
}

// Readers who may not see results of runs, or names of environments, get the same sentence without them.
func TestABriefReasonKeepsItsCount(t *testing.T) {
	t.Parallel()
	target := func(name string, status health.Status, reason string) health.Target {
		return health.Target{Name: name, Environment: "production", Status: status, Since: start, Reason: reason}
	}
	const failed, impossible = "5 runs in a row failed: It was refused", "3 runs in a row could not be made: The secret PAGE is not there"
	healthy := target("API", health.Healthy, "")
	for _, c := range []struct {
		targets []health.Target
		brief   string
	}{
		{[]health.Target{healthy}, "All of its checks are healthy."},
		{[]health.Target{target("DB", health.Degraded, failed), healthy}, "The check DB is degraded: 5 runs in a row failed."},
		{
			[]health.Target{target("DB", health.Unhealthy, failed), healthy, target("Mail", health.Unhealthy, failed)},
			"2 of 3 checks are unhealthy, first DB: 5 runs in a row failed.",
		},
		{[]health.Target{healthy, target("DB", health.Unknown, impossible)}, "Healthy, 1 of 2 unknown, DB: 3 runs in a row could not be made."},
		{[]health.Target{healthy, target("DB", health.Unknown, "")}, "Healthy, 1 of 2 unknown, DB: there is no result yet."},
		{
			[]health.Target{healthy, target("DB", health.Unknown, impossible), target("Mail", health.Unknown, impossible)},
			"Healthy, 2 of 3 unknown, first DB: 3 runs in a row could not be made.",
		},
		{[]health.Target{target("DB", health.Unknown, impossible)}, "Nothing is known of the check DB: 3 runs in a row could not be made."},
		{[]health.Target{target("DB", health.Unknown, "")}, "Nothing is known of its check."},
		{
			[]health.Target{target("DB", health.Unknown, impossible), target("Mail", health.Unknown, "")},
			"Nothing is known of its 2 checks, first DB: 3 runs in a row could not be made.",
		},
		{[]health.Target{target("DB", health.Unknown, ""), target("Mail", health.Unknown, "")}, "Nothing is known of its 2 checks."},
	} {
		status, at, reason := health.Worst(c.targets)
		decisive := c.targets[at]
		decisive.Status, decisive.Environment = status, ""
		decisive.Reason, _, _ = strings.Cut(decisive.Reason, ": ")
		require.Equal(t, c.brief, health.Brief(reason, decisive))
	}
}

// A target whose runs cannot be made says why from the first one, and once for each streak that it lasts.
func TestRunsThatCannotBeMadeGiveAReasonAtOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		runs    string
		reasons []string
		lasting string
	}{
		{"eeeee", []string{
			"The last run could not be made: The secret PAGE is not there",
			"2 runs in a row could not be made: The secret PAGE is not there",
			"3 runs in a row could not be made: The secret PAGE is not there", "", "",
		}, "..!.."},
		{"pepf", []string{
			"The last run passed",
			"The last run could not be made: The secret PAGE is not there",
			"The last run passed",
			"The last run failed: Expected statusCode = 200, got 503",
		}, "...."},
		{"ffe", []string{
			"The last run failed: Expected statusCode = 200, got 503",
			"2 runs in a row failed: Expected statusCode = 200, got 503",
			"",
		}, "..."},
		{"eeepeee", []string{
			"The last run could not be made: The secret PAGE is not there",
			"2 runs in a row could not be made: The secret PAGE is not there",
			"3 runs in a row could not be made: The secret PAGE is not there",
			"The last run passed",
			"The last run could not be made: The secret PAGE is not there",
			"2 runs in a row could not be made: The secret PAGE is not there",
			"3 runs in a row could not be made: The secret PAGE is not there",
		}, "..!...!"},
	} {
		s, lasting := health.State{}, ""
		for i, letter := range c.runs {
			next, effect := health.Judge(s, health.Thresholds{}.WithDefaults(), outcome(letter), start.Add(time.Duration(i)*time.Minute))
			require.Equal(t, c.reasons[i], effect.Reason, "%s, run %d", c.runs, i)
			s, lasting = next, lasting+map[bool]string{true: "!", false: "."}[effect.Lasting]
		}
		require.Equal(t, c.lasting, lasting, c.runs)
	}
}

func TestStatusesAreOrderedBySeverity(t *testing.T) {
	t.Parallel()
	order := []health.Status{health.Unknown, health.Healthy, health.PartlyUnknown, health.Degraded, health.Unhealthy}
	for i, a := range order {
		for j, b := range order {
			require.Equal(t, i > j, a.WorseThan(b), "%s %s", a, b)
			require.Equal(t, order[max(i, j)], health.Worse(a, b))
		}
	}
}

func TestAnOverrideWorseThanAllTargetsDecides(t *testing.T) {
	t.Parallel()
	target := func(status health.Status) health.Target {
		return health.Target{Name: "API", Status: status, Since: start, Reason: "2 runs in a row failed: It was refused"}
	}
	override := func(status health.Status, reason string, minute int) health.Override {
		return health.Override{Status: status, Reason: reason, Since: start.Add(time.Duration(minute) * time.Minute)}
	}
	for _, c := range []struct {
		targets   []health.Target
		overrides []health.Override
		want      health.Settled
	}{
		{nil, nil, health.Settled{Status: health.Unknown, Target: -1, Override: -1, Reason: "No check runs for it."}},
		{
			nil,
			[]health.Override{override(health.Degraded, "The berth is closed", 0)},
			health.Settled{Status: health.Degraded, Target: -1, Override: 0, Reason: "The berth is closed."},
		},
		{
			[]health.Target{target(health.Healthy)},
			[]health.Override{
				override(health.Degraded, "A", 0), override(health.Unhealthy, "B", 3), override(health.Unhealthy, "C", 2),
			},
			health.Settled{Status: health.Unhealthy, Target: -1, Override: 2, Reason: "C."},
		},
		{
			[]health.Target{target(health.Degraded)},
			[]health.Override{override(health.Degraded, "A", -9)},
			health.Settled{
				Status: health.Degraded, Target: 0, Override: -1, Reason: "The check API is degraded: 2 runs in a row failed: It was refused.",
			},
		},
		{
			[]health.Target{target(health.Unhealthy)},
			[]health.Override{override(health.Degraded, "A", 0)},
			health.Settled{
				Status: health.Unhealthy, Target: 0, Override: -1, Reason: "The check API is unhealthy: 2 runs in a row failed: It was refused.",
			},
		},
	} {
		require.Equal(t, c.want, health.Settle(c.targets, c.overrides))
	}
}

func FuzzDecode(f *testing.F) {
	s := health.State{}
	for i, letter := range "pfpfpfeeepffffff" {
		s, _ = health.Judge(s, health.Thresholds{DegradedAfter: 1}.WithDefaults(), outcome(letter), start.Add(time.Duration(i)*time.Minute))
		f.Add(s.Encode(), "pf", false)
		f.Add(s.Encode(), "fpe", true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, runs string, window bool) {
		s, err := health.Decode(raw)
		if err != nil {
			return
		}
		thresholds := health.Thresholds{}
		if window {
			thresholds.Mode, thresholds.WindowSize = health.Window, 100
		}
		for i, letter := range runs {
			s, _ = health.Judge(s, thresholds.WithDefaults(), outcome(letter), start.Add(time.Duration(i)*time.Minute))
			encoded := s.Encode()
			require.LessOrEqual(t, len(encoded), health.MaxEncoded)
			again, err := health.Decode(encoded)
			require.NoError(t, err, "%x", encoded)
			require.Equal(t, s, again.WithStreaks(s.Streaks()))
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	thresholds := health.Thresholds{}.WithDefaults()
	s, _ := health.Judge(health.State{}, thresholds, outcome('p'), start)
	o := outcome('p')
	b.ReportAllocs()
	for b.Loop() {
		if _, effect := health.Judge(s, thresholds, o, start); effect.Changed {
			b.Fatal("it changed")
		}
	}
}
