package calendar_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/calendar"
	"countersign/internal/problem"
)

// vectors reads the lines of a file without comments.
func vectors(t *testing.T, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestCronVectors(t *testing.T) {
	t.Parallel()
	// Where the vectors have another rule: days are combined by "and" there, and times that do not exist or exist twice.
	ours := map[string]string{
		"2012-07-09T23:35:00Z | 0 0 * Feb Mon/2":    "2013-02-01T00:00:00Z",
		"2012-03-11T00:00:00-05:00 | 30 2 11 Mar ?": "2012-03-11T03:00:00-04:00",
		"2012-11-04T01:45:00-04:00 | 30 1 04 Nov ?": "2013-11-04T01:30:00-05:00",
		"2012-11-04T01:00:00-04:00 | 0 1 * * ?":     "2012-11-05T01:00:00-05:00",
	}
	lines := vectors(t, "testdata/go-cron.txt")
	require.Greater(t, len(lines), 40)
	for _, line := range lines {
		parts := strings.Split(line, " | ")
		require.Len(t, parts, 4, line)
		want := parts[3]
		if other, ok := ours[parts[0]+" | "+parts[2]]; ok {
			want = other
		}
		c, err := calendar.ParseCron(parts[2], zone(t, parts[1]))
		if want == "never" {
			require.True(t, problem.Is(err, problem.Invalid), line)
			require.ErrorContains(t, err, "never happens", line)
			continue
		}
		require.NoError(t, err, line)
		next, ok := c.Next(at(t, parts[0]))
		require.True(t, ok, line)
		require.True(t, next.Equal(at(t, want)), "%s: got %s, want %s", line, next, want)
	}
}

func TestEitherDayMatchesWhereBothAreRestricted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cron string
		want []string
	}{
		{"0 0 1,15 * sun", []string{"2012-07-08T00:00Z", "2012-07-15T00:00Z", "2012-07-22T00:00Z"}},
		{"0 0 */10 * sun", []string{"2012-07-01T00:00Z", "2012-10-21T00:00Z", "2012-11-11T00:00Z"}},
		{"0 0 29 2 *", []string{"2016-02-29T00:00Z", "2020-02-29T00:00Z", "2024-02-29T00:00Z"}},
		{"0 0 29 2 */7", []string{"2032-02-29T00:00Z", "2060-02-29T00:00Z", "2088-02-29T00:00Z"}},
		{"59 23 31 12 *", []string{"2012-12-31T23:59Z", "2013-12-31T23:59Z", "2014-12-31T23:59Z"}},
		{"0 0 * * 5-7", []string{"2012-07-01T00:00Z", "2012-07-06T00:00Z", "2012-07-07T00:00Z"}},
		{"0 0 * * fri-sun", []string{"2012-07-01T00:00Z", "2012-07-06T00:00Z", "2012-07-07T00:00Z"}},
	} {
		after := at(t, "2012-06-30T12:00:00Z")
		if strings.Contains(c.cron, "1,15") {
			after = at(t, "2012-07-01T12:00:00Z")
		}
		require.Equal(t, c.want, utc(calendar.Upcoming(cron(t, c.cron, "UTC"), after, 3)), c.cron)
	}
}

func TestAWrongCronScheduleSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                        "five fields",
		"* * * *":                 "five fields",
		"0 30 2 * * *":            "leave them out",
		"0 30 2 * * * 2026":       "leave them out",
		"TZ=Europe/Berlin * * *":  "give that apart",
		"@every 5m":               "@hourly",
		"@reboot":                 "@hourly",
		"60 * * * *":              "wrong minute: \"60\" is none; write 0 to 59",
		"* 24 * * *":              "wrong hour",
		"* * 0 * *":               "wrong day",
		"* * * 13 *":              "jan to dec",
		"* * * * 8":               "sun to sat",
		"* * L * *":               "another kind of cron",
		"* * * * 5#2":             "another kind of cron",
		"*/0 * * * *":             "step",
		"*/60 * * * *":            "step",
		"50-10 * * * *":           "runs backwards",
		"1,,2 * * * *":            "wrong minute",
		"-1 * * * *":              "wrong minute",
		"+1 * * * *":              "wrong minute",
		"? * * * *":               "wrong minute",
		"0 0 30 2 *":              "never happens",
		"0 0 31 4,6,9,11 *":       "never happens",
		strings.Repeat("1,", 400): "at most 256",
	} {
		_, err := calendar.ParseCron(text, time.UTC)
		require.True(t, problem.Is(err, problem.Invalid), text)
		require.Contains(t, calendar.Issue("cron", err).Message, says, text)
	}
}

func TestCronInWords(t *testing.T) {
	t.Parallel()
	for text, words := range map[string]string{
		"30 2 * * 1-5":       "at 02:30 on weekdays",
		"30 2 * * *":         "at 02:30 every day",
		"0 9,17 * * 6,0":     "at 09:00 and 17:00 at weekends",
		"0 9 * * 1,3,5":      "at 09:00 on Monday, Wednesday and Friday",
		"* * * * *":          "every minute",
		"*/5 * * * *":        "every 5 minutes",
		"*/5 8-17 * * 1-5":   "every 5 minutes of hours 8 to 17 on weekdays",
		"0 * * * *":          "every hour",
		"15,45 * * * *":      "every hour at minutes 15 and 45",
		"0 */2 * * *":        "every 2 hours",
		"20 */6 * * *":       "every 6 hours at minute 20",
		"0 4 1 * *":          "at 04:00 on day 1 of the month",
		"0 4 1,15 1,7 *":     "at 04:00 on days 1 and 15 of the month in January and July",
		"0 4 13 * 5":         "at 04:00 on day 13 of the month and on Friday",
		"0 4 */10 * 5":       "at 04:00 on days 1, 11, 21 and 31 of the month where that is Friday",
		"@yearly":            "at 00:00 on day 1 of the month in January",
		"* 3 * * *":          "every minute of hour 3",
		"0,10,20,30 1-3 * *": "",
		"5 1-9 * * *":        "at minute 5 of hours 1 to 9 every day",
	} {
		if words != "" {
			require.Equal(t, words+", Europe/Berlin", cron(t, text, "Europe/Berlin").Words(), text)
		}
	}
}

func FuzzCron(f *testing.F) {
	for _, seed := range []string{"30 2 * * 1-5", "*/5 0-23/3 29 feb mon", "@daily", "0 0 29 2 */7", "? ? ? ? ?", "1-2/3,*/4 * * * 7", "0 0 31 4 *"} {
		f.Add(seed, int64(1790000000))
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		c, err := calendar.ParseCron(text, berlin)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid))
			return
		}
		require.NotEmpty(t, c.Words())
		after := time.Unix(1e9+((unix%1e9)+1e9)%1e9, 0)
		next, ok := c.Next(after)
		require.True(t, ok, "%q has no next time", text)
		require.True(t, next.After(after))
		last, ok := c.Last(next.Add(1))
		require.True(t, ok)
		require.True(t, last.Equal(next), "%q: %s, then back to %s", text, next, last)
	})
}

func FuzzQuietHours(f *testing.F) {
	for _, seed := range []string{"22:00-07:00", "mon-fri 00:00-24:00", "sat,sun 1:00-2:00", "* 23:59-00:00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := calendar.ParseQuietHours(text, time.UTC)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid))
			return
		}
		start, ok := q.Next(time.Unix(1790000000, 0))
		require.True(t, ok)
		end, quiet := q.Until(start)
		require.True(t, quiet)
		require.True(t, end.After(start))
		require.NotEmpty(t, q.Words())
	})
}
