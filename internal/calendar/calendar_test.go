package calendar_test

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/calendar"
	"countersign/internal/problem"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := calendar.Zone(name)
	require.NoError(t, err, name)
	return z
}

func cron(t testing.TB, text, name string) *calendar.Cron {
	t.Helper()
	c, err := calendar.ParseCron(text, zone(t, name))
	require.NoError(t, err, text)
	return c
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	when, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return when
}

// utc formats times for comparison.
func utc(times []time.Time) []string {
	out := []string{}
	for _, t := range times {
		out = append(out, t.UTC().Format("2006-01-02T15:04Z"))
	}
	return out
}

// zones lists the time zones of the database that comes with Go.
func zones(t *testing.T) []string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	require.NoError(t, err)
	defer func() { _ = archive.Close() }()
	var names []string
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" {
			names = append(names, f.Name)
		}
	}
	require.Greater(t, len(names), 500)
	return names
}

func TestATimeZoneNeedsItsName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT"} {
		zone(t, name)
	}
	for _, name := range []string{
		"", "Local", "localtime", "europe/berlin ", "../../etc/passwd", "US/Pacific-New", "right/Europe/Berlin", "+01:00", "Factory",
		"Mars/Olympus", strings.Repeat("A", 100), "Europe/Berlin\x00",
	} {
		_, err := calendar.Zone(name)
		require.True(t, problem.Is(err, problem.Invalid), name)
		require.Contains(t, calendar.Issue("timeZone", err).String(), "Europe/Berlin", name)
	}
}

// The rule over daylight-saving changes, where schedulers differ.
func TestCronOverDaylightSavingChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, cron, zone, from, to string
		want                       []string
	}{
		{
			"a time in the gap", "30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", "2026-03-31T00:00:00Z",
			[]string{"2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"},
		},
		{
			"a time that exists twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", "2026-10-27T00:00:00Z",
			[]string{"2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"},
		},
		{
			"hourly over a doubled hour", "0 * * * *", "Europe/Berlin", "2026-10-24T23:00:00Z", "2026-10-25T03:00:00Z",
			[]string{"2026-10-24T23:00Z", "2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"},
		},
		{
			"hourly over a gap", "0 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T03:00:00Z",
			[]string{"2026-03-29T00:00Z", "2026-03-29T01:00Z", "2026-03-29T02:00Z"},
		},
		{
			"every two hours over a gap", "0 */2 * * *", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z",
			[]string{"2026-03-28T23:00Z", "2026-03-29T01:00Z", "2026-03-29T02:00Z", "2026-03-29T04:00Z"},
		},
		{
			"several times in one gap are one", "*/15 2 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z",
			[]string{"2026-03-29T01:00Z"},
		},
		{
			"midnight that does not exist", "0 0 * * *", "America/Sao_Paulo", "2018-11-03T00:00:00Z", "2018-11-05T12:00:00Z",
			[]string{"2018-11-03T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"},
		},
		{
			"a gap of half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-02T12:00:00Z", "2026-10-05T00:00:00Z",
			[]string{"2026-10-02T15:45Z", "2026-10-03T15:30Z", "2026-10-04T15:15Z"},
		},
		{
			"hourly over half a doubled hour", "0 * * * *", "Australia/Lord_Howe", "2026-04-04T13:00:00Z", "2026-04-04T17:00:00Z",
			[]string{"2026-04-04T13:00Z", "2026-04-04T14:00Z", "2026-04-04T15:00Z", "2026-04-04T15:30Z", "2026-04-04T16:30Z"},
		},
		{
			"a day that does not exist", "0 12 * * *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2012-01-01T00:00:00Z",
			[]string{"2011-12-29T22:00Z", "2011-12-30T10:00Z", "2011-12-30T22:00Z", "2011-12-31T22:00Z"},
		},
		{
			"the zone that was named", "0 9 * * *", "America/New_York", "2026-07-01T00:00:00Z", "2026-07-02T00:00:00Z",
			[]string{"2026-07-01T13:00Z"},
		},
	} {
		s := cron(t, c.cron, c.zone)
		require.Equal(t, c.want, utc(calendar.Between(s, at(t, c.from), at(t, c.to), 100)), c.name)
	}
}

// Over twenty years of every time zone, each daily schedule happens exactly once a day, one that repeats within the day
// never pauses for longer than its step, and Last is the reverse of Next.
func TestEveryTimeZoneForTwentyYears(t *testing.T) {
	t.Parallel()
	from := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(20, 0, 0)
	for _, name := range zones(t) {
		z := zone(t, name)
		nightly, often := cron(t, "30 2 * * *", name), cron(t, "*/30 * * * *", name)
		days := 0
		at := from
		for {
			next, ok := nightly.Next(at)
			require.True(t, ok)
			if !next.Before(to) {
				break
			}
			days++
			if h, m, _ := next.Clock(); h != 2 || m != 30 {
				_, before := next.Add(-1).Zone()
				_, now := next.Zone()
				require.Greater(t, now, before, "%s: %s is no end of a gap", name, next)
			}
			at = next
		}
		local := func(t time.Time) int64 {
			_, offset := t.In(z).Zone()
			return (t.Unix() + int64(offset) - 2*3600 - 30*60 + 86400 - 1) / 86400
		}
		require.EqualValues(t, local(to)-local(from), days, name)
		for change := from; ; {
			_, end := change.In(z).ZoneBounds()
			if end.IsZero() || !end.Before(to) {
				break
			}
			around := calendar.Between(often, end.Add(-4*time.Hour), end.Add(4*time.Hour), 100)
			for i, at := range around[1:] {
				require.LessOrEqual(t, at.Sub(around[i]), 30*time.Minute, "%s around %s", name, end)
				last, ok := often.Last(at)
				require.True(t, ok)
				require.True(t, last.Equal(around[i]), "%s: before %s came %s, not %s", name, at, around[i], last)
			}
			nights := calendar.Between(nightly, end.AddDate(0, 0, -3), end.AddDate(0, 0, 3), 10)
			for i, at := range nights[1:] {
				last, _ := nightly.Last(at)
				require.True(t, last.Equal(nights[i]), "%s: before %s came %s, not %s", name, at, nights[i], last)
			}
			change = end
		}
	}
}

func TestQuietHours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ hours, zone, at, until string }{
		{"22:00-07:00", "Europe/Berlin", "2026-01-15T20:59:59Z", ""},
		{"22:00-07:00", "Europe/Berlin", "2026-01-15T21:00:00Z", "2026-01-16T06:00Z"},
		{"22:00-07:00", "Europe/Berlin", "2026-01-16T05:59:59Z", "2026-01-16T06:00Z"},
		{"22:00-07:00", "Europe/Berlin", "2026-01-16T06:00:00Z", ""},
		{"22:00-02:30", "Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:00Z"},
		{"02:00-03:00", "Europe/Berlin", "2026-03-29T01:00:00Z", ""},
		{"02:15-02:45", "Europe/Berlin", "2026-10-25T00:20:00Z", "2026-10-25T00:45Z"},
		{"02:15-02:45", "Europe/Berlin", "2026-10-25T01:20:00Z", ""},
		{"mon-fri 22:00-07:00", "UTC", "2026-11-28T06:00:00Z", "2026-11-28T07:00Z"},
		{"mon-fri 22:00-07:00", "UTC", "2026-11-28T23:00:00Z", ""},
		{"sat,sun 00:00-24:00", "UTC", "2026-11-28T12:00:00Z", "2026-11-30T00:00Z"},
		{"00:00-24:00", "Pacific/Apia", "2011-12-30T09:00:00Z", "2012-01-07T10:00Z"},
	} {
		q, err := calendar.ParseQuietHours(c.hours, zone(t, c.zone))
		require.NoError(t, err, c.hours)
		until, quiet := q.Until(at(t, c.at))
		require.Equal(t, c.until != "", quiet, "%s at %s", c.hours, c.at)
		if quiet {
			require.Equal(t, c.until, utc([]time.Time{until})[0], "%s at %s", c.hours, c.at)
		}
	}
	for _, wrong := range []string{"", "22:00", "22-07", "7:00-8:00", "22:00-22:00", "24:00-07:00", "noday 22:00-07:00", "22:00-25:00", "a b 1:00"} {
		_, err := calendar.ParseQuietHours(wrong, time.UTC)
		require.True(t, problem.Is(err, problem.Invalid), wrong)
	}
	q, err := calendar.ParseQuietHours("mon-fri 22:00-07:00", zone(t, "Europe/Berlin"))
	require.NoError(t, err)
	require.Equal(t, "from 22:00 to 07:00 on weekdays, Europe/Berlin", q.Words())
	require.Equal(t, []string{"2026-11-27T21:00Z", "2026-11-30T21:00Z"}, utc(calendar.Upcoming(q, at(t, "2026-11-27T12:00:00Z"), 2)))
}
