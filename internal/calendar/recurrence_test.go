package calendar_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/calendar"
	"countersign/internal/problem"
)

func recurrence(t testing.TB, rule, start, name string, exceptions ...string) *calendar.Recurrence {
	t.Helper()
	r, err := calendar.ParseRecurrence(rule, start, zone(t, name), exceptions...)
	require.NoError(t, err, rule)
	return r
}

func TestRecurrenceVectors(t *testing.T) {
	t.Parallel()
	lines := vectors(t, "testdata/dateutil.txt")
	refused := map[string]int{}
	for _, line := range lines {
		given, want, _ := strings.Cut(line, " =")
		start, rule, _ := strings.Cut(given, " ")
		r, err := calendar.ParseRecurrence(rule, start, time.UTC)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid), line)
			_, reason, _ := strings.Cut(calendar.Issue("", err).Message, " ")
			refused[reason]++
			continue
		}
		var got []string
		for _, at := range calendar.Upcoming(r, time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC), len(strings.Fields(want))+1) {
			got = append(got, at.Format("2006-01-02T15:04:05"))
		}
		require.Equal(t, strings.Fields(want), got, line)
	}
	// RFC 5545 does not allow these combinations, and some vectors are rules that never happen.
	total := 0
	for _, n := range refused {
		total += n
	}
	require.LessOrEqual(t, total, 55, "%v", refused)
	require.Greater(t, len(lines)-total, 130)
}

func TestRecurrenceOverDaylightSavingChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rule, start, zone, from, to string
		want                              []string
	}{
		{
			"weekly", "FREQ=WEEKLY;BYDAY=SU", "2026-03-15T02:00", "Europe/Berlin", "2026-03-14T00:00:00Z", "2026-04-06T00:00:00Z",
			[]string{"2026-03-15T01:00Z", "2026-03-22T01:00Z", "2026-03-29T01:00Z", "2026-04-05T00:00Z"},
		},
		{
			"weekly, back again", "FREQ=WEEKLY;BYDAY=SU", "2026-03-15T02:00", "Europe/Berlin", "2026-10-17T00:00:00Z", "2026-11-02T00:00:00Z",
			[]string{"2026-10-18T00:00Z", "2026-10-25T00:00Z", "2026-11-01T01:00Z"},
		},
		{
			"midnight that does not exist", "FREQ=DAILY", "2018-11-03T00:00", "America/Sao_Paulo", "2018-11-03T00:00:00Z", "2018-11-06T00:00:00Z",
			[]string{"2018-11-03T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"},
		},
		{
			"hourly over a doubled hour", "FREQ=HOURLY", "2026-10-25T00:30", "Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z",
			[]string{"2026-10-24T23:30Z", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"},
		},
		{
			"the first of two", "FREQ=DAILY", "2026-10-24T02:30", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-27T00:00:00Z",
			[]string{"2026-10-25T00:30Z", "2026-10-26T01:30Z"},
		},
		{
			"until a local day", "FREQ=DAILY;UNTIL=20261025", "2026-10-24T02:30", "Europe/Berlin", "2026-10-24T00:00:00Z", "2027-10-27T00:00:00Z",
			[]string{"2026-10-24T00:30Z", "2026-10-25T00:30Z"},
		},
	} {
		r := recurrence(t, c.rule, c.start, c.zone)
		require.Equal(t, c.want, utc(calendar.Between(r, at(t, c.from), at(t, c.to), 100)), c.name)
	}
	// On the last day of a leap year beyond the listed changes of the zone, its bounds are wrong in the standard library.
	last := recurrence(t, "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31", "2040-01-01T02:30", "Europe/Berlin")
	require.Equal(t, []string{"2040-12-31T01:30Z"}, utc(calendar.Upcoming(last, at(t, "2040-01-01T00:00:00Z"), 1)))
	often := calendar.Upcoming(cron(t, "0 */8 * * *", "Europe/Berlin"), at(t, "2040-12-31T00:00:00Z"), 3)
	require.Equal(t, []string{"2040-12-31T07:00Z", "2040-12-31T15:00Z", "2040-12-31T23:00Z"}, utc(often))
	r := recurrence(t, "FREQ=WEEKLY;BYDAY=SU;COUNT=3", "2026-03-15T02:00", "Europe/Berlin", "2026-03-22T02:00")
	require.Equal(t, []string{"2026-03-15T01:00Z", "2026-03-29T01:00Z"}, utc(calendar.Upcoming(r, at(t, "2026-01-01T00:00:00Z"), 5)))
}

// A rule goes on for centuries from any start without counting from there.
func TestARuleFarFromItsStart(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{
		"FREQ=MINUTELY;INTERVAL=7", "FREQ=HOURLY;INTERVAL=5", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=SU",
		"FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR", "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=YEARLY;INTERVAL=3;BYMONTH=2;BYDAY=1MO,3TU;BYSETPOS=-1",
		"FREQ=YEARLY;BYWEEKNO=53",
	} {
		near := recurrence(t, rule, "1999-01-31T10:20", "UTC")
		after := time.Date(2060, 5, 1, 0, 0, 0, 0, time.UTC)
		first, ok := near.Next(after)
		require.True(t, ok, rule)
		// A rule with a limit behind it is counted from the start by the library.
		var counted time.Time
		for at := first.AddDate(0, -1, 0); ; {
			if at, ok = near.Next(at); !at.Before(first) {
				counted = at
				break
			}
		}
		require.True(t, ok)
		require.True(t, counted.Equal(first), rule)
		require.True(t, first.After(after))
	}
	require.Equal(
		t,
		[]string{"2048-02-29T10:20Z", "2076-02-29T10:20Z"},
		utc(
			calendar.Upcoming(
				recurrence(t, "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SA;BYHOUR=10;BYMINUTE=20", "1999-01-31T10:20", "UTC"),
				at(t, "2030-01-01T00:00:00Z"),
				2,
			),
		),
	)
}

func TestAWrongRuleSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for rule, says := range map[string]string{
		"":                                               "FREQ=WEEKLY;BYDAY=MO,FR",
		"BYDAY=MO":                                       "must have a FREQ",
		"FREQ=SECONDLY":                                  "MINUTELY",
		"FREQ=DAILY;FREQ=DAILY":                          "twice",
		"FREQ=DAILY;COUNT=3;UNTIL=20270101":              "leave one out",
		"FREQ=DAILY;COUNT=100000":                        "1 to 1000",
		"FREQ=DAILY;INTERVAL=0":                          "wrong INTERVAL",
		"FREQ=DAILY;UNTIL=tomorrow":                      "wrong UNTIL",
		"FREQ=DAILY;UNTIL=20200101":                      "never happens",
		"FREQ=WEEKLY;BYDAY=XX":                           "write days",
		"FREQ=WEEKLY;BYDAY=2MO":                          "MONTHLY or YEARLY",
		"FREQ=MONTHLY;BYDAY=6MO":                         "at most 5",
		"FREQ=MONTHLY;BYDAY=-53MO":                       "at most 5",
		"FREQ=YEARLY;BYEASTER=0":                         "no part",
		"FREQ=MINUTELY;BYSETPOS=2":                       "needs FREQ=DAILY",
		"FREQ=DAILY;BYSETPOS=1":                          "BYSETPOS",
		"FREQ=WEEKLY;BYMONTHDAY=3":                       "does not go with",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":            "never happens",
		"FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=3": "never happens",
		"FREQ=HOURLY;INTERVAL=24;BYHOUR=5":               "does not reach",
		"FREQ=MINUTELY;INTERVAL=60;BYMINUTE=7":           "does not reach",
	} {
		_, err := calendar.ParseRecurrence(rule, "2026-03-15T02:00", time.UTC)
		require.True(t, problem.Is(err, problem.Invalid), rule)
		require.Contains(t, calendar.Issue("rule", err).Message, says, rule)
	}
	_, err := calendar.ParseRecurrence("FREQ=DAILY", "2026-03-15T02:00Z", time.UTC)
	require.ErrorContains(t, err, "without a zone")
}

func TestARuleInWords(t *testing.T) {
	t.Parallel()
	for rule, words := range map[string]string{
		"FREQ=WEEKLY;BYDAY=SU":                  "every week on Sunday at 02:00, Europe/Berlin",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR":    "every 2 weeks on Monday and Friday at 02:00, Europe/Berlin",
		"FREQ=MONTHLY;BYDAY=-1FR;COUNT=3":       "every month on the last Friday at 02:00 3 times, Europe/Berlin",
		"FREQ=YEARLY":                           "every year on day 15 in March at 02:00, Europe/Berlin",
		"FREQ=DAILY;BYHOUR=8,20;UNTIL=20261231": "every day at 08:00 and 20:00 until 2026-12-31 23:59, Europe/Berlin",
		"FREQ=HOURLY;INTERVAL=6":                "every 6 hours, Europe/Berlin",
	} {
		require.Equal(t, words, recurrence(t, rule, "2026-03-15T02:00", "Europe/Berlin").Words(), rule)
	}
}

func FuzzRecurrence(f *testing.F) {
	for _, line := range []string{
		"FREQ=YEARLY;BYMONTH=1,3;BYDAY=1TU,-1TH;BYSETPOS=-1", "FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=7", "FREQ=HOURLY;INTERVAL=7;BYHOUR=3",
		"FREQ=MINUTELY;INTERVAL=500;BYMINUTE=20;BYDAY=MO", "FREQ=WEEKLY;WKST=SU;COUNT=7", "FREQ=YEARLY;BYWEEKNO=-1;UNTIL=20990101T000000Z",
		"FREQ=YEARLY;BYDAY=53MO", "FREQ=YEARLY;BYYEARDAY=-366",
	} {
		f.Add(line, "2026-10-25T02:30")
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, rule, start string) {
		began := time.Now()
		r, err := calendar.ParseRecurrence(rule, start, berlin)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid))
		} else {
			require.NotEmpty(t, r.Words())
			after := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			for range 3 {
				next, ok := r.Next(after)
				if !ok {
					break
				}
				require.True(t, next.After(after))
				after = next
			}
		}
		require.Less(t, time.Since(began), 10*time.Second)
	})
}
